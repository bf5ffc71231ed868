/*
 * dcache.h - names in memory: the dentry cache
 *
 * Mirrors include/linux/dcache.h and fs/dcache.c (7.3). A dentry is one name in
 * one directory: positive (it leads to an inode) or negative (known not to
 * exist). Offsets are the kernel's:
 *
 *   line 0   flags, seq, hash links, parent, name, inode    all that a walk reads
 *   line 1   rest of a short name, operations, superblock
 *   line 2   lockref, LRU, siblings and children            written by references
 *
 * With `dentry_layout: 6.1` the lockref lies in line 1 instead; d_lockref() says
 * where. Fields around it stay, as none of them changes its line.
 *
 * How a lockless reader knows what it saw: d_seq of a dentry changes (odd while
 * it does) whenever its name, parent or inode change and when it leaves the hash.
 * A walk samples d_seq, looks, and checks it again before it believes anything:
 *
 *   T1 walk                               T2 rename
 *   seq = d_seq; name and parent match
 *                                         d_seq odd, moves the dentry, d_seq even
 *   inode = d_inode; d_seq changed: -ECHILD, the walk starts again with references
 *
 * Life:  d_alloc -> d_add or d_instantiate -> hashed, looked up, referenced
 *        last dput: stays on the LRU (retain) or is killed: DEAD, unhashed,
 *        inode dropped, memory freed after a grace period, parent put
 *
 * Locks: rename_lock > d_lock of a parent > d_lock of its child > LRU lock;
 * d_lock > chain's bit. The inode lock of a directory is outside all of these and
 * is held by whoever adds, removes or renames names in it.
 *
 *   d_lock (in the lockref)   d_flags, d_name, d_inode, d_lru, count 0 -> dead; of the
 *                             parent: d_sib of its children
 *   rename_lock               d_parent and d_name of hashed dentries
 *   chain's bit               d_hash
 *
 * Differences from Linux: no hard links, so an inode has one dentry and no list
 * of them; no d_revalidate; no disconnected dentries.
 */
#ifndef VFS_DCACHE_H
#define VFS_DCACHE_H

#include "machine/hlist.h"
#include "machine/list.h"
#include "machine/list_bl.h"
#include "machine/rcu.h"
#include "machine/seqcount.h"
#include "machine/wait.h"
#include "vfs/lockref.h"
#include "vfs/qstr.h"

struct dentry;
struct inode;
struct super_block;

struct dentry_operations {
	/* Should an unreferenced dentry go at once? Context: d_lock held. NULL: no. */
	bool (*d_delete)(const struct dentry *dentry);
};

/* d_flags; under d_lock, read under RCU. */
#define DCACHE_OP_DELETE BIT(3)		/* d_op has d_delete */
#define DCACHE_REFERENCED BIT(6)	/* used since the shrinker last came by */
#define DCACHE_DONTCACHE BIT(7)		/* kill at the last put */
#define DCACHE_MOUNTED BIT(16)		/* something is mounted here, in some mount */
#define DCACHE_LRU_LIST BIT(19)		/* d_lru is on the superblock's list */
#define DCACHE_ENTRY_TYPE (7u << 20)	/* of the inode, so that nobody need ask it */
#define DCACHE_MISS_TYPE (0u << 20)	/* negative */
#define DCACHE_DIRECTORY_TYPE (2u << 20)
#define DCACHE_REGULAR_TYPE (4u << 20)
#define DCACHE_SYMLINK_TYPE (6u << 20)
#define DCACHE_PAR_LOOKUP BIT(28)	/* the file system is being asked about it */

#define DNAME_INLINE_LEN 40		/* bytes, the NUL included; 6.1: 32 */
#define DNAME_INLINE_LEN_6_1 32

struct dentry {
	/* line 0: read by every walk through here */
	unsigned int d_flags;		/* DCACHE_* */
	seqcount_t d_seq;		/* name, parent, inode; writers: d_lock */
	struct hlist_bl_node d_hash;	/* in the chain of its name */
	struct dentry *d_parent;	/* a reference; itself for a root */
	struct qstr d_name;		/* d_shortname, or a struct external_name */
	struct inode *d_inode;		/* a reference; NULL: negative */

	/* from line 0 into line 1 */
	union {
		char d_shortname[DNAME_INLINE_LEN];
		struct {
			char d_iname_6_1[DNAME_INLINE_LEN_6_1];
			struct lockref d_lockref_6_1;
		};
	};
	const struct dentry_operations *d_op;	/* constant */
	struct super_block *d_sb;	/* constant */
	u8 reserved_112[8];		/* d_time */
	unsigned long d_fsdata;		/* the file system's; 0 at first */

	/* line 2 */
	struct lockref d_lockref_6_11;	/* references and d_lock; see d_lockref() */
	struct list_head d_lru;		/* on the LRU, with DCACHE_LRU_LIST; LRU lock */
	struct hlist_node d_sib;	/* among the parent's d_children */
	struct hlist_head d_children;	/* dead ones may still be on it for a moment */
	union {
		struct hlist_bl_node d_in_lookup_hash;	/* while DCACHE_PAR_LOOKUP */
		struct rcu_head d_rcu;	/* frees it */
	} d_u;
};

_Static_assert(offsetof(struct dentry, d_seq) == 4, "line 0");
_Static_assert(offsetof(struct dentry, d_hash) == 8, "line 0");
_Static_assert(offsetof(struct dentry, d_parent) == 24, "line 0");
_Static_assert(offsetof(struct dentry, d_name) == 32, "line 0");
_Static_assert(offsetof(struct dentry, d_inode) == 48, "line 0");
_Static_assert(offsetof(struct dentry, d_shortname) == 56, "lines 0 and 1");
_Static_assert(offsetof(struct dentry, d_lockref_6_1) == 88, "line 1");
_Static_assert(offsetof(struct dentry, d_op) == 96, "line 1");
_Static_assert(offsetof(struct dentry, d_sb) == 104, "line 1");
_Static_assert(offsetof(struct dentry, d_fsdata) == 120, "line 1");
_Static_assert(offsetof(struct dentry, d_lockref_6_11) == 128, "line 2");
_Static_assert(offsetof(struct dentry, d_lru) == 136, "line 2");
_Static_assert(offsetof(struct dentry, d_sib) == 152, "line 2");
_Static_assert(offsetof(struct dentry, d_children) == 168, "line 2");
_Static_assert(sizeof(struct dentry) == 192, "three lines");

/* The room's part of this, off struct vfs. Locks on lines of their own. */
struct dcache {
	/* constant after boot */
	struct hlist_bl_head *hash;		/* 1 << DCACHE_HASH_BITS chains */
	struct hlist_bl_head *in_lookup;	/* 1 << IN_LOOKUP_BITS chains */
	struct wait_queue_head *in_lookup_wait;	/* for PAR_LOOKUP to end; hashed */
	struct kmem_cache *dentry_cache;
};

#define DCACHE_HASH_BITS 16
#define IN_LOOKUP_BITS 10
#define IN_LOOKUP_WAIT_BITS 4

/* Context: boot. Return: 0 or -ENOMEM, with whatever was made for dcache_shutdown(). */
int dcache_boot(void);

/* Context: shutdown, every superblock gone. BUG if a dentry is still in use. */
void dcache_shutdown(void);

static __always_inline struct lockref *
d_lockref(struct dentry *dentry)
{
	if (unlikely(policy_value[POLICY_dentry_layout] == dentry_layout_shared_line))
		return &dentry->d_lockref_6_1;
	return &dentry->d_lockref_6_11;
}

/* d_lock. Context: any; never sleeps under it. */
static __always_inline void
d_lock(struct dentry *dentry)
{
	spin_lock(&d_lockref(dentry)->lock);
}

static __always_inline void
d_unlock(struct dentry *dentry)
{
	spin_unlock(&d_lockref(dentry)->lock);
}

/* Return: references at this moment. */
static __always_inline int
d_count(struct dentry *dentry)
{
	return lockref_read(d_lockref(dentry));
}

static __always_inline unsigned int
d_flags(const struct dentry *dentry)
{
	return READ_ONCE(dentry->d_flags);
}

static __always_inline bool
d_is_negative(const struct dentry *dentry)
{
	return (d_flags(dentry) & DCACHE_ENTRY_TYPE) == DCACHE_MISS_TYPE;
}

static __always_inline bool
d_is_dir(const struct dentry *dentry)
{
	return (d_flags(dentry) & DCACHE_ENTRY_TYPE) == DCACHE_DIRECTORY_TYPE;
}

static __always_inline bool
d_is_symlink(const struct dentry *dentry)
{
	return (d_flags(dentry) & DCACHE_ENTRY_TYPE) == DCACHE_SYMLINK_TYPE;
}

/* Whether something is mounted here. Context: inode lock held, to rely on a no. */
static __always_inline bool
d_mountpoint(const struct dentry *dentry)
{
	return d_flags(dentry) & DCACHE_MOUNTED;
}

static __always_inline bool
d_unhashed(const struct dentry *dentry)
{
	return hlist_bl_unhashed(&dentry->d_hash);
}

/* The inode, NULL if negative. Context: a reference held, or RCU. Pairs with its store. */
static __always_inline struct inode *
d_inode(const struct dentry *dentry)
{
	return rcu_dereference(dentry->d_inode);
}

/* Another reference for somebody who has one. Context: any. */
static __always_inline struct dentry *
dget(struct dentry *dentry)
{
	lockref_get(d_lockref(dentry));
	return dentry;
}

/* The same with d_lock held. */
static __always_inline void
dget_dlock(struct dentry *dentry)
{
	lockref_add_locked(d_lockref(dentry), 1);
}

/* A reference on the parent, which may change until it is taken. Context: any. */
struct dentry *dget_parent(struct dentry *dentry);

/* The rest of a dput() that left @left. Context: RCU, which it leaves. */
void dput_slow(struct dentry *dentry, int left);

/*
 * Drop a reference. The last one leaves the dentry cached or kills it, and its
 * parent's reference with it. NULL is nothing.
 * Context: task; no spinlock, not inside an RCU reader; may sleep.
 */
static __always_inline void
dput(struct dentry *dentry)
{
	int left;

	if (!dentry)
		return;
	rcu_read_lock();
	left = lockref_put_return(d_lockref(dentry));
	if (unlikely(left <= 0))
		dput_slow(dentry, left);
	else
		rcu_read_unlock();
}

/* --- making (dcache.c) --- */

/*
 * A negative, unhashed dentry with one reference, @name copied, and a reference
 * on @parent. Context: task or boot; never sleeps. Return: NULL without memory.
 */
struct dentry *d_alloc(struct dentry *parent, const struct qstr *name);

/*
 * The root of @sb, "/", leading to @inode whose reference it takes over.
 * Return: NULL without memory; the inode's reference is dropped then.
 */
struct dentry *d_make_root(struct super_block *sb, struct inode *inode);

/* Make negative @dentry lead to @inode; takes over its reference. Context: a reference held. */
void d_instantiate(struct dentry *dentry, struct inode *inode);

/* d_instantiate() unless @inode is NULL, and put @dentry into the hash. */
void d_add(struct dentry *dentry, struct inode *inode);

/* Put into the hash. Context: unhashed, a reference held; not while PAR_LOOKUP. */
void d_rehash(struct dentry *dentry);

/* Take out of the hash, so that nobody finds it any more. Context: a reference held. */
void d_drop(struct dentry *dentry);
void __d_drop(struct dentry *dentry); /* with d_lock held */

/*
 * The name was removed. With nobody else holding it @dentry becomes negative and
 * drops its inode; otherwise it is only unhashed and keeps leading there for them.
 * Context: task, a reference held, inode lock of the directory; may sleep.
 */
void d_delete(struct dentry *dentry);

/* --- finding (dcache_lookup.c; without a reference: dcache_rcu.h) --- */

/* With a reference taken under d_lock; may miss during a rename. Context: any. */
struct dentry *__d_lookup(const struct dentry *parent, const struct qstr *name);

/* The same, sure of a miss: repeats while renames go on. Return: NULL if not cached. */
struct dentry *d_lookup(const struct dentry *parent, const struct qstr *name);

/*
 * Find or make the dentry of a name the cache does not have: the one who made it
 * (DCACHE_PAR_LOOKUP set) asks the file system, others wait until it has.
 * Context: task, inode lock of @parent held at least shared; sleeps.
 * Return: with a reference, or ERR_PTR(-ENOMEM).
 */
struct dentry *d_alloc_parallel(struct dentry *parent, const struct qstr *name);

/* End PAR_LOOKUP and wake who waits; d_add() does it by itself. */
void d_lookup_done(struct dentry *dentry);

static __always_inline bool
d_in_lookup(const struct dentry *dentry)
{
	return d_flags(dentry) & DCACHE_PAR_LOOKUP;
}

/* --- moving (dcache_move.c) --- */

/*
 * Give @dentry the name and place of @target, which leaves the hash.
 * Context: task, inode locks of both directories and references on both dentries
 * held; takes rename_lock.
 */
void d_move(struct dentry *dentry, struct dentry *target);

/* Whether @dentry lies below @ancestor or is it. Context: rename_lock or RCU with its seq. */
bool is_subdir(const struct dentry *dentry, const struct dentry *ancestor);

/* --- shrinking (dcache_lru.c) --- */

/*
 * Kill up to @nr unused dentries of @sb, oldest first; those that were used since
 * the last time are passed over once. Context: task; may sleep. Return: killed.
 */
unsigned long prune_dcache_sb(struct super_block *sb, unsigned long nr);

/* Kill every unused dentry right below @parent. Context: task; may sleep. */
void shrink_dcache_parent(struct dentry *parent);

/* Unhash @dentry, and kill what is unused right below it. Context: task; may sleep. */
void d_invalidate(struct dentry *dentry);

/*
 * Kill all dentries of @sb and its root. BUG, with the path, if one is still
 * referenced. Context: task; sleeps; nobody else uses @sb.
 */
void shrink_dcache_for_umount(struct super_block *sb);

/*
 * The next one after @at in the tree below @root, parents first; NULL: that was the
 * last. Context: no other user, or reporting.
 */
struct dentry *next_in_tree(struct dentry *root, struct dentry *at);

/* A dentry below @root that somebody holds, or NULL. Context: no other user. */
struct dentry *find_used_dentry(struct dentry *root);

/* Put @dentry on its LRU / take it off / mark it as used. Context: d_lock held. */
void d_lru_add(struct dentry *dentry);
void d_lru_del(struct dentry *dentry);

/* --- for reports and messages (dcache.c) --- */

/*
 * Write the path of @dentry from its file system's root to the end of [@buf, @buf
 * + @size); too long ones lose their beginning. Context: RCU or no other user.
 * Return: where in @buf it starts.
 */
char *dentry_path(const struct dentry *dentry, char *buf, size_t size);

#endif
