// SPDX-License-Identifier: 0BSD OR MIT OR Apache-2.0
//
// Calls the vDSO's getrandom() as often as its argument says, in a task that uses no floating-point and no vector register itself: the
// exceptions for units that are switched off, which the host counts, are the vDSO's alone.

#include "vdso.h"

int main(int argc, char **argv)
{
	size_t size;
	unsigned char byte[64];
	long calls = argc > 1 ? atol(argv[1]) : 1;
	getrandom_fn getrandom = vdso_getrandom();
	void *state = new_state(getrandom, &size);

	for (long i = 0; i < calls; i++)
		if (getrandom(byte, sizeof(byte), 0, state, size) != sizeof(byte))
			return 1;
	printf("%ld calls\n", calls);
	return 0;
}
