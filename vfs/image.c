/*
 * image.c - see image.h
 */
#include "vfs/image.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "machine/arena.h"
#include "machine/task.h"
#include "pagecache/page.h"

#define CHAIN_BITS 12

static void *
alloc_zeroed(size_t size)
{
	void *object = arena_alloc(size, CACHE_LINE, numa_node_id());

	return object ? memset(object, 0, size) : NULL;
}

/* The first entry of @xa at *@index or later, or NULL. Context: nobody changes @xa. */
static void *
next_entry(struct xarray *xa, unsigned long *index)
{
	XA_STATE(xas, xa, *index);
	void *entry;

	rcu_read_lock();
	entry = xas_find(&xas, ~0ul);
	rcu_read_unlock();
	if (entry)
		*index = xas.xa_index;
	return entry;
}

/* --- inodes --------------------------------------------------------------- */

struct image_inode *
image_new_inode(struct image *image, mode_t mode)
{
	struct image_inode *inode = alloc_zeroed(sizeof(*inode));

	if (!inode)
		return NULL;
	spin_lock(&image->lock);
	inode->ino = image->next_ino++;
	spin_unlock(&image->lock);
	inode->mode = mode;
	inode->nlink = S_ISDIR(mode) ? 2 : 1;
	inode->atime = inode->mtime = inode->ctime = current_time();
	xa_init(&inode->blocks);
	if (!xa_store(&image->inodes, inode->ino, 0, inode))
		return inode;
	arena_free(inode, sizeof(*inode));
	return NULL;
}

struct image_inode *
image_find_inode(struct image *image, u64 ino)
{
	return xa_load(&image->inodes, ino);
}

static size_t
name_bytes(u32 len)
{
	return ALIGN(len + 1, sizeof(u64));
}

static void
free_name(struct image_name *name)
{
	arena_free(name, sizeof(*name) + name_bytes(name->len));
}

static void
free_names(struct image_inode *dir)
{
	unsigned long at = 0;
	struct image_name *name;

	while ((name = next_entry(&dir->blocks, &at))) {
		xa_erase(&dir->blocks, at);
		while (name) {
			struct image_name *next = name->next;

			free_name(name);
			name = next;
		}
	}
}

void
image_free_inode(struct image *image, struct image_inode *inode)
{
	xa_erase(&image->inodes, inode->ino);
	if (S_ISDIR(inode->mode))
		free_names(inode);
	else
		image_truncate(inode, 0);
	if (inode->link)
		arena_free(inode->link, (size_t)inode->size + 1);
	arena_free(inode, sizeof(*inode));
}

int
image_set_link(struct image_inode *inode, const char *text, size_t len)
{
	inode->link = alloc_zeroed(len + 1);
	if (!inode->link)
		return -ENOMEM;
	memcpy(inode->link, text, len);
	inode->size = (loff_t)len;
	return 0;
}

/* --- names ---------------------------------------------------------------- */

/* Of the name alone: a name in a dentry has a hash of its directory, too. */
static u32
hash_name(const struct qstr *name)
{
	const dentry_name_word *words = (const dentry_name_word *)name->name;
	u64 hash = 0;

	for (u32 i = 0; i < DIV_ROUND_UP(name->len, sizeof(u64)); i++)
		hash = name_hash_mix(hash, words[i]);
	return name_hash_end(hash, 0) >> (32 - CHAIN_BITS);
}

static bool
is_called(const struct image_name *entry, const struct qstr *name)
{
	const dentry_name_word *words = (const dentry_name_word *)name->name;

	if (entry->len != name->len)
		return false;
	for (u32 i = 0; i < DIV_ROUND_UP(name->len, sizeof(u64)); i++)
		if (entry->name[i] != words[i])
			return false;
	return true;
}

struct image_name *
image_find_name(struct image_inode *dir, const struct qstr *name)
{
	struct image_name *entry = xa_load(&dir->blocks, hash_name(name));

	while (entry && !is_called(entry, name))
		entry = entry->next;
	return entry;
}

/* Put @entry at the end of its chain. Return: 0 or -ENOMEM. */
static int
append_name(struct image_inode *dir, u32 hash, struct image_name *entry)
{
	struct image_name *last = xa_load(&dir->blocks, hash);

	if (!last)
		return xa_store(&dir->blocks, hash, 0, entry);
	while (last->next)
		last = last->next;
	last->next = entry;
	return 0;
}

int
image_add_name(struct image_inode *dir, const struct qstr *name, const struct image_inode *inode)
{
	struct image_name *entry = alloc_zeroed(sizeof(*entry) + name_bytes(name->len));
	int error;

	if (!entry)
		return -ENOMEM;
	entry->ino = inode->ino;
	entry->order = dir->next_order;
	entry->len = name->len;
	entry->type = inode->mode >> 12;
	memcpy(entry->name, name->name, name->len);
	error = append_name(dir, hash_name(name), entry);
	if (error) {
		free_name(entry);
		return error;
	}
	dir->next_order++;
	dir->nr_names++;
	return 0;
}

/* Take @entry off the chain of @hash. */
static void
unlink_name(struct image_inode *dir, u32 hash, struct image_name *entry)
{
	struct image_name *at = xa_load(&dir->blocks, hash);
	int error;

	if (at != entry) {
		while (at->next != entry)
			at = at->next;
		at->next = entry->next;
	} else if (entry->next) {
		error = xa_store(&dir->blocks, hash, 0, entry->next);
		BUG_ON(error, "no memory for a slot that exists");
	} else {
		xa_erase(&dir->blocks, hash);
	}
}

void
image_remove_name(struct image_inode *dir, const struct qstr *name)
{
	struct image_name *entry = image_find_name(dir, name);

	BUG_ON(!entry, "a name is in memory and not in the image");
	unlink_name(dir, hash_name(name), entry);
	dir->nr_names--;
	free_name(entry);
}

/* A position is the chain, then the order in it; 0 and 1 are left for "." and "..". */
#define POSITION_FIRST 2

const struct image_name *
image_next_name(struct image_inode *dir, loff_t *pos)
{
	u64 from = (u64)(*pos - POSITION_FIRST);
	unsigned long chain = from >> 32;
	unsigned long at = chain;
	const struct image_name *entry;

	while ((entry = next_entry(&dir->blocks, &at))) {
		while (entry && at == chain && entry->order < (u32)from)
			entry = entry->next;
		if (entry) {
			*pos = (loff_t)((u64)at << 32 | entry->order) + POSITION_FIRST;
			return entry;
		}
		at++;
	}
	return NULL;
}

/* --- blocks --------------------------------------------------------------- */

void *
image_block(struct image_inode *inode, unsigned long index)
{
	return xa_load(&inode->blocks, index);
}

void *
image_make_block(struct image_inode *inode, unsigned long index)
{
	void *block = image_block(inode, index);

	if (block)
		return block;
	block = alloc_zeroed(PAGE_SIZE);
	if (!block || !xa_store(&inode->blocks, index, 0, block))
		return block;
	arena_free(block, PAGE_SIZE);
	return NULL;
}

void *
image_next_block(struct image_inode *inode, unsigned long *index)
{
	return next_entry(&inode->blocks, index);
}

void
image_truncate(struct image_inode *inode, loff_t size)
{
	unsigned long index = DIV_ROUND_UP((unsigned long)size, PAGE_SIZE);
	size_t offset = (unsigned long)size & (PAGE_SIZE - 1);
	void *block;

	while ((block = next_entry(&inode->blocks, &index))) {
		xa_erase(&inode->blocks, index);
		arena_free(block, PAGE_SIZE);
	}
	block = offset ? image_block(inode, (unsigned long)size / PAGE_SIZE) : NULL;
	if (block)
		memset((char *)block + offset, 0, PAGE_SIZE - offset);
}

/* --- making and destroying ------------------------------------------------ */

struct image *
image_create(void)
{
	struct image *image = alloc_zeroed(sizeof(*image));

	if (!image)
		return NULL;
	xa_init(&image->inodes);
	spin_lock_init(&image->lock);
	image->next_ino = IMAGE_ROOT_INO;
	if (image_new_inode(image, S_IFDIR | 0755))
		return image;
	image_destroy(image);
	return NULL;
}

void
image_destroy(struct image *image)
{
	unsigned long ino = 0;
	struct image_inode *inode;

	while ((inode = next_entry(&image->inodes, &ino)))
		image_free_inode(image, inode);
	arena_free(image, sizeof(*image));
}

/* Copy @text into the blocks of @inode. Return: 0 or -ENOMEM. */
static int
write_contents(struct image_inode *inode, const char *text)
{
	size_t len = strlen(text);

	for (size_t at = 0; at < len; at += PAGE_SIZE) {
		void *block = image_make_block(inode, at / PAGE_SIZE);

		if (!block)
			return -ENOMEM;
		memcpy(block, text + at, min(len - at, PAGE_SIZE));
	}
	inode->size = (loff_t)len;
	return 0;
}

/* An inode as @file says, with its contents. Return: NULL without memory. */
static struct image_inode *
make_inode(struct image *image, const struct image_file *file)
{
	struct image_inode *inode = image_new_inode(image, file->mode);
	int error = 0;

	if (!inode)
		return NULL;
	if (S_ISLNK(file->mode))
		error = image_set_link(inode, file->contents, strlen(file->contents));
	else if (S_ISREG(file->mode) && file->contents)
		error = write_contents(inode, file->contents);
	if (!error)
		return inode;
	image_free_inode(image, inode);
	return NULL;
}

/* A component of a path, padded. */
struct component {
	struct qstr name;
	char bytes[256 + sizeof(u64)];
};

/* Take the next one from @path. Return: what is left, behind the slash; NULL: too long, or none. */
static const char *
next_component(const char *path, struct component *component)
{
	size_t len = strcspn(path, "/");

	if (!len || len > NAME_MAX)
		return NULL;
	memset(component->bytes, 0, sizeof(component->bytes));
	memcpy(component->bytes, path, len);
	component->name.name = component->bytes;
	component->name.len = (u32)len;
	return path[len] ? path + len + 1 : path + len;
}

/* Find the directory that @path is in, and the last component. Return: 0 or -errno. */
static int
find_parent(struct image *image, const char *path, struct image_inode **dir,
	    struct component *last)
{
	*dir = image_find_inode(image, IMAGE_ROOT_INO);
	for (;;) {
		const struct image_name *entry;

		path = next_component(path, last);
		if (!path || !S_ISDIR((*dir)->mode))
			return -EINVAL;
		if (!*path)
			return 0;
		entry = image_find_name(*dir, &last->name);
		if (!entry)
			return -ENOENT;
		*dir = image_find_inode(image, entry->ino);
	}
}

static int
make_file(struct image *image, const struct image_file *file)
{
	struct component last;
	struct image_inode *dir;
	struct image_inode *inode;
	int error = find_parent(image, file->path, &dir, &last);

	if (error)
		return error;
	if (image_find_name(dir, &last.name))
		return -EINVAL;
	inode = make_inode(image, file);
	if (!inode)
		return -ENOMEM;
	error = image_add_name(dir, &last.name, inode);
	if (error)
		image_free_inode(image, inode);
	else
		dir->nlink += S_ISDIR(file->mode);
	return error;
}

int
image_fill(struct image *image, const struct image_file *files)
{
	int error = 0;

	for (; files->path && !error; files++)
		error = make_file(image, files);
	return error;
}
