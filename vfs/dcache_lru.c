/*
 * dcache_lru.c - dentries that nobody uses, and getting rid of them
 *
 * Mirrors fs/dcache.c's half of the list_lru. A dentry gets onto the list of its
 * memory's node when its count first reaches 0, and stays there when it is used
 * again: the shrinker, coming by, takes off what is in use, gives what was used
 * since its last visit a second chance, and kills the rest.
 *
 * Locks: d_lock > LRU lock. The shrinker comes from the list, so it only tries
 * d_lock and passes a dentry over whose lock is held.
 *
 * Differences from Linux: the shrinker takes one dentry at a time and holds its
 * lock from the list to the kill, so there is no private list of the doomed.
 */
#include "machine/arena.h"
#include "vfs/dentry_name.h"
#include "vfs/super.h"

static struct dentry_lru *
lru_of(struct dentry *dentry)
{
	return &dentry->d_sb->s_dentry_lru[arena_node(dentry)];
}

void
d_lru_add(struct dentry *dentry)
{
	struct dentry_lru *lru = lru_of(dentry);

	WRITE_ONCE(dentry->d_flags, dentry->d_flags | DCACHE_LRU_LIST);
	spin_lock(&lru->lock);
	list_add_tail(&dentry->d_lru, &lru->list);
	WRITE_ONCE(lru->nr, lru->nr + 1);
	spin_unlock(&lru->lock);
}

/* Context: d_lock and the LRU lock held. */
static void
lru_unlink(struct dentry_lru *lru, struct dentry *dentry)
{
	WRITE_ONCE(dentry->d_flags, dentry->d_flags & ~DCACHE_LRU_LIST);
	list_del(&dentry->d_lru);
	WRITE_ONCE(lru->nr, lru->nr - 1);
}

void
d_lru_del(struct dentry *dentry)
{
	struct dentry_lru *lru = lru_of(dentry);

	spin_lock(&lru->lock);
	lru_unlink(lru, dentry);
	spin_unlock(&lru->lock);
}

/*
 * Look at the oldest dentry of @lru. Return: it, to be killed, with its lock held
 * (RCU keeps it until then); or NULL.
 */
static struct dentry *
isolate_oldest(struct dentry_lru *lru)
{
	struct dentry *victim = NULL;
	struct dentry *dentry;

	spin_lock(&lru->lock);
	if (list_empty(&lru->list)) {
		spin_unlock(&lru->lock);
		return NULL;
	}
	dentry = list_first_entry(&lru->list, struct dentry, d_lru);
	if (!spin_trylock(&d_lockref(dentry)->lock)) {
		list_del(&dentry->d_lru);
		list_add_tail(&dentry->d_lru, &lru->list);
		spin_unlock(&lru->lock);
		return NULL;
	}
	if (d_count(dentry)) {
		lru_unlink(lru, dentry);
	} else if (dentry->d_flags & DCACHE_REFERENCED) {
		WRITE_ONCE(dentry->d_flags, dentry->d_flags & ~DCACHE_REFERENCED);
		list_del(&dentry->d_lru);
		list_add_tail(&dentry->d_lru, &lru->list);
	} else {
		victim = dentry;
	}
	spin_unlock(&lru->lock);
	if (!victim)
		d_unlock(dentry);
	return victim;
}

static unsigned long
prune_lru(struct dentry_lru *lru, unsigned long nr)
{
	/* Everybody twice: the second visit kills whom the first one gave a chance. */
	s64 visits = 2 * READ_ONCE(lru->nr);
	unsigned long killed = 0;

	while (killed < nr && visits-- > 0) {
		struct dentry *victim;
		struct dentry *parent;

		rcu_read_lock();
		victim = isolate_oldest(lru);
		rcu_read_unlock();
		if (!victim)
			continue;
		parent = dentry_kill(victim);
		killed++;
		dput(parent);
	}
	return killed;
}

unsigned long
prune_dcache_sb(struct super_block *sb, unsigned long nr)
{
	unsigned long killed = 0;
	int node;

	for_each_node (node)
		killed += prune_lru(&sb->s_dentry_lru[node], nr - killed);
	return killed;
}

/* An unused child of @parent without children, with a reference; or NULL. */
static struct dentry *
get_unused_child(struct dentry *parent)
{
	struct dentry *child;

	d_lock(parent);
	hlist_for_each_entry (child, &parent->d_children, d_sib)
		if (!d_count(child) && lockref_get_not_dead(d_lockref(child)))
			break;
	d_unlock(parent);
	return child;
}

void
shrink_dcache_parent(struct dentry *parent)
{
	struct dentry *child;

	while ((child = get_unused_child(parent))) {
		d_drop(child);
		dput(child);
	}
}

void
d_invalidate(struct dentry *dentry)
{
	d_drop(dentry);
	shrink_dcache_parent(dentry);
}

struct dentry *
next_in_tree(struct dentry *root, struct dentry *at)
{
	if (!hlist_empty(&at->d_children))
		return hlist_entry(at->d_children.first, struct dentry, d_sib);
	while (at != root && !at->d_sib.next)
		at = at->d_parent;
	return at == root ? NULL : hlist_entry(at->d_sib.next, struct dentry, d_sib);
}

/* References that the tree itself has on @dentry: its children's, and the pin. */
static int
own_references(struct dentry *dentry)
{
	int count = dentry->d_sb->s_type->litter && !d_is_negative(dentry);
	struct dentry *child;

	hlist_for_each_entry (child, &dentry->d_children, d_sib)
		count++;
	return count;
}

struct dentry *
find_used_dentry(struct dentry *root)
{
	struct dentry *at = next_in_tree(root, root);

	while (at && d_count(at) <= own_references(at))
		at = next_in_tree(root, at);
	return at;
}

/* Kill leaf @dentry. BUG if more than @expected references are left on it. */
static void
kill_leaf(struct dentry *dentry, int expected)
{
	char path[128];

	BUG_ON(d_count(dentry) != expected, "%d references on %s leaked",
	       d_count(dentry) - expected, dentry_path(dentry, path, sizeof(path)));
	d_lock(dentry);
	lockref_add_locked(d_lockref(dentry), -expected);
	dput(dentry_kill(dentry));
}

void
shrink_dcache_for_umount(struct super_block *sb)
{
	struct dentry *root = sb->s_root;
	struct dentry *at;

	/* The kill of a leaf may take its parents along, so each begins at the root. */
	while (!hlist_empty(&root->d_children)) {
		at = root;
		while (!hlist_empty(&at->d_children))
			at = hlist_entry(at->d_children.first, struct dentry, d_sib);
		kill_leaf(at, sb->s_type->litter && !d_is_negative(at));
	}
	sb->s_root = NULL;
	kill_leaf(root, 1);
}
