/*
 * inode.c - see inode.h
 */
#include "vfs/inode.h"

#include <errno.h>

#include "machine/slab.h"
#include "vfs/vfs.h"

/* tmpfs: pages are made by writing and never read from anywhere. */
static const struct address_space_operations shmem_aops = { 0 };

int
inode_boot(void)
{
	kernel.vfs->inode_cache = kmem_cache_create("inode", sizeof(struct inode), SLAB_ZERO, NULL);
	return kernel.vfs->inode_cache ? 0 : -ENOMEM;
}

void
inode_shutdown(void)
{
	kmem_cache_destroy(kernel.vfs->inode_cache);
}

struct inode *
new_inode(mode_t mode)
{
	struct inode *inode = kmem_cache_alloc(kernel.vfs->inode_cache);

	if (!inode)
		return NULL;
	inode->i_mode = mode;
	inode->i_mapping = &inode->i_data;
	init_rwsem(&inode->i_rwsem);
	atomic_init(&inode->i_count, 1);
	address_space_init(&inode->i_data, inode, &shmem_aops, -1);
	return inode;
}

void
iput(struct inode *inode)
{
	if (!atomic_dec_and_test(&inode->i_count))
		return;
	BUG_ON(inode->i_nlink, "inode freed with %u names", inode->i_nlink);
	BUG_ON(atomic_read(&inode->i_writecount) || atomic_read(&inode->i_readcount),
	       "inode freed with %d writers and %d readers", atomic_read(&inode->i_writecount),
	       atomic_read(&inode->i_readcount));
	truncate_inode_pages_final(&inode->i_data);
	kmem_cache_free(kernel.vfs->inode_cache, inode);
}

void
inode_truncate(struct inode *inode, loff_t length)
{
	bool shrinks = length < inode->i_size;

	/* Size first: a reader that looks after its copy never trusts a page that goes. */
	smp_store_release(&inode->i_size, length);
	if (shrinks)
		truncate_pagecache(&inode->i_data, length);
}
