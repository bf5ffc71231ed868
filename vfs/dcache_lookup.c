/*
 * dcache_lookup.c - finding names in the dentry cache; see dcache.h
 *
 * Mirrors d_lookup() and d_alloc_parallel() of fs/dcache.c.
 *
 * Two tasks that miss the same name at once must not make two dentries of it:
 *
 *   T1 d_alloc_parallel                     T2 d_alloc_parallel
 *   lock the name's in-lookup chain
 *   not in the hash, not on the chain
 *   put its new dentry there, unlock
 *   asks the file system                    lock: not in the hash, but on the chain
 *   d_add: into the hash,                   waits for PAR_LOOKUP to end
 *   then off the chain, wake                takes it if it is hashed now, else again
 */
#include <errno.h>

#include "machine/err.h"
#include "vfs/dentry_name.h"
#include "vfs/events.h"
#include "vfs/vfs.h"

/* Whether @dentry is @name in @parent, for sure. Context: d_lock held. */
static bool
is_it(const struct dentry *dentry, const struct dentry *parent, const struct qstr *name)
{
	return dentry->d_parent == parent && !d_unhashed(dentry) &&
	       READ_ONCE(dentry->d_name.hash_len) == name->hash_len &&
	       dentry_name_equal(dentry, name);
}

struct dentry *
__d_lookup(const struct dentry *parent, const struct qstr *name)
{
	const struct hlist_bl_head *chain = d_chain(name->hash);
	struct hlist_bl_node *node;
	struct dentry *found = NULL;
	struct dentry *dentry;

	rcu_read_lock();
	hlist_bl_for_each_entry_rcu (dentry, node, chain, d_hash) {
		if (READ_ONCE(dentry->d_name.hash_len) != name->hash_len)
			continue;
		d_lock(dentry);
		if (is_it(dentry, parent, name)) {
			dget_dlock(dentry);
			found = dentry;
		}
		d_unlock(dentry);
		if (found)
			break;
	}
	rcu_read_unlock();
	return found;
}

struct dentry *
d_lookup(const struct dentry *parent, const struct qstr *name)
{
	struct dentry *dentry;
	unsigned int seq;

	do {
		seq = read_seqbegin(&kernel.vfs->rename_lock);
		dentry = __d_lookup(parent, name);
		if (dentry)
			break;
	} while (read_seqretry(&kernel.vfs->rename_lock, seq));
	return dentry;
}

static struct hlist_bl_head *
in_lookup_chain(u32 hash)
{
	return &kernel.vfs->dcache.in_lookup[hash >> (32 - IN_LOOKUP_BITS)];
}

static struct wait_queue_head *
in_lookup_wait(u32 hash)
{
	return &kernel.vfs->dcache.in_lookup_wait[hash >> (32 - IN_LOOKUP_WAIT_BITS)];
}

/* The dentry that somebody asks the file system about, with a reference. Context: chain locked. */
static struct dentry *
find_in_lookup(const struct hlist_bl_head *chain, const struct dentry *parent,
	       const struct qstr *name)
{
	struct hlist_bl_node *node;
	struct dentry *dentry;

	/* Nothing on the chain changes its name or parent. */
	hlist_bl_for_each_entry_rcu (dentry, node, chain, d_u.d_in_lookup_hash) {
		if (dentry->d_parent == parent && dentry->d_name.hash_len == name->hash_len &&
		    dentry_name_equal(dentry, name))
			return dget(dentry);
	}
	return NULL;
}

/*
 * Find @name, or announce @new for it. Return: what was found with a reference,
 * or NULL: @new is in lookup. Takes the chain's lock.
 */
static struct dentry *
find_or_announce(struct dentry *parent, const struct qstr *name, struct dentry *new)
{
	struct hlist_bl_head *chain = in_lookup_chain(name->hash);
	struct dentry *found;

	hlist_bl_lock(chain);
	found = d_lookup(parent, name);
	if (!found)
		found = find_in_lookup(chain, parent, name);
	if (!found) {
		WRITE_ONCE(new->d_flags, new->d_flags | DCACHE_PAR_LOOKUP);
		hlist_bl_add_head_rcu(&new->d_u.d_in_lookup_hash, chain);
	}
	hlist_bl_unlock(chain);
	return found;
}

struct dentry *
d_alloc_parallel(struct dentry *parent, const struct qstr *name)
{
	struct dentry *new = d_alloc(parent, name);
	struct dentry *found;

	if (!new)
		return ERR_PTR(-ENOMEM);
	while ((found = find_or_announce(parent, name, new))) {
		wait_event(in_lookup_wait(name->hash), !d_in_lookup(found));
		if (!d_unhashed(found))
			break;
		dput(found); /* it came to nothing, or went at once */
	}
	if (!found)
		return new;
	dput(new);
	return found;
}

void
d_lookup_done(struct dentry *dentry)
{
	u32 hash = dentry->d_name.hash;
	struct hlist_bl_head *chain = in_lookup_chain(hash);

	hlist_bl_lock(chain);
	hlist_bl_del_rcu(&dentry->d_u.d_in_lookup_hash, chain);
	hlist_bl_unlock(chain);
	d_lock(dentry);
	WRITE_ONCE(dentry->d_flags, dentry->d_flags & ~DCACHE_PAR_LOOKUP);
	d_unlock(dentry);
	wake_up_all(in_lookup_wait(hash));
}
