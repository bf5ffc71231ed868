/*
 * directory.c - see directory.h
 */
#include "vfs/directory.h"

#include <errno.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/rcu.h"

static size_t
entry_size(u32 len)
{
	return sizeof(struct directory_entry) + 1 + len + 1;
}

struct directory *
directory_create(void)
{
	struct directory *directory = arena_alloc(sizeof(*directory), CACHE_LINE, 0);

	if (directory)
		memset(directory, 0, sizeof(*directory));
	return directory;
}

const char *
directory_find_open(const struct directory *directory)
{
	for (int i = 0; i < DIRECTORY_CHAINS; i++) {
		const struct directory_entry *entry = directory->chains[i];

		for (; entry; entry = entry->next)
			if (atomic_read(&entry->inode->i_count) > 1)
				return entry->path;
	}
	return NULL;
}

static void
entry_destroy(struct directory_entry *entry)
{
	struct inode *inode = entry->inode;

	BUG_ON(atomic_read(&inode->i_count) != 1, "%d references on the inode of %s leaked",
	       atomic_read(&inode->i_count) - 1, entry->path);
	inode->i_nlink--;
	inode->i_data.name = NULL;
	iput(inode);
	arena_free(entry, entry_size(entry->len));
}

void
directory_destroy(struct directory *directory)
{
	for (int i = 0; i < DIRECTORY_CHAINS; i++) {
		struct directory_entry *entry = directory->chains[i];

		while (entry) {
			struct directory_entry *next = entry->next;

			entry_destroy(entry);
			entry = next;
		}
	}
	arena_free(directory, sizeof(*directory));
}

/* FNV-1a (Fowler, Noll, Vo): good enough for file names, and short. */
struct qstr
name_hash(const char *name, size_t len)
{
	u32 hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (u8)name[i]) * 16777619u;
	return (struct qstr){ .name = name, .len = len, .hash = hash };
}

static bool
entry_matches(const struct directory_entry *entry, const struct qstr *name)
{
	const char *own = entry->path + 1;

	if (entry->hash != name->hash || entry->len != name->len)
		return false;
	for (u32 i = 0; i < name->len; i++)
		if (own[i] != name->name[i])
			return false;
	return true;
}

struct inode *
directory_lookup(struct inode *dir, const struct qstr *name)
{
	struct directory *directory = dir->i_directory;
	struct directory_entry *entry;
	struct inode *inode = NULL;

	rcu_read_lock();
	entry = rcu_dereference(directory->chains[name->hash % DIRECTORY_CHAINS]);
	while (entry && !entry_matches(entry, name))
		entry = entry->next;
	if (entry) {
		inode = entry->inode;
		ihold(inode); /* the entry's reference keeps it from being freed */
	}
	rcu_read_unlock();
	return inode;
}

int
directory_add(struct inode *dir, const struct qstr *name, struct inode *inode)
{
	struct directory_entry **chain = &dir->i_directory->chains[name->hash % DIRECTORY_CHAINS];
	struct directory_entry *entry;

	entry = arena_alloc(entry_size(name->len), CACHE_LINE, cpu_to_node(smp_processor_id()));
	if (!entry)
		return -ENOMEM;
	entry->next = *chain;
	entry->inode = inode;
	entry->hash = name->hash;
	entry->len = name->len;
	entry->path[0] = '/';
	memcpy(entry->path + 1, name->name, name->len);
	entry->path[1 + name->len] = '\0';
	ihold(inode);
	inode->i_nlink++;
	inode->i_data.name = entry->path;
	/* Pairs with the rcu_dereference() in directory_lookup(). */
	rcu_assign_pointer(*chain, entry);
	return 0;
}
