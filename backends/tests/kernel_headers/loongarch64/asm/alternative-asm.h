/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A stand-in for the kernel's header of this name, for tests: written from what an alternative is, an instruction with another
 * one elsewhere, and a table entry with the places of both (from where these words stand), the feature and their lengths.
 */
.macro ALTERNATIVE old, new, feature
.Lold_\@:
	\old
.Lold_end_\@:
	.pushsection .altinstructions, "a"
	.long .Lold_\@ - .
	.long .Lnew_\@ - .
	.short \feature
	.byte 4, 4
	.popsection
	.subsection 1
.Lnew_\@:
	\new
	.previous
.endm
