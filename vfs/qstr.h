/*
 * qstr.h - a name with its hash and length
 *
 * Mirrors struct qstr of include/linux/dcache.h. Hash and length are compared as
 * one word. Hashes are of the name and of the directory it is looked up in
 * (name_salt()), so that equal names in many directories do not share a chain.
 *
 * Differences from Linux: the salt is the directory inode's i_salt and not the
 * address of its dentry, so that no chain's order depends on addresses.
 */
#ifndef VFS_QSTR_H
#define VFS_QSTR_H

#include "machine/types.h"

struct qstr {
	union {
		struct {
			u32 hash;
			u32 len;	/* bytes; the name need not end in a NUL */
		};
		u64 hash_len;
	};
	const char *name;
};

_Static_assert(offsetof(struct qstr, len) == 4, "little endian: the length is the upper half");

static __always_inline u64
hash_len_create(u32 hash, u32 len)
{
	return (u64)len << 32 | hash;
}

/*
 * Names are read eight bytes at a time: whoever hands one out keeps seven bytes
 * behind it readable. That is so for names in dentries and in struct filename.
 */
struct name_word {
	u64 value;
} __attribute__((packed, may_alias));

static __always_inline u64
load_name_word(const char *name)
{
	return ((const struct name_word *)name)->value;
}

static __always_inline void
store_name_word(char *name, u64 word)
{
	((struct name_word *)name)->value = word;
}

/* The same of a name in a dentry, where eight bytes are one marked access. */
typedef u64 __attribute__((may_alias)) dentry_name_word;

#define NAME_WORD_ONES 0x0101010101010101ull
#define NAME_WORD_HIGHS 0x8080808080808080ull

/* Return: bit 7 of each byte of @word that is zero; exact up to and including the first. */
static __always_inline u64
name_word_zeroes(u64 word)
{
	return (word - NAME_WORD_ONES) & ~word & NAME_WORD_HIGHS;
}

/* The bytes of @word before the first one that @marks (from name_word_zeroes()) marks. */
static __always_inline u64
name_word_before(u64 word, u64 marks)
{
	return word & (marks ^ (marks - 1)) >> 8;
}

static __always_inline u64
name_hash_mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull; /* the golden ratio: Knuth, volume 3 */
	return hash ^ hash >> 32;
}

/* The salt comes last: a walk can hash a name before it knows the directory. */
static __always_inline u32
name_hash_end(u64 hash, u32 salt)
{
	return (u32)((hash ^ salt) * 0x9e3779b97f4a7c15ull >> 32);
}

/*
 * Hash the component that starts at @name, up to a slash or NUL, into @component.
 * Context: the name is padded as above. Return: the byte after it.
 */
static __always_inline const char *
hash_component(u32 salt, const char *name, struct qstr *component)
{
	const char *at = name;
	u64 hash = 0;
	u64 word;
	u64 end;
	u32 len;

	for (;;) {
		word = load_name_word(at);
		end = name_word_zeroes(word) |
		      name_word_zeroes(word ^ '/' * NAME_WORD_ONES);
		if (likely(end))
			break;
		hash = name_hash_mix(hash, word);
		at += sizeof(word);
	}
	hash = name_hash_mix(hash, name_word_before(word, end));
	len = (u32)(at - name) + (u32)__builtin_ctzll(end) / 8;
	component->name = name;
	/* As one word, which is how it is read next. */
	component->hash_len = hash_len_create(name_hash_end(hash, salt), len);
	return name + len;
}

#endif
