/*
 * dentry_name.c - see dentry_name.h
 */
#include "vfs/dentry_name.h"

#include <string.h>

#include "machine/arena.h"

struct external_name {
	atomic_t count;		/* dentries that have it */
	u32 size;		/* bytes of @name; constant */
	struct rcu_head rcu;	/* frees it */
	char name[];		/* constant */
};

static size_t
inline_len(void)
{
	if (policy_value[POLICY_dentry_layout] == dentry_layout_shared_line)
		return DNAME_INLINE_LEN_6_1;
	return DNAME_INLINE_LEN;
}

static bool
is_external(const struct dentry *dentry)
{
	return dentry->d_name.name != dentry->d_shortname;
}

static struct external_name *
external_name(const struct dentry *dentry)
{
	return container_of((char(*)[])dentry->d_name.name, struct external_name, name);
}

static char *
alloc_external(u32 len)
{
	u32 size = ALIGN(len + 1, sizeof(u64));
	struct external_name *external;

	external = arena_alloc(sizeof(*external) + size, CACHE_LINE, numa_node_id());
	if (!external)
		return NULL;
	atomic_init(&external->count, 1);
	external->size = size;
	memset(external->name, 0, size);
	return external->name;
}

bool
dentry_name_set(struct dentry *dentry, const struct qstr *name)
{
	char *own = dentry->d_shortname;

	if (name->len >= inline_len()) {
		own = alloc_external(name->len);
		if (!own)
			return false;
	} else {
		memset(own, 0, inline_len());
	}
	memcpy(own, name->name, name->len);
	dentry->d_name.hash_len = name->hash_len;
	dentry->d_name.name = own;
	return true;
}

static void
free_external(struct rcu_head *rcu)
{
	struct external_name *external = container_of(rcu, struct external_name, rcu);

	arena_free(external, sizeof(*external) + external->size);
}

/* A dentry has it no more; readers may still look at it. */
static void
put_external(struct external_name *external)
{
	if (atomic_dec_and_test(&external->count))
		call_rcu(&external->rcu, free_external);
}

void
dentry_name_drop(struct dentry *dentry)
{
	if (is_external(dentry))
		put_external(external_name(dentry));
}

static void
copy_inline(struct dentry *dentry, const struct dentry *from)
{
	dentry_name_word *to = (dentry_name_word *)dentry->d_shortname;
	const dentry_name_word *words = (const dentry_name_word *)from->d_shortname;

	for (size_t i = 0; i < inline_len() / sizeof(*to); i++)
		WRITE_ONCE(to[i], words[i]);
}

void
dentry_name_copy(struct dentry *dentry, const struct dentry *from)
{
	struct external_name *old = is_external(dentry) ? external_name(dentry) : NULL;

	if (is_external(from)) {
		atomic_inc(&external_name(from)->count);
		rcu_assign_pointer(dentry->d_name.name, from->d_name.name);
	} else {
		copy_inline(dentry, from);
		rcu_assign_pointer(dentry->d_name.name, (const char *)dentry->d_shortname);
	}
	WRITE_ONCE(dentry->d_name.hash_len, from->d_name.hash_len);
	if (old)
		put_external(old);
}
