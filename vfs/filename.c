/*
 * filename.c - copying a path from user memory; mirrors getname() of fs/namei.c
 *
 * Differences from Linux: a short path is copied to the caller's stack, where
 * Linux has a slab object.
 */
#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/cost.h"
#include "machine/task.h"
#include "pagecache/page.h"
#include "vfs/namei.h"

/* The bytes up to a NUL, of at most a word. */
static noinline u64
load_user_bytes(const char *from)
{
	u64 word = 0;

	for (unsigned int i = 0; i < sizeof(word); i++) {
		word |= (u64)(u8)from[i] << 8 * i;
		if (!from[i])
			break;
	}
	return word;
}

/*
 * The word at @from of user memory. Its bytes behind a NUL mean nothing, and need
 * not be there if they lie in another page.
 */
static __always_inline u64
load_user_word(const char *from)
{
#if defined(__SANITIZE_ADDRESS__) || (defined(__SANITIZE_THREAD__) && defined(MACHINE_HOST))
	return load_user_bytes(from); /* who watches knows where the string ends */
#else
	if (unlikely((uintptr_t)from % PAGE_SIZE > PAGE_SIZE - sizeof(u64)))
		return load_user_bytes(from);
	return load_name_word(from);
#endif
}

/*
 * Copy the string @from of user memory with its NUL, word by word, as far as the
 * @size bytes of @to go, which are whole words.
 * Return: its length, or @size: it is longer.
 */
static __always_inline size_t
strncpy_from_user(char *to, const char *from, size_t size)
{
	for (size_t at = 0; at < size; at += sizeof(u64)) {
		u64 word = load_user_word(from + at);
		u64 end = name_word_zeroes(word);

		store_name_word(to + at, word);
		if (end)
			return at + (u32)__builtin_ctzll(end) / 8;
	}
	return size;
}

/* The path does not fit into *@filename. Return: as getname(). */
static noinline int
getname_long(struct filename *filename, const char *path)
{
	size_t len = strnlen(path, PATH_MAX);
	char *copy;

	if (len == PATH_MAX)
		return -ENAMETOOLONG;
	copy = arena_alloc(len + FILENAME_PAD, CACHE_LINE, numa_node_id());
	if (!copy)
		return -ENOMEM;
	filename->len = strncpy_from_user(copy, path, ALIGN(len + 1, sizeof(u64)));
	filename->name = copy;
	return 0;
}

int
getname(struct filename *filename, const char *path, unsigned int flags)
{
	size_t size = sizeof(filename->iname) - FILENAME_PAD;
	size_t len = strncpy_from_user(filename->iname, path, size);

	if (unlikely(!len) && !(flags & LOOKUP_EMPTY))
		return -ENOENT;
	spend(COST_path_name);
	if (unlikely(len == size))
		return getname_long(filename, path);
	filename->name = filename->iname;
	filename->len = len;
	return 0;
}

void
free_long_name(struct filename *filename)
{
	arena_free((char *)filename->name, filename->len + FILENAME_PAD);
}
