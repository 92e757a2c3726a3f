/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A stand-in for the kernel's header of this name, for tests: written from what the kernel documents of these two
 * macros (Documentation/core-api/asm-annotations.rst), and not from its text. On this architecture they also open and
 * close the call frame information.
 */
#define SYM_FUNC_START(name) \
	.globl name; \
	.p2align 2; \
	.type name, @function; \
	name: \
	.cfi_startproc

#define SYM_FUNC_END(name) \
	.cfi_endproc; \
	.size name, . - name
