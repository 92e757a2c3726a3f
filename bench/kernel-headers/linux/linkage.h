/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A stand-in for the kernel's header of this name: written from what the kernel documents of these two macros
 * (Documentation/core-api/asm-annotations.rst), and not from its text.
 */
#define SYM_FUNC_START(name) \
	.globl name; \
	.p2align 4, 0x90; \
	.type name, @function; \
	name:

#define SYM_FUNC_END(name) \
	.size name, . - name
