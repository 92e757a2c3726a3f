// SPDX-License-Identifier: 0BSD OR MIT OR Apache-2.0
//
// After a call of the vDSO's getrandom(), no register holds anything of its key, and each vector register holds what it held before,
// zero, or what is public: ChaCha's constants, and the number of a block. Called through the real entry, with vectors set to a pattern before.
//
// Owns what counts as residue. The registers are written and read by `call_watched`, in assembly.

#include "vdso.h"

#if defined(__loongarch__)
#define HAS_VECTORS (getauxval(AT_HWCAP) & 0x10) // HWCAP_LOONGARCH_LSX
enum { GENERAL = 32, VECTORS = 32 };
#elif defined(__x86_64__)
#define HAS_VECTORS 1
enum { GENERAL = 16, VECTORS = 16 };
#endif

// What registers held when the call came back.
struct registers {
	uint64_t general[GENERAL];
	uint64_t vector[VECTORS][2];
	uint64_t vectors; // whether vector registers are there
};

enum { PATTERN = 0x5a, MOST_BYTES = 4096, MOST_BLOCKS = MOST_BYTES / 64 + 2 };

// "expand 32-byte k", RFC 8439 section 2.3: public, so it may stay.
static const char CONSTANTS[] = "expand 32-byte k";

// Calls with the five arguments, and leaves what registers hold then.
extern ssize_t call_watched(getrandom_fn, void *const arguments[5], struct registers *);

// Whether eight bytes stand anywhere among these.
static int stands_in(uint64_t value, const unsigned char *bytes, size_t count)
{
	for (size_t at = 0; at + 8 <= count; at += 4)
		if (!memcmp(&value, bytes + at, 8))
			return 1;
	return 0;
}

// What was there before, zero, and what is public: the constants, and numbers of blocks.
static int may_stay(uint64_t value, int half)
{
	uint64_t pattern;

	memset(&pattern, PATTERN, sizeof(pattern));
	return value <= MOST_BLOCKS || value == pattern || !memcmp(&value, CONSTANTS + 8 * half, 8);
}

static int check(getrandom_fn getrandom, unsigned char *state, size_t size, size_t length)
{
	static unsigned char buffer[MOST_BYTES];
	struct registers after;
	void *arguments[5] = { buffer, (void *)length, 0, state, (void *)size };
	int faults = 0;

	memset(&after, 0, sizeof(after));
	after.vectors = HAS_VECTORS ? 1 : 0;
	ssize_t got = call_watched(getrandom, arguments, &after);
	if (got != (ssize_t)length) {
		printf("a call for %zu bytes gave %zd\n", length, got);
		return 1;
	}
	for (int i = 0; i < GENERAL; i++) {
		// Half a word of the key is enough.
		uint64_t value = after.general[i];
		if (value >> 16 && stands_in(value, state, size)) {
			printf("general register %d holds %#llx of the state, after %zu bytes\n", i, (unsigned long long)value, length);
			faults++;
		}
	}
	for (int i = 0; after.vectors && i < VECTORS; i++)
		for (int half = 0; half < 2; half++)
			if (!may_stay(after.vector[i][half], half)) {
				printf("vector register %d holds %#llx, after %zu bytes\n", i, (unsigned long long)after.vector[i][half], length);
				faults++;
			}
	return faults;
}

int main(void)
{
	size_t size;
	getrandom_fn getrandom = vdso_getrandom();
	unsigned char *state = new_state(getrandom, &size);
	const size_t lengths[] = { 4, 32, 64, 96, 128, 1, 192, 1024, MOST_BYTES, 7 };
	int faults = 0, calls = 0;

	for (int round = 0; round < 20; round++)
		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++, calls++)
			faults += check(getrandom, state, size, lengths[i]);
	printf("residue: %d in %d calls\n", faults, calls);
	return faults != 0;
}
