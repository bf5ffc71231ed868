/*
 * dentry_name.h - where the bytes of a dentry's name lie
 *
 * A short name lies in the dentry, a long one in memory of its own that a
 * rename may hand from one dentry to another. Both are padded with zeroes to
 * whole words of eight bytes, and a short one always ends in a zero: so a reader
 * that holds an old pointer or length for a moment stops in time (the word
 * differs) and finds out by d_seq.
 *
 * Private to the dentry cache.
 */
#ifndef VFS_DENTRY_NAME_H
#define VFS_DENTRY_NAME_H

#include "vfs/dcache.h"
#include "vfs/vfs.h"

/* The chain of names with @hash. Constant. */
static __always_inline struct hlist_bl_head *
d_chain(u32 hash)
{
	return &kernel.vfs->dcache.hash[hash >> (32 - DCACHE_HASH_BITS)];
}

/* Copy @name into new @dentry. Return: false without memory. */
bool dentry_name_set(struct dentry *dentry, const struct qstr *name);

/*
 * Give the name back, as its dentry dies: before the dentry's own grace period, not after
 * it. A name that others had as well may be theirs no more by then, but only just: walks
 * that came by them can be at it still. Context: any.
 */
void dentry_name_drop(struct dentry *dentry);

/*
 * Give @dentry the name of @from, which keeps it as well. Context: both d_locks,
 * both inside a writer's section of d_seq.
 */
void dentry_name_copy(struct dentry *dentry, const struct dentry *from);

/*
 * Kill @dentry. Context: d_lock held, count 0; drops the lock; may sleep.
 * Return: its parent, with the reference that the caller must drop; or NULL.
 */
struct dentry *dentry_kill(struct dentry *dentry);

/*
 * Whether @dentry's name is the @name->len bytes of @name, of equal hash_len.
 * Context: RCU, or d_lock held.
 */
static __always_inline bool
dentry_name_equal(const struct dentry *dentry, const struct qstr *name)
{
	/* Acquire: a long name's bytes were stored before its pointer. */
	const char *own = rcu_dereference(dentry->d_name.name);
	const char *other = name->name;
	u32 left = name->len;

	for (; left >= sizeof(u64); left -= sizeof(u64)) {
		if (READ_ONCE(*(const dentry_name_word *)own) != load_name_word(other))
			return false;
		own += sizeof(u64);
		other += sizeof(u64);
	}
	if (unlikely(!left))
		return true;
	/* What follows the name is shifted out. */
	return !((READ_ONCE(*(const dentry_name_word *)own) ^ load_name_word(other))
		 << (64 - 8 * left));
}

#endif
