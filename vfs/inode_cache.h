/*
 * inode_cache.h - inodes by number, and inodes that nobody uses
 *
 * Mirrors the hash and the LRU of fs/inode.c. A file system that reads its inodes
 * from somewhere finds those in memory by superblock and number. An inode may stay
 * when its last reference goes (s_op->keep_inode), on the superblock's LRU until the
 * shrinker comes by or the file system goes. So its life is
 *
 *   iget_locked: I_NEW   others wait   -> unlock_new_inode   in use, or kept
 *   last iput, or the shrinker: I_FREEING   others wait   -> out of the hash, freed
 *
 * and two tasks never have two inodes of one number: who finds it I_NEW or I_FREEING
 * sleeps, on one of a few hashed queues, and looks again.
 *
 * Locks: inode_hash.lock > i_lock > LRU lock. Counts go from and to 0 under i_lock.
 *
 * Differences from Linux: found under the hash's lock, as before 6.11, never by
 * RCU alone; one LRU per superblock and not per node.
 */
#ifndef VFS_INODE_CACHE_H
#define VFS_INODE_CACHE_H

#include "machine/hlist.h"
#include "machine/wait.h"

struct inode;
struct super_block;

#define INODE_HASH_BITS 14
#define INODE_WAIT_BITS 4

/* The room's part of this, off struct vfs. */
struct inode_hash {
	spinlock_t lock ____cacheline_aligned;	/* guards the chains */
	/* constant after boot */
	struct hlist_head *chains ____cacheline_aligned;	/* 1 << INODE_HASH_BITS */
	struct wait_queue_head *wait;		/* for I_NEW or I_FREEING to end; hashed */
};

/* Context: boot. Return: 0 or -ENOMEM. */
int inode_hash_boot(void);

/* Context: shutdown. */
void inode_hash_shutdown(void);

/*
 * The inode of @sb with number @ino, with a reference. A new one has I_NEW: its
 * caller fills it in and calls unlock_new_inode() or iget_failed().
 * Context: task; sleeps. Return: NULL without memory.
 */
struct inode *iget_locked(struct super_block *sb, u64 ino);

/* Let others have @inode, which is filled in. Context: it is the caller's I_NEW. */
void unlock_new_inode(struct inode *inode);

/* It could not be filled in: drop it, and let who waits try again. Context: the same. */
void iget_failed(struct inode *inode);

/* Put @inode, just made, into the hash. Context: nobody else has its number. */
void insert_inode_hash(struct inode *inode);

/* Take @inode out, if it is in, and wake who waits for that. Context: task. */
void remove_inode_hash(struct inode *inode);

/*
 * Keep unreferenced @inode, if it should be. Context: i_lock held, i_count 0.
 * Return: false: it goes.
 */
bool inode_cache_keep(struct inode *inode);

/* I_FREEING, and off the LRU. Context: i_lock held, i_count 0. */
void inode_start_freeing(struct inode *inode);

/*
 * Free up to @nr unused inodes of @sb, oldest first; those that were used since the
 * last time are passed over once. Context: task; sleeps. Return: freed.
 */
unsigned long prune_icache_sb(struct super_block *sb, unsigned long nr);

/* Free all of them. Context: task; sleeps; nobody else uses @sb. */
void evict_inodes(struct super_block *sb);

#endif
