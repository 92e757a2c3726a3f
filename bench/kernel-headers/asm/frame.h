/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A stand-in for the kernel's header of this name. The function keeps no frame, so it needs nothing of it. */
