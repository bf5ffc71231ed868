/*
 * names.h - what the room's objects are called in reports
 */
#ifndef VFS_NAMES_H
#define VFS_NAMES_H

struct vfs;

/*
 * Files are "file /path", dentries and inodes likewise; and the room's own state,
 * its hash chains and its superblocks have names. Context: boot.
 */
void register_vfs_names(struct vfs *vfs);

#endif
