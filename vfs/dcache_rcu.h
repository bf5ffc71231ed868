/*
 * dcache_rcu.h - finding a name in the dentry cache without writing anything
 *
 * Mirrors __d_lookup_rcu() of fs/dcache.c. Every component of every walk comes by
 * here, and reads line 0 of each dentry in the name's chain. Private to the walk.
 */
#ifndef VFS_DCACHE_RCU_H
#define VFS_DCACHE_RCU_H

#include "vfs/dentry_name.h"

/*
 * Find @name in @parent.
 * Context: RCU. Return: a hashed dentry and its d_seq in *@seqp, to be checked
 * after whatever is read from it; NULL says nothing (rename may have hidden it).
 */
static __always_inline struct dentry *
__d_lookup_rcu(const struct dentry *parent, const struct qstr *name, unsigned int *seqp)
{
	const struct hlist_bl_head *chain = d_chain(name->hash);
	struct hlist_bl_node *node;
	struct dentry *dentry;

	hlist_bl_for_each_entry_rcu (dentry, node, chain, d_hash) {
		unsigned int seq = raw_seqcount_begin(&dentry->d_seq);

		if (rcu_dereference(dentry->d_parent) != parent || d_unhashed(dentry) ||
		    READ_ONCE(dentry->d_name.hash_len) != name->hash_len)
			continue;
		if (unlikely(!dentry_name_equal(dentry, name)))
			continue;
		*seqp = seq;
		return dentry;
	}
	return NULL;
}

#endif
