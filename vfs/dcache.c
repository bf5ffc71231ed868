/*
 * dcache.c - dentries: made, given inodes, dropped; see dcache.h
 *
 * Mirrors fs/dcache.c. The steady state of a reference on a hot dentry is one
 * cmpxchg to take it and one to drop it; the first time that the count reaches 0
 * the dentry goes onto its LRU, the second time it is marked as used, and after
 * that nothing but the count is written.
 */
#include "vfs/dcache.h"

#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/slab.h"
#include "vfs/dentry_name.h"
#include "vfs/inode.h"
#include "vfs/vfs.h"

static struct hlist_bl_head *
alloc_chains(unsigned int bits)
{
	struct hlist_bl_head *chains = arena_alloc(sizeof(*chains) << bits, CACHE_LINE, 0);

	if (chains)
		memset(chains, 0, sizeof(*chains) << bits);
	return chains;
}

int
dcache_boot(void)
{
	struct dcache *dcache = &kernel.vfs->dcache;
	size_t waits = sizeof(struct wait_queue_head) << IN_LOOKUP_WAIT_BITS;

	seqlock_init(&kernel.vfs->rename_lock);
	dcache->hash = alloc_chains(DCACHE_HASH_BITS);
	dcache->in_lookup = alloc_chains(IN_LOOKUP_BITS);
	dcache->in_lookup_wait = arena_alloc(waits, CACHE_LINE, 0);
	dcache->dentry_cache = kmem_cache_create("dentry", sizeof(struct dentry), 0, NULL);
	if (!dcache->hash || !dcache->in_lookup || !dcache->in_lookup_wait ||
	    !dcache->dentry_cache)
		return -ENOMEM;
	for (int i = 0; i < 1 << IN_LOOKUP_WAIT_BITS; i++)
		init_waitqueue_head(&dcache->in_lookup_wait[i]);
	return 0;
}

static void
free_table(void *table, size_t size)
{
	if (table)
		arena_free(table, size);
}

void
dcache_shutdown(void)
{
	struct dcache *dcache = &kernel.vfs->dcache;

	kmem_cache_destroy(dcache->dentry_cache);
	free_table(dcache->hash, sizeof(*dcache->hash) << DCACHE_HASH_BITS);
	free_table(dcache->in_lookup, sizeof(*dcache->in_lookup) << IN_LOOKUP_BITS);
	free_table(dcache->in_lookup_wait,
		   sizeof(*dcache->in_lookup_wait) << IN_LOOKUP_WAIT_BITS);
}

/* --- making and freeing --------------------------------------------------- */

/* A dentry that is its own parent. Return: NULL without memory. */
static struct dentry *
alloc_dentry(struct super_block *sb, const struct qstr *name)
{
	struct dentry *dentry = kmem_cache_alloc(kernel.vfs->dcache.dentry_cache);

	if (!dentry)
		return NULL;
	if (!dentry_name_set(dentry, name)) {
		kmem_cache_free(kernel.vfs->dcache.dentry_cache, dentry);
		return NULL;
	}
	dentry->d_flags = sb->s_d_op && sb->s_d_op->d_delete ? DCACHE_OP_DELETE : 0;
	seqcount_init(&dentry->d_seq);
	dentry->d_hash.next = NULL;
	dentry->d_hash.pprev = NULL;
	dentry->d_parent = dentry;
	dentry->d_inode = NULL;
	dentry->d_op = sb->s_d_op;
	dentry->d_sb = sb;
	dentry->d_fsdata = 0;
	lockref_init(d_lockref(dentry), 1);
	dentry->d_sib.pprev = NULL;
	dentry->d_children.first = NULL;
	return dentry;
}

struct dentry *
d_alloc(struct dentry *parent, const struct qstr *name)
{
	struct dentry *dentry = alloc_dentry(parent->d_sb, name);

	if (!dentry)
		return NULL;
	d_lock(parent);
	dget_dlock(parent);
	dentry->d_parent = parent;
	hlist_add_head(&dentry->d_sib, &parent->d_children);
	d_unlock(parent);
	return dentry;
}

struct dentry *
d_make_root(struct super_block *sb, struct inode *inode)
{
	const struct qstr name = { .len = 1, .name = "/\0\0\0\0\0\0\0" };
	struct dentry *root = alloc_dentry(sb, &name);

	if (root)
		d_instantiate(root, inode);
	else
		discard_new_inode(inode);
	return root;
}

static void
free_dentry(struct rcu_head *head)
{
	kmem_cache_free(kernel.vfs->dcache.dentry_cache,
			container_of(head, struct dentry, d_u.d_rcu));
}

/* --- inodes and the hash -------------------------------------------------- */

static unsigned int
type_flags(const struct inode *inode)
{
	mode_t mode = READ_ONCE(inode->i_mode);

	if (S_ISDIR(mode))
		return DCACHE_DIRECTORY_TYPE;
	if (S_ISLNK(mode))
		return DCACHE_SYMLINK_TYPE;
	return DCACHE_REGULAR_TYPE;
}

/* Context: d_lock held. */
static void
set_inode(struct dentry *dentry, struct inode *inode)
{
	unsigned int flags = dentry->d_flags & ~DCACHE_ENTRY_TYPE;

	write_seqcount_begin(&dentry->d_seq);
	/* Pairs with d_inode(): who finds it finds it initialised. */
	rcu_assign_pointer(dentry->d_inode, inode);
	WRITE_ONCE(dentry->d_flags, inode ? flags | type_flags(inode) : flags);
	write_seqcount_end(&dentry->d_seq);
}

void
d_instantiate(struct dentry *dentry, struct inode *inode)
{
	BUG_ON(dentry->d_inode, "dentry has an inode already");
	WRITE_ONCE(inode->i_dentry, dentry);
	d_lock(dentry);
	set_inode(dentry, inode);
	d_unlock(dentry);
}

/* Context: d_lock held. */
static void
rehash(struct dentry *dentry)
{
	struct hlist_bl_head *chain = d_chain(dentry->d_name.hash);

	BUG_ON(!d_unhashed(dentry), "dentry is hashed already");
	hlist_bl_lock(chain);
	hlist_bl_add_head_rcu(&dentry->d_hash, chain);
	hlist_bl_unlock(chain);
}

void
d_rehash(struct dentry *dentry)
{
	d_lock(dentry);
	rehash(dentry);
	d_unlock(dentry);
}

void
d_add(struct dentry *dentry, struct inode *inode)
{
	if (inode)
		WRITE_ONCE(inode->i_dentry, dentry);
	d_lock(dentry);
	if (inode)
		set_inode(dentry, inode);
	rehash(dentry);
	d_unlock(dentry);
	/* After the hash has it: d_alloc_parallel() looks there first. */
	if (d_in_lookup(dentry))
		d_lookup_done(dentry);
}

void
__d_drop(struct dentry *dentry)
{
	struct hlist_bl_head *chain = d_chain(dentry->d_name.hash);

	if (d_unhashed(dentry))
		return;
	hlist_bl_lock(chain);
	hlist_bl_del_rcu(&dentry->d_hash, chain);
	hlist_bl_unlock(chain);
	write_seqcount_invalidate(&dentry->d_seq);
}

void
d_drop(struct dentry *dentry)
{
	d_lock(dentry);
	__d_drop(dentry);
	d_unlock(dentry);
}

/* Make negative. Context: d_lock held. Return: the inode, whose reference is the caller's now. */
static struct inode *
take_inode(struct dentry *dentry)
{
	struct inode *inode = dentry->d_inode;

	if (inode) {
		set_inode(dentry, NULL);
		/* A cached inode may have its next dentry already. */
		if (READ_ONCE(inode->i_dentry) == dentry)
			WRITE_ONCE(inode->i_dentry, NULL);
	}
	return inode;
}

void
d_delete(struct dentry *dentry)
{
	struct inode *inode = NULL;

	d_lock(dentry);
	if (d_count(dentry) == 1)
		inode = take_inode(dentry);
	else
		__d_drop(dentry);
	d_unlock(dentry);
	if (inode)
		iput(inode);
}

/* --- references ----------------------------------------------------------- */

/*
 * Should a dentry whose last reference is gone stay cached? What that needs to
 * write, it writes if @locked (d_lock held, count 0); else it says no.
 * Context: RCU, or d_lock held.
 */
static __always_inline bool
retain_dentry(struct dentry *dentry, bool locked)
{
	unsigned int flags;

	/* The flags were read after the count went down: pairs with whoever unhashes. */
	smp_rmb();
	flags = d_flags(dentry);
	if (unlikely(d_unhashed(dentry)) || unlikely(flags & DCACHE_DONTCACHE))
		return false;
	if (unlikely(flags & DCACHE_OP_DELETE))
		if (!locked || dentry->d_op->d_delete(dentry))
			return false;
	if (unlikely(!(flags & DCACHE_LRU_LIST))) {
		if (!locked)
			return false;
		d_lru_add(dentry);
	} else if (unlikely(!(flags & DCACHE_REFERENCED))) {
		if (!locked)
			return false;
		WRITE_ONCE(dentry->d_flags, flags | DCACHE_REFERENCED);
	}
	return true;
}

/* The name leaves its parent's list. Context: dead, no lock held. */
static void
leave_parent(struct dentry *dentry)
{
	struct dentry *parent = dentry->d_parent;

	if (parent == dentry)
		return;
	d_lock(parent);
	hlist_del_init(&dentry->d_sib);
	d_unlock(parent);
}

struct dentry *
dentry_kill(struct dentry *dentry)
{
	struct dentry *parent = dentry->d_parent;
	struct inode *inode;

	lockref_mark_dead(d_lockref(dentry));
	if (dentry->d_flags & DCACHE_LRU_LIST)
		d_lru_del(dentry);
	__d_drop(dentry);
	inode = take_inode(dentry);
	d_unlock(dentry);
	leave_parent(dentry);
	if (inode)
		iput(inode);
	dentry_name_drop(dentry);
	call_rcu(&dentry->d_u.d_rcu, free_dentry);
	return parent == dentry ? NULL : parent;
}

/*
 * The lock was in the way, or the last reference went (@left 0) and something is
 * to be written. Context: RCU. Return: true if @dentry is to be killed: its lock is
 * held and its count is 0; false: done.
 */
static bool
dput_locked(struct dentry *dentry, int left)
{
	d_lock(dentry);
	if (left < 0)
		lockref_add_locked(d_lockref(dentry), -1);
	/* Somebody may have taken a reference meanwhile, or have killed it. */
	if (d_count(dentry) == 0 && !retain_dentry(dentry, true))
		return true;
	d_unlock(dentry);
	return false;
}

void
dput_slow(struct dentry *dentry, int left)
{
	/* A dentry that dies drops the reference on its parent, and so on up. */
	while (left <= 0) {
		bool dying;

		if (left == 0 && retain_dentry(dentry, false))
			break;
		dying = dput_locked(dentry, left);
		rcu_read_unlock();
		if (dying)
			dentry = dentry_kill(dentry);
		if (!dying || !dentry)
			return;
		rcu_read_lock();
		left = lockref_put_return(d_lockref(dentry));
	}
	rcu_read_unlock();
}

struct dentry *
dget_parent(struct dentry *dentry)
{
	struct dentry *parent;

	rcu_read_lock();
	for (;;) {
		parent = rcu_dereference(dentry->d_parent);
		if (!lockref_get_not_dead(d_lockref(parent)))
			continue;
		if (likely(parent == rcu_dereference(dentry->d_parent)))
			break;
		rcu_read_unlock();
		dput(parent);
		rcu_read_lock();
	}
	rcu_read_unlock();
	return parent;
}

/* --- for reports ---------------------------------------------------------- */

/* Put @bytes of @text in front of @at, as far as they fit. Return: where they start. */
static char *
prepend(char *buf, char *at, const char *text, size_t bytes)
{
	size_t fits = min(bytes, (size_t)(at - buf));

	return memcpy(at - fits, text + bytes - fits, fits);
}

char *
dentry_path(const struct dentry *dentry, char *buf, size_t size)
{
	char *at = buf + size - 1;

	*at = '\0';
	if (dentry->d_parent == dentry)
		return prepend(buf, at, "/", 1);
	while (dentry->d_parent != dentry) {
		at = prepend(buf, at, dentry->d_name.name, dentry->d_name.len);
		at = prepend(buf, at, "/", 1);
		dentry = dentry->d_parent;
	}
	return at;
}
