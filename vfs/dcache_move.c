/*
 * dcache_move.c - renaming in the dentry cache; see dcache.h
 *
 * Mirrors __d_move() of fs/dcache.c. Whoever looks names up meanwhile either
 * finds d_seq changed, or missed the dentry in its old chain and looks again
 * because rename_lock's count changed.
 *
 * Locks: rename_lock > d_lock of both parents (the ancestor first, else in the
 * order of their inode numbers) > d_lock of both dentries. Renames are the only
 * ones that hold several d_locks on one level, and rename_lock lets one in.
 */
#include "vfs/dentry_name.h"
#include "vfs/inode.h"
#include "vfs/vfs.h"

bool
is_subdir(const struct dentry *dentry, const struct dentry *ancestor)
{
	while (dentry != ancestor) {
		const struct dentry *parent = rcu_dereference(dentry->d_parent);

		if (parent == dentry)
			return false;
		dentry = parent;
	}
	return true;
}

/* Context: rename_lock held. */
static void
lock_parents(struct dentry *a, struct dentry *b)
{
	if (a == b) {
		d_lock(a);
	} else if (is_subdir(b, a) || (!is_subdir(a, b) && d_inode(a)->i_ino < d_inode(b)->i_ino)) {
		d_lock(a);
		d_lock(b);
	} else {
		d_lock(b);
		d_lock(a);
	}
}

static void
unlock_parents(struct dentry *a, struct dentry *b)
{
	d_unlock(a);
	if (a != b)
		d_unlock(b);
}

/* Hang @dentry below @parent, whose reference it has. Context: both parents locked. */
static void
set_parent(struct dentry *dentry, struct dentry *parent)
{
	hlist_del_init(&dentry->d_sib);
	rcu_assign_pointer(dentry->d_parent, parent);
	hlist_add_head(&dentry->d_sib, &parent->d_children);
}

static void
unhash(struct dentry *dentry)
{
	struct hlist_bl_head *chain = d_chain(dentry->d_name.hash);

	hlist_bl_lock(chain);
	hlist_bl_del_rcu(&dentry->d_hash, chain);
	hlist_bl_unlock(chain);
}

static void
hash(struct dentry *dentry)
{
	struct hlist_bl_head *chain = d_chain(dentry->d_name.hash);

	hlist_bl_lock(chain);
	hlist_bl_add_head_rcu(&dentry->d_hash, chain);
	hlist_bl_unlock(chain);
}

void
d_move(struct dentry *dentry, struct dentry *target)
{
	struct dentry *old_parent = dentry->d_parent;
	struct dentry *new_parent = target->d_parent;
	bool target_hashed;

	BUG_ON(d_unhashed(dentry), "rename of an unhashed dentry");
	write_seqlock(&kernel.vfs->rename_lock);
	lock_parents(old_parent, new_parent);
	d_lock(dentry);
	d_lock(target);
	write_seqcount_begin(&dentry->d_seq);
	write_seqcount_begin(&target->d_seq);
	unhash(dentry);
	target_hashed = !d_unhashed(target);
	if (target_hashed)
		unhash(target);
	dentry_name_copy(dentry, target);
	/* They swap parents, and with them their references; the target goes soon. */
	if (old_parent != new_parent) {
		set_parent(dentry, new_parent);
		set_parent(target, old_parent);
	}
	hash(dentry);
	write_seqcount_end(&target->d_seq);
	write_seqcount_end(&dentry->d_seq);
	d_unlock(target);
	d_unlock(dentry);
	unlock_parents(old_parent, new_parent);
	write_sequnlock(&kernel.vfs->rename_lock);
}
