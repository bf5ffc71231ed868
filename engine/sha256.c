/*
 * sha256.c - see sha256.h; section numbers are those of FIPS 180-4
 */
#include "engine/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"

#define BLOCK 64

/* 4.2.2: first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const u32 round_constant[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static u32
rotr(u32 x, int n)
{
	return x >> n | x << (32 - n);
}

static u32
load_be32(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

/* 6.2.2 step 1: the message schedule of one block. */
static void
schedule(u32 w[64], const u8 *block)
{
	for (int t = 0; t < 16; t++)
		w[t] = load_be32(block + 4 * t);
	for (int t = 16; t < 64; t++) {
		u32 s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
		u32 s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;

		w[t] = s1 + w[t - 7] + s0 + w[t - 16];
	}
}

/* 6.2.2 steps 2 to 4; v[0..7] are the working variables a..h. */
static void
compress(u32 hash[8], const u8 *block)
{
	u32 w[64];
	u32 v[8];

	schedule(w, block);
	memcpy(v, hash, sizeof(v));
	for (int t = 0; t < 64; t++) {
		u32 big1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
		u32 choose = (v[4] & v[5]) ^ (~v[4] & v[6]);
		u32 t1 = v[7] + big1 + choose + round_constant[t] + w[t];
		u32 big0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
		u32 majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += t1;
		v[0] = t1 + big0 + majority;
	}
	for (int i = 0; i < 8; i++)
		hash[i] += v[i];
}

/* 5.1.1: what is left of the message, a one bit, zeros, and the length in bits. */
static void
finish(u32 hash[8], const u8 *rest, size_t left, u64 bits)
{
	u8 block[2 * BLOCK] = { 0 };
	size_t blocks = left + 9 <= BLOCK ? 1 : 2;

	if (left)
		memcpy(block, rest, left);
	block[left] = 0x80;
	for (int i = 0; i < 8; i++)
		block[blocks * BLOCK - 1 - i] = bits >> 8 * i;
	for (size_t i = 0; i < blocks; i++)
		compress(hash, block + i * BLOCK);
}

void
sha256_hex(const void *data, size_t size, char hex[SHA256_HEX])
{
	/* 5.3.3: the same of the square roots of the first eight primes. */
	u32 hash[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	const u8 *bytes = data;
	size_t whole = size / BLOCK * BLOCK;

	for (size_t at = 0; at < whole; at += BLOCK)
		compress(hash, bytes + at);
	finish(hash, bytes + whole, size - whole, 8 * (u64)size);
	for (int i = 0; i < 8; i++)
		snprintf(hex + 8 * i, 9, "%08x", hash[i]);
}

/* Return: the file's bytes (free them), or NULL with errno set. */
static char *
read_whole(FILE *file, size_t *size)
{
	size_t room = 1 << 16;
	char *data = xcalloc(1, room);
	size_t got;

	*size = 0;
	while ((got = fread(data + *size, 1, room - *size, file)) > 0) {
		*size += got;
		if (*size == room)
			data = xrealloc(data, room *= 2);
	}
	if (!ferror(file))
		return data;
	free(data);
	return NULL;
}

int
sha256_file(const char *path, char hex[SHA256_HEX])
{
	FILE *file = fopen(path, "re");
	size_t size;
	char *data;

	if (!file)
		return -errno;
	data = read_whole(file, &size);
	fclose(file);
	if (!data)
		return -EIO;
	sha256_hex(data, size, hex);
	free(data);
	return 0;
}
