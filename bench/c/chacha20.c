/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * ChaCha20 in C, from RFC 8439 section 2.3, for compilers to do their best with. Compiled several times: SYMBOL is the
 * function's name. With PLAIN it is the RFC's text, a block at a time. Otherwise it uses the vector extensions of GNU C: as
 * many blocks at a time as a register has words, each register one word of all of them, and what remains a block at a time,
 * each register one row of it.
 *
 * The key may be the last 32 bytes of the output; so it is copied first. The counter has 64 bits, and the nonce is zero.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const uint32_t constants[4] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 };

#define ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))

#define QUARTER_ROUND(a, b, c, d) \
	do { \
		a += b; d ^= a; d = ROTATE(d, 16); \
		c += d; b ^= c; b = ROTATE(b, 12); \
		a += b; d ^= a; d = ROTATE(d, 8); \
		c += d; b ^= c; b = ROTATE(b, 7); \
	} while (0)

#define DOUBLE_ROUND(s) \
	do { \
		QUARTER_ROUND(s[0], s[4], s[8], s[12]); \
		QUARTER_ROUND(s[1], s[5], s[9], s[13]); \
		QUARTER_ROUND(s[2], s[6], s[10], s[14]); \
		QUARTER_ROUND(s[3], s[7], s[11], s[15]); \
		QUARTER_ROUND(s[0], s[5], s[10], s[15]); \
		QUARTER_ROUND(s[1], s[6], s[11], s[12]); \
		QUARTER_ROUND(s[2], s[7], s[8], s[13]); \
		QUARTER_ROUND(s[3], s[4], s[9], s[14]); \
	} while (0)

#ifdef PLAIN

static void one_block(uint8_t *output, const uint32_t key[8], uint64_t counter)
{
	uint32_t initial[16], s[16];

	memcpy(initial, constants, 16);
	memcpy(initial + 4, key, 32);
	initial[12] = (uint32_t)counter;
	initial[13] = (uint32_t)(counter >> 32);
	initial[14] = initial[15] = 0;
	memcpy(s, initial, 64);
	for (int i = 0; i < 10; i++)
		DOUBLE_ROUND(s);
	for (int i = 0; i < 16; i++)
		s[i] += initial[i];
	memcpy(output, s, 64);
}

#else

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX2__)
#define LANES 8
#else
#define LANES 4
#endif

typedef uint32_t row __attribute__((vector_size(16)));
typedef uint32_t column __attribute__((vector_size(4 * LANES)));

static inline void store(uint8_t *output, row value)
{
	memcpy(output, &value, 16);
}

/* Lanes 4i to 4i + 3. */
static inline row part(column x, int i)
{
	row value;

	memcpy(&value, (const uint8_t *)&x + 16 * i, 16);
	return value;
}

static void one_block(uint8_t *output, const uint32_t key[8], uint64_t counter)
{
	row a0, b0, c0, d0 = { (uint32_t)counter, (uint32_t)(counter >> 32), 0, 0 };

	memcpy(&a0, constants, 16);
	memcpy(&b0, key, 16);
	memcpy(&c0, key + 4, 16);
	row a = a0, b = b0, c = c0, d = d0;
	for (int i = 0; i < 10; i++) {
		QUARTER_ROUND(a, b, c, d);
		b = __builtin_shufflevector(b, b, 1, 2, 3, 0);
		c = __builtin_shufflevector(c, c, 2, 3, 0, 1);
		d = __builtin_shufflevector(d, d, 3, 0, 1, 2);
		QUARTER_ROUND(a, b, c, d);
		b = __builtin_shufflevector(b, b, 3, 0, 1, 2);
		c = __builtin_shufflevector(c, c, 2, 3, 0, 1);
		d = __builtin_shufflevector(d, d, 1, 2, 3, 0);
	}
	store(output, a + a0);
	store(output + 16, b + b0);
	store(output + 32, c + c0);
	store(output + 48, d + d0);
}

static void many_blocks(uint8_t *output, const uint32_t key[8], uint64_t counter)
{
	column zero = { 0 }, initial[16], s[16];
	uint32_t low[LANES], high[LANES];

	for (int i = 0; i < LANES; i++) {
		low[i] = (uint32_t)(counter + i);
		high[i] = (uint32_t)((counter + i) >> 32);
	}
	for (int i = 0; i < 4; i++)
		initial[i] = zero + constants[i];
	for (int i = 0; i < 8; i++)
		initial[4 + i] = zero + key[i];
	memcpy(&initial[12], low, sizeof(low));
	memcpy(&initial[13], high, sizeof(high));
	initial[14] = initial[15] = zero;
	memcpy(s, initial, sizeof(s));
	for (int i = 0; i < 10; i++)
		DOUBLE_ROUND(s);
	for (int i = 0; i < 16; i++)
		s[i] += initial[i];
	/* Four words of four blocks are a matrix to transpose. */
	for (int word = 0; word < 16; word += 4) {
		for (int block = 0; block < LANES; block += 4) {
			row a = part(s[word], block / 4), b = part(s[word + 1], block / 4);
			row c = part(s[word + 2], block / 4), d = part(s[word + 3], block / 4);
			row ab01 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab23 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
			row cd01 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd23 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
			uint8_t *to = output + 64 * block + 4 * word;
			store(to, __builtin_shufflevector(ab01, cd01, 0, 1, 4, 5));
			store(to + 64, __builtin_shufflevector(ab01, cd01, 2, 3, 6, 7));
			store(to + 128, __builtin_shufflevector(ab23, cd23, 0, 1, 4, 5));
			store(to + 192, __builtin_shufflevector(ab23, cd23, 2, 3, 6, 7));
		}
	}
}

#endif

void SYMBOL(uint8_t *output, const uint32_t key[8], uint32_t counter[2], size_t nblocks)
{
	uint32_t words[8];
	uint64_t next;

	memcpy(words, key, 32);
	memcpy(&next, counter, 8);
#ifndef PLAIN
	for (; nblocks >= LANES; nblocks -= LANES, next += LANES, output += 64 * LANES)
		many_blocks(output, words, next);
#endif
	for (; nblocks; nblocks--, next++, output += 64)
		one_block(output, words, next);
	memcpy(counter, &next, 8);
}
