/*
 * sha256.h - the hash that names a result's inputs (FIPS 180-4)
 */
#ifndef ENGINE_SHA256_H
#define ENGINE_SHA256_H

#include "machine/types.h"

#define SHA256_HEX 65 /* with the terminating zero */

void sha256_hex(const void *data, size_t size, char hex[SHA256_HEX]);

/* Return: 0, or -errno when @path cannot be read. */
int sha256_file(const char *path, char hex[SHA256_HEX]);

#endif
