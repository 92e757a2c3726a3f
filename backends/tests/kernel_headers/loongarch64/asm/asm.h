/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A stand-in for the kernel's header of this name, for tests: generated code uses none of its macros. */
