// SPDX-License-Identifier: 0BSD OR MIT OR Apache-2.0
//
// Prints the code of the running vDSO in hexadecimal, 32 bytes a line: what the kernel's patching made of it.

#include "vdso.h"

int main(void)
{
	const unsigned char *bytes = (const unsigned char *)vdso();
	size_t size = vdso_size();

	printf("vdso %zu bytes\n", size);
	for (size_t at = 0; at < size; at += 32) {
		printf("vdso %05zx ", at);
		for (size_t i = at; i < at + 32 && i < size; i++)
			printf("%02x", bytes[i]);
		printf("\n");
	}
	return 0;
}
