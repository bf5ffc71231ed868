/*
 * inode_cache.c - see inode_cache.h
 */
#include "vfs/inode_cache.h"

#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "vfs/inode.h"
#include "vfs/vfs.h"

int
inode_hash_boot(void)
{
	struct inode_hash *hash = &kernel.vfs->inode_hash;
	size_t chains = sizeof(*hash->chains) << INODE_HASH_BITS;
	size_t waits = sizeof(*hash->wait) << INODE_WAIT_BITS;

	spin_lock_init(&hash->lock);
	hash->chains = arena_alloc(chains, CACHE_LINE, 0);
	hash->wait = arena_alloc(waits, CACHE_LINE, 0);
	if (!hash->chains || !hash->wait)
		return -ENOMEM;
	memset(hash->chains, 0, chains);
	for (int i = 0; i < 1 << INODE_WAIT_BITS; i++)
		init_waitqueue_head(&hash->wait[i]);
	return 0;
}

void
inode_hash_shutdown(void)
{
	struct inode_hash *hash = &kernel.vfs->inode_hash;

	if (hash->chains)
		arena_free(hash->chains, sizeof(*hash->chains) << INODE_HASH_BITS);
	if (hash->wait)
		arena_free(hash->wait, sizeof(*hash->wait) << INODE_WAIT_BITS);
}

/* --- by number ------------------------------------------------------------ */

static struct hlist_head *
chain_of(u32 salt)
{
	return &kernel.vfs->inode_hash.chains[salt >> (32 - INODE_HASH_BITS)];
}

static struct wait_queue_head *
wait_of(u32 salt)
{
	return &kernel.vfs->inode_hash.wait[salt >> (32 - INODE_WAIT_BITS)];
}

/* Context: hash lock held. */
static struct inode *
find_inode(const struct super_block *sb, u64 ino)
{
	struct inode *inode;

	hlist_for_each_entry (inode, chain_of(inode_salt(sb, ino)), i_hash)
		if (inode->i_ino == ino && inode->i_sb == sb)
			break;
	return inode;
}

/* Another reference, if @inode is not going. Context: hash lock held. */
static bool
get_unless_freeing(struct inode *inode)
{
	bool alive;

	spin_lock(&inode->i_lock);
	alive = !(inode->i_state & I_FREEING);
	if (alive)
		atomic_inc(&inode->i_count);
	spin_unlock(&inode->i_lock);
	return alive;
}

/* Whether @ino's inode is not in the hash any more, or is not going. */
static bool
is_gone(const struct super_block *sb, u64 ino)
{
	struct inode_hash *hash = &kernel.vfs->inode_hash;
	struct inode *inode;
	bool gone;

	spin_lock(&hash->lock);
	inode = find_inode(sb, ino);
	gone = !inode || !(READ_ONCE(inode->i_state) & I_FREEING);
	spin_unlock(&hash->lock);
	return gone;
}

/* Context: hash lock held. */
static void
hash_inode(struct inode *inode)
{
	hlist_add_head(&inode->i_hash, chain_of(inode->i_salt));
	spin_lock(&inode->i_lock);
	WRITE_ONCE(inode->i_state, inode->i_state | I_HASHED);
	spin_unlock(&inode->i_lock);
}

/*
 * Find @new's number, or put @new in for it, I_NEW. Return: what is there now with
 * a reference; NULL: one that is going.
 */
static struct inode *
find_or_insert(struct inode *new)
{
	struct inode_hash *hash = &kernel.vfs->inode_hash;
	struct inode *inode;

	spin_lock(&hash->lock);
	inode = find_inode(new->i_sb, new->i_ino);
	if (!inode) {
		WRITE_ONCE(new->i_state, I_NEW);
		hash_inode(new);
		inode = new;
	} else if (!get_unless_freeing(inode)) {
		inode = NULL;
	}
	spin_unlock(&hash->lock);
	return inode;
}

/* What find_or_insert() does, without one to insert; NULL also: none. */
static struct inode *
find_and_get(const struct super_block *sb, u64 ino)
{
	struct inode_hash *hash = &kernel.vfs->inode_hash;
	struct inode *inode;

	spin_lock(&hash->lock);
	inode = find_inode(sb, ino);
	if (inode && !get_unless_freeing(inode))
		inode = NULL;
	spin_unlock(&hash->lock);
	return inode;
}

/* Wait until @inode, found with a reference, is filled in. Return: false: that failed. */
static bool
wait_until_filled(struct inode *inode)
{
	/* Acquire: pairs with the release in unlock_new_inode(). */
	wait_event(wait_of(inode->i_salt), !(smp_load_acquire(&inode->i_state) & I_NEW));
	return READ_ONCE(inode->i_state) & I_HASHED;
}

struct inode *
iget_locked(struct super_block *sb, u64 ino)
{
	struct inode *inode = find_and_get(sb, ino);
	struct inode *new = NULL;

	for (;;) {
		if (!inode) {
			if (!new)
				new = new_inode(sb, ino, NULL, 0);
			if (!new)
				return NULL;
			inode = find_or_insert(new);
			if (inode == new)
				return new;
		}
		if (!inode) {
			wait_event(wait_of(inode_salt(sb, ino)), is_gone(sb, ino));
			continue;
		}
		if (wait_until_filled(inode))
			break;
		iput(inode);
		inode = NULL;
	}
	if (new)
		discard_new_inode(new);
	return inode;
}

static void
end_new(struct inode *inode)
{
	spin_lock(&inode->i_lock);
	smp_store_release(&inode->i_state, inode->i_state & ~I_NEW);
	spin_unlock(&inode->i_lock);
	wake_up_all(wait_of(inode->i_salt));
}

void
unlock_new_inode(struct inode *inode)
{
	end_new(inode);
}

void
iget_failed(struct inode *inode)
{
	remove_inode_hash(inode);
	end_new(inode);
	iput(inode);
}

void
insert_inode_hash(struct inode *inode)
{
	struct inode_hash *hash = &kernel.vfs->inode_hash;

	spin_lock(&hash->lock);
	hash_inode(inode);
	spin_unlock(&hash->lock);
}

void
remove_inode_hash(struct inode *inode)
{
	struct inode_hash *hash = &kernel.vfs->inode_hash;

	if (!(READ_ONCE(inode->i_state) & I_HASHED))
		return;
	spin_lock(&hash->lock);
	hlist_del_init(&inode->i_hash);
	spin_lock(&inode->i_lock);
	WRITE_ONCE(inode->i_state, inode->i_state & ~I_HASHED);
	spin_unlock(&inode->i_lock);
	spin_unlock(&hash->lock);
	wake_up_all(wait_of(inode->i_salt));
}

/* --- unused --------------------------------------------------------------- */

bool
inode_cache_keep(struct inode *inode)
{
	const struct super_operations *op = inode->i_sb->s_op;
	struct inode_lru *lru = &inode->i_sb->s_inode_lru;

	if (!(inode->i_state & I_HASHED) || !READ_ONCE(inode->i_nlink) || !op ||
	    !op->keep_inode || !op->keep_inode(inode))
		return false;
	if (inode->i_state & I_LRU) {
		WRITE_ONCE(inode->i_state, inode->i_state | I_REFERENCED);
		return true;
	}
	WRITE_ONCE(inode->i_state, inode->i_state | I_LRU);
	spin_lock(&lru->lock);
	list_add_tail(&inode->i_lru, &lru->list);
	WRITE_ONCE(lru->nr, lru->nr + 1);
	spin_unlock(&lru->lock);
	return true;
}

/* Context: i_lock and the LRU lock held. */
static void
lru_unlink(struct inode_lru *lru, struct inode *inode)
{
	WRITE_ONCE(inode->i_state, inode->i_state & ~(I_LRU | I_REFERENCED));
	list_del(&inode->i_lru);
	WRITE_ONCE(lru->nr, lru->nr - 1);
}

void
inode_start_freeing(struct inode *inode)
{
	struct inode_lru *lru = &inode->i_sb->s_inode_lru;

	WRITE_ONCE(inode->i_state, inode->i_state | I_FREEING);
	if (!(inode->i_state & I_LRU))
		return;
	spin_lock(&lru->lock);
	lru_unlink(lru, inode);
	spin_unlock(&lru->lock);
}

static void
rotate(struct inode_lru *lru, struct inode *inode)
{
	list_del(&inode->i_lru);
	list_add_tail(&inode->i_lru, &lru->list);
}

/* Look at the oldest one. Context: LRU lock held. Return: it, I_FREEING, to be freed; or NULL. */
static struct inode *
isolate_oldest(struct inode_lru *lru)
{
	struct inode *inode = list_first_entry(&lru->list, struct inode, i_lru);
	struct inode *victim = NULL;

	/* The lock order is the other way round. */
	if (!spin_trylock(&inode->i_lock)) {
		rotate(lru, inode);
		return NULL;
	}
	if (atomic_read(&inode->i_count)) {
		lru_unlink(lru, inode);
	} else if (inode->i_state & I_REFERENCED) {
		WRITE_ONCE(inode->i_state, inode->i_state & ~I_REFERENCED);
		rotate(lru, inode);
	} else {
		WRITE_ONCE(inode->i_state, inode->i_state | I_FREEING);
		lru_unlink(lru, inode);
		victim = inode;
	}
	spin_unlock(&inode->i_lock);
	return victim;
}

unsigned long
prune_icache_sb(struct super_block *sb, unsigned long nr)
{
	struct inode_lru *lru = &sb->s_inode_lru;
	/* Everybody twice: the second visit frees whom the first one gave a chance. */
	s64 visits = 2 * READ_ONCE(lru->nr);
	unsigned long freed = 0;

	while (freed < nr && visits-- > 0) {
		struct inode *victim = NULL;

		spin_lock(&lru->lock);
		if (!list_empty(&lru->list))
			victim = isolate_oldest(lru);
		spin_unlock(&lru->lock);
		if (!victim)
			continue;
		evict(victim);
		freed++;
	}
	return freed;
}

void
evict_inodes(struct super_block *sb)
{
	while (!list_empty(&sb->s_inode_lru.list))
		prune_icache_sb(sb, ~0ul);
}
