// SPDX-License-Identifier: 0BSD OR MIT OR Apache-2.0
//
// ssize_t call_watched(getrandom_fn, void *const arguments[5], struct registers *)
//
// Sets every vector register to the pattern, where the structure says that there are any, calls, and stores what the registers hold
// before anything else changes them. The offsets are those of struct registers in residue.c. Instructions of LSX are raw code, since
// programs in the guest are built without it.

#define VECTOR	(32 * 8)
#define VECTORS	(VECTOR + 32 * 16)

	.text
	.globl	call_watched
	.type	call_watched, @function
call_watched:
	addi.d		$sp, $sp, -32
	st.d		$ra, $sp, 0
	st.d		$s0, $sp, 8
	st.d		$s1, $sp, 16
	move		$s0, $a2
	move		$t0, $a0
	move		$t1, $a1
	ld.d		$s1, $s0, VECTORS
	beqz		$s1, 1f
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	.word		0x73e00000 | 0x5a << 5 | \n		// vldi $vrN, 0x5a
	.endr
1:	ld.d		$a0, $t1, 0
	ld.d		$a1, $t1, 8
	ld.d		$a2, $t1, 16
	ld.d		$a3, $t1, 24
	ld.d		$a4, $t1, 32
	jirl		$ra, $t0, 0
	.irp	n, 4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,24,25,26,27,28,29,30,31
	st.d		$r\n, $s0, 8 * \n
	.endr
	beqz		$s1, 2f
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	.word		0x2c400000 | (VECTOR + 16 * \n) << 10 | 23 << 5 | \n	// vst $vrN, $s0, VECTOR + 16 N
	.endr
2:	ld.d		$ra, $sp, 0
	ld.d		$s0, $sp, 8
	ld.d		$s1, $sp, 16
	addi.d		$sp, $sp, 32
	ret
	.size	call_watched, . - call_watched
	.section .note.GNU-stack, "", @progbits
