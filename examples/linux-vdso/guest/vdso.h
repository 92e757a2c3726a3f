// SPDX-License-Identifier: 0BSD OR MIT OR Apache-2.0
//
// The vDSO's getrandom() as a C library finds and calls it: by AT_SYSINFO_EHDR and the dynamic symbols (ELF), and as
// Documentation of the system call says of its parameters. Shared by the programs in the guest.

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

typedef ssize_t (*getrandom_fn)(void *buffer, size_t len, unsigned int flags, void *state, size_t state_len);

// What the query answers: the size of a state, and how to map memory for it.
struct parameters {
	uint32_t size, prot, flags, reserved[13];
};

static inline const char *vdso(void)
{
	return (const char *)getauxval(AT_SYSINFO_EHDR);
}

// The bytes of the vDSO that are loaded.
static inline size_t vdso_size(void)
{
	const Elf64_Ehdr *header = (const void *)vdso();
	const Elf64_Phdr *segment = (const void *)(vdso() + header->e_phoff);
	size_t size = 0;

	for (int i = 0; i < header->e_phnum; i++)
		if (segment[i].p_type == PT_LOAD && segment[i].p_vaddr + segment[i].p_memsz > size)
			size = segment[i].p_vaddr + segment[i].p_memsz;
	return size;
}

// Its getrandom(), by the section headers' dynamic symbols.
static inline getrandom_fn vdso_getrandom(void)
{
	const Elf64_Ehdr *header = (const void *)vdso();
	const Elf64_Phdr *segment = (const void *)(vdso() + header->e_phoff);
	const Elf64_Sym *symbols = NULL;
	const char *names = NULL;
	const uint32_t *hash = NULL, *gnu = NULL;
	size_t count = 0;

	for (int i = 0; i < header->e_phnum; i++) {
		if (segment[i].p_type != PT_DYNAMIC)
			continue;
		for (const Elf64_Dyn *entry = (const void *)(vdso() + segment[i].p_vaddr); entry->d_tag != DT_NULL; entry++) {
			const void *at = vdso() + entry->d_un.d_ptr;
			if (entry->d_tag == DT_SYMTAB)
				symbols = at;
			else if (entry->d_tag == DT_STRTAB)
				names = at;
			else if (entry->d_tag == DT_HASH)
				hash = at;
			else if (entry->d_tag == DT_GNU_HASH)
				gnu = at;
		}
	}
	if (hash)
		count = hash[1];
	else if (gnu) {
		// The last chain that begins farthest back ends with an odd word.
		const uint32_t *buckets = gnu + 4 + 2 * gnu[2], *chain = buckets + gnu[0];
		for (uint32_t i = 0; i < gnu[0]; i++)
			if (buckets[i] > count)
				count = buckets[i];
		while (count >= gnu[1] && !(chain[count - gnu[1]] & 1))
			count++;
		count++;
	}
	for (size_t i = 0; symbols && names && i < count; i++)
		if (!strcmp(names + symbols[i].st_name, "__vdso_getrandom") && symbols[i].st_value)
			return (getrandom_fn)(vdso() + symbols[i].st_value);
	printf("the vDSO has no getrandom()\n");
	exit(1);
}

// A state in memory of the kind that the query asks for.
static inline void *new_state(getrandom_fn getrandom, size_t *size)
{
	struct parameters parameters;

	if (getrandom(NULL, 0, 0, &parameters, ~(size_t)0) != 0) {
		printf("the query for parameters failed\n");
		exit(1);
	}
	*size = parameters.size;
	void *state = mmap(NULL, 4096, parameters.prot, parameters.flags, -1, 0);
	if (state == MAP_FAILED) {
		perror("memory for a state");
		exit(1);
	}
	return state;
}
