// SPDX-License-Identifier: 0BSD OR MIT OR Apache-2.0
//
// ssize_t call_watched(getrandom_fn, void *const arguments[5], struct registers *)
//
// Sets every vector register to the pattern, calls, and stores what the registers hold before anything else changes them. The offsets
// are those of struct registers in residue.c.

#define VECTOR	(16 * 8)

	.text
	.globl	call_watched
	.type	call_watched, @function
call_watched:
	pushq		%rbx
	movq		%rdx, %rbx
	movq		%rdi, %rax
	movq		%rsi, %r10
	movabsq		$0x5a5a5a5a5a5a5a5a, %r11
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	movq		%r11, %xmm\n
	punpcklqdq	%xmm\n, %xmm\n
	.endr
	movq		(%r10), %rdi
	movq		8(%r10), %rsi
	movq		16(%r10), %rdx
	movq		24(%r10), %rcx
	movq		32(%r10), %r8
	call		*%rax
	movq		%rax, (%rbx)
	movq		%rcx, 8(%rbx)
	movq		%rdx, 16(%rbx)
	movq		%rsi, 24(%rbx)
	movq		%rdi, 32(%rbx)
	movq		%rbp, 40(%rbx)
	.irp	n, 8,9,10,11,12,13,14,15
	movq		%r\n, 8 * \n(%rbx)
	.endr
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	movups		%xmm\n, VECTOR + 16 * \n(%rbx)
	.endr
	popq		%rbx
	ret
	.size	call_watched, . - call_watched
	.section .note.GNU-stack, "", @progbits
