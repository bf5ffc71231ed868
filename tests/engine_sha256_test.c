/*
 * engine_sha256_test.c - the examples of FIPS 180-4 and the padding's edges
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/sha256.h"

static void
expect(const char *text, const char *hex)
{
	char got[SHA256_HEX];

	sha256_hex(text, strlen(text), got);
	assert_string_equal(got, hex);
}

static void
published_examples(void **state)
{
	(void)state;
	expect("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void
a_million_letters(void **state)
{
	char *text = malloc(1000000);
	char got[SHA256_HEX];

	(void)state;
	memset(text, 'a', 1000000);
	sha256_hex(text, 1000000, got);
	assert_string_equal(got,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(text);
}

/* 55 bytes leave room for the length in the same block, 56 do not, 64 are a whole block. */
static void
padding_edges(void **state)
{
	char text[65];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[55] = '\0';
	expect(text, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
	text[55] = 'a';
	text[56] = '\0';
	expect(text, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
	text[56] = 'a';
	text[64] = '\0';
	expect(text, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

static void
a_file_and_a_missing_one(void **state)
{
	char path[] = "/tmp/engine-sha256-XXXXXX";
	char got[SHA256_HEX];
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, "abc", 3), 3);
	close(fd);
	assert_int_equal(sha256_file(path, got), 0);
	assert_string_equal(got,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	unlink(path);
	assert_true(sha256_file(path, got) < 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_examples),
		cmocka_unit_test(a_million_letters),
		cmocka_unit_test(padding_edges),
		cmocka_unit_test(a_file_and_a_missing_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
