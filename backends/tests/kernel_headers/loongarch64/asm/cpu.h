/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A stand-in for the kernel's header of this name, for tests: any numbers do. */
#define CPU_FEATURE_LSX 101
#define CPU_FEATURE_LASX 102
