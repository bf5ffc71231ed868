/*
 * kernel.h - where each room hangs its state
 *
 * One kernel per process and nothing mutable at file scope above the runtime:
 * a room's state lies in the arena and is found through these pointers, which
 * the runtime owns (reading them is not modelled, like reading a symbol's
 * address).
 */
#ifndef MACHINE_KERNEL_H
#define MACHINE_KERNEL_H

struct machine;
struct pagecache;
struct vfs;

struct kernel {
	struct machine *machine;	/* set by machine_boot(), then constant */
	struct pagecache *pagecache;	/* set by pagecache_boot(), then constant */
	struct vfs *vfs;		/* set by vfs_boot(), then constant */
};

extern struct kernel kernel;

#endif
