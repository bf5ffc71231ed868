/*
 * inode.c - see inode.h
 */
#include "vfs/inode.h"

#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/runtime.h"
#include "machine/slab.h"
#include "vfs/attr.h"
#include "vfs/inode_cache.h"
#include "vfs/qstr.h"
#include "vfs/vfs.h"

#define TICK_NS 4000000u /* grain of file times */
#define LINK_PAD 8 /* a walk reads a link's text in whole words */
#define NS_PER_SEC 1000000000ull

const char *
inode_mapping_name(const struct address_space *mapping, char *buf, size_t size)
{
	const struct dentry *dentry = mapping->host->i_dentry;

	return dentry ? dentry_path(dentry, buf, size) : NULL;
}

/* Pages are made by writing and never read from anywhere. */
static const struct address_space_operations memory_aops = { .name = inode_mapping_name };

int
inode_boot(void)
{
	kernel.vfs->inode_cache = kmem_cache_create("inode", sizeof(struct inode), SLAB_ZERO, NULL);
	return kernel.vfs->inode_cache ? inode_hash_boot() : -ENOMEM;
}

void
inode_shutdown(void)
{
	inode_hash_shutdown();
	kmem_cache_destroy(kernel.vfs->inode_cache);
}

struct timestamp
current_time(void)
{
	u64 ns = runtime_clock_ps() / 1000;

	ns -= ns % TICK_NS;
	return (struct timestamp){ .sec = (s64)(ns / NS_PER_SEC), .nsec = (u32)(ns % NS_PER_SEC) };
}

/* Marked, because stat looks without a lock; not written if it is so already. */
static void
set_time(s64 *sec, u32 *nsec, const struct timestamp *now)
{
	if (READ_ONCE(*sec) == now->sec && READ_ONCE(*nsec) == now->nsec)
		return;
	WRITE_ONCE(*sec, now->sec);
	WRITE_ONCE(*nsec, now->nsec);
}

void
inode_update_time(struct inode *inode, unsigned int times)
{
	struct timestamp now = current_time();

	if (times & ATTR_ATIME)
		set_time(&inode->i_atime_sec, &inode->i_atime_nsec, &now);
	if (times & ATTR_MTIME)
		set_time(&inode->i_mtime_sec, &inode->i_mtime_nsec, &now);
	if (times & ATTR_CTIME)
		set_time(&inode->i_ctime_sec, &inode->i_ctime_nsec, &now);
}

u32
inode_salt(const struct super_block *sb, u64 ino)
{
	return name_hash_end(name_hash_mix(sb->s_dev, ino), 0);
}

struct inode *
new_inode(struct super_block *sb, u64 ino, const struct inode *dir, mode_t mode)
{
	struct inode *inode = kmem_cache_alloc(kernel.vfs->inode_cache);

	if (!inode)
		return NULL;
	inode_init_owner(inode, dir, mode);
	inode->i_salt = inode_salt(sb, ino);
	inode->i_sb = sb;
	inode->i_mapping = &inode->i_data;
	inode->i_ino = ino;
	inode->i_nlink = 1;
	spin_lock_init(&inode->i_lock);
	init_rwsem(&inode->i_rwsem);
	atomic_init(&inode->i_count, 1);
	address_space_init(&inode->i_data, inode, &memory_aops, -1);
	inode_update_time(inode, ATTR_ATIME | ATTR_MTIME | ATTR_CTIME);
	return inode;
}

bool
inode_set_link(struct inode *inode, const char *text, size_t len)
{
	char *link = arena_alloc(len + LINK_PAD, CACHE_LINE, numa_node_id());

	if (!link)
		return false;
	memcpy(link, text, len);
	memset(link + len, 0, LINK_PAD);
	inode->i_link = link;
	inode->i_size = (loff_t)len;
	return true;
}

static void
free_inode(struct inode *inode)
{
	if (inode->i_link)
		arena_free((char *)inode->i_link, (size_t)inode->i_size + LINK_PAD);
	kmem_cache_free(kernel.vfs->inode_cache, inode);
}

static void
free_inode_rcu(struct rcu_head *rcu)
{
	free_inode(container_of(rcu, struct inode, i_rcu));
}

/* What the inode leads to goes; a file that still has a name is stored first. */
static void
drop_contents(struct inode *inode)
{
	const struct super_operations *op = inode->i_sb->s_op;

	if (op && op->write_inode && inode->i_nlink)
		op->write_inode(inode);
	truncate_inode_pages_final(&inode->i_data);
	if (op && op->evict_inode)
		op->evict_inode(inode);
}

void
discard_new_inode(struct inode *inode)
{
	drop_contents(inode);
	remove_inode_hash(inode);
	free_inode(inode);
}

void
evict(struct inode *inode)
{
	BUG_ON(atomic_read(&inode->i_writecount) || atomic_read(&inode->i_readcount),
	       "inode freed with %d writers and %d readers", atomic_read(&inode->i_writecount),
	       atomic_read(&inode->i_readcount));
	drop_contents(inode);
	/* Last: until then whoever looks for its number waits. */
	remove_inode_hash(inode);
	/* Walks under RCU may still look at its mode, or follow it. */
	call_rcu(&inode->i_rcu, free_inode_rcu);
}

/*
 * Drop a reference. Return: true if it was the last one: i_lock is held, so that
 * nobody who finds the inode in the hash takes one now.
 */
static bool
put_last_locked(struct inode *inode)
{
	int count = atomic_read(&inode->i_count);

	while (count > 1)
		if (atomic_try_cmpxchg(&inode->i_count, &count, count - 1))
			return false;
	spin_lock(&inode->i_lock);
	if (atomic_dec_and_test(&inode->i_count))
		return true;
	spin_unlock(&inode->i_lock);
	return false;
}

void
iput(struct inode *inode)
{
	bool kept;

	if (!put_last_locked(inode))
		return;
	kept = inode_cache_keep(inode);
	if (!kept)
		inode_start_freeing(inode);
	spin_unlock(&inode->i_lock);
	if (!kept)
		evict(inode);
}

void
inode_truncate(struct inode *inode, loff_t length)
{
	bool shrinks = length < inode->i_size;

	/* Size first: a reader that looks after its copy never trusts a page that goes. */
	smp_store_release(&inode->i_size, length);
	if (shrinks)
		truncate_pagecache(&inode->i_data, length);
	inode_update_time(inode, ATTR_MTIME | ATTR_CTIME);
}
