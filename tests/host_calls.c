/*
 * host_calls.c - see host_calls.h
 */
#include "tests/host_calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define TMPFS_MAGIC_NUMBER 0x01021994
#define SOMEBODY 1000 /* who root becomes */

/* --- calls ------------------------------------------------------------------ */

#define HOST_CALL(type, name, parameters, expression)                                              \
	static type host_##name parameters                                                         \
	{                                                                                          \
		type result = (type)(expression);                                                  \
                                                                                                   \
		return result == (type)-1 ? (type)-errno : result;                                 \
	}

HOST_CALL(int, open, (const char *path, int flags, mode_t mode), open(path, flags, mode))
HOST_CALL(int, creat, (const char *path, mode_t mode), creat(path, mode))
HOST_CALL(int, close, (int fd), syscall(SYS_close, fd))
HOST_CALL(int, mkdir, (const char *path, mode_t mode), mkdir(path, mode))
HOST_CALL(int, rmdir, (const char *path), rmdir(path))
HOST_CALL(int, unlink, (const char *path), unlink(path))
HOST_CALL(int, rename, (const char *from, const char *to), rename(from, to))
HOST_CALL(int, symlink, (const char *target, const char *path), symlink(target, path))
HOST_CALL(ssize_t, readlink, (const char *path, char *buf, int size),
	  syscall(SYS_readlinkat, AT_FDCWD, path, buf, size))
HOST_CALL(int, chdir, (const char *path), chdir(path))
HOST_CALL(mode_t, umask, (mode_t mask), umask(mask))
HOST_CALL(int, dup, (int fd), dup(fd))
HOST_CALL(int, dup2, (int old_fd, int new_fd), dup2(old_fd, new_fd))
HOST_CALL(int, stat, (const char *path, struct stat *out), stat(path, out))
HOST_CALL(int, lstat, (const char *path, struct stat *out), lstat(path, out))
HOST_CALL(int, fstat, (int fd, struct stat *out), fstat(fd, out))
HOST_CALL(int, access, (const char *path, int mode), access(path, mode))
HOST_CALL(loff_t, lseek, (int fd, loff_t offset, int whence), lseek(fd, offset, whence))
HOST_CALL(ssize_t, read, (int fd, void *buf, size_t count), read(fd, buf, count))
HOST_CALL(ssize_t, write, (int fd, const void *buf, size_t count), write(fd, buf, count))
HOST_CALL(ssize_t, pread, (int fd, void *buf, size_t count, loff_t pos),
	  pread(fd, buf, count, pos))
HOST_CALL(ssize_t, pwrite, (int fd, const void *buf, size_t count, loff_t pos),
	  pwrite(fd, buf, count, pos))
HOST_CALL(int, truncate, (const char *path, loff_t length), truncate(path, length))
HOST_CALL(int, ftruncate, (int fd, loff_t length), ftruncate(fd, length))
HOST_CALL(ssize_t, getdents64, (int fd, void *buf, size_t size),
	  syscall(SYS_getdents64, fd, buf, size))

const struct syscalls host_calls = {
	.open = host_open,	   .creat = host_creat,	      .close = host_close,
	.mkdir = host_mkdir,	   .rmdir = host_rmdir,	      .unlink = host_unlink,
	.rename = host_rename,	   .symlink = host_symlink,   .readlink = host_readlink,
	.chdir = host_chdir,	   .umask = host_umask,	      .dup = host_dup,
	.dup2 = host_dup2,	   .stat = host_stat,	      .lstat = host_lstat,
	.fstat = host_fstat,	   .access = host_access,     .lseek = host_lseek,
	.read = host_read,	   .write = host_write,	      .pread = host_pread,
	.pwrite = host_pwrite,	   .truncate = host_truncate, .ftruncate = host_ftruncate,
	.getdents64 = host_getdents64,
};

/* --- root directories ------------------------------------------------------- */

static bool
write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return written;
}

/* Somebody who is not root may change the root directory in a user namespace. */
static bool
enter_user_namespace(const struct host_root *root)
{
	char map[64];

	if (unshare(CLONE_NEWUSER))
		return false;
	snprintf(map, sizeof(map), "%d %d 1", (int)root->uid, (int)root->uid);
	if (!write_file("/proc/self/uid_map", map) || !write_file("/proc/self/setgroups", "deny"))
		return false;
	snprintf(map, sizeof(map), "%d %d 1", (int)root->gid, (int)root->gid);
	return write_file("/proc/self/gid_map", map);
}

/* No capability in whatever namespace. */
static bool
drop_privileges(const struct host_root *root)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0 } };

	if (!root->uid)
		return true;
	if (root->root && (setgroups(0, NULL) || setresgid(root->gid, root->gid, root->gid) ||
			   setresuid(root->uid, root->uid, root->uid)))
		return false;
	return !syscall(SYS_capset, &header, none);
}

static void
try_to_be_somebody(const struct host_root *root)
{
	bool may = root->root || enter_user_namespace(root);

	_exit(may && !chroot(root->path) && drop_privileges(root) ? 0 : 1);
}

/* Return: whether the child @pid ends with 0. */
static bool
ends_well(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && !status;
}

bool
host_is_at_least(int major, int minor)
{
	struct utsname name;
	int is_major, is_minor;

	if (uname(&name) || sscanf(name.release, "%d.%d", &is_major, &is_minor) != 2)
		return false;
	return is_major > major || (is_major == major && is_minor >= minor);
}

bool
host_is_root(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];
	u32 wanted = BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) | BIT(CAP_FSETID);

	return !getuid() && !syscall(SYS_capget, &header, data) &&
	       (data[0].effective & wanted) == wanted;
}

bool
host_root_create(struct host_root *root)
{
	struct statfs fs;
	pid_t child;

	if (statfs("/dev/shm", &fs) || fs.f_type != TMPFS_MAGIC_NUMBER)
		return false;
	root->root = getuid() == 0;
	root->uid = root->root ? SOMEBODY : getuid();
	root->gid = root->root ? SOMEBODY : getgid();
	snprintf(root->path, sizeof(root->path), "/dev/shm/engine-XXXXXX");
	if (!mkdtemp(root->path))
		return false;
	child = fork();
	if (!child)
		try_to_be_somebody(root);
	if (ends_well(child))
		return true;
	host_root_destroy(root);
	return false;
}

void
host_root_destroy(const struct host_root *root)
{
	rmdir(root->path);
}

/* Remove what is below directory @fd of any mode, and close it. */
static void
remove_below(int fd)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int below;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!unlinkat(fd, entry->d_name, 0))
			continue;
		fchmodat(fd, entry->d_name, 0700, 0);
		below = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
		if (below >= 0)
			remove_below(below);
		unlinkat(fd, entry->d_name, AT_REMOVEDIR);
	}
	closedir(dir);
}

struct host_child {
	const struct host_root *root;
	const char *path;
	int descriptors;
	void (*setup)(const struct syscalls *sys);
	void (*body)(void *arg);
	void *arg;
};

static void
child_main(const struct host_child *child)
{
	struct rlimit limit = { child->descriptors, child->descriptors };

	if ((!child->root->root && !enter_user_namespace(child->root)) || chroot(child->path) ||
	    chdir("/"))
		_exit(1);
	syscall(SYS_close_range, 0u, ~0u, 0u);
	umask(0);
	child->setup(&host_calls);
	umask(022);
	if (setrlimit(RLIMIT_NOFILE, &limit) || !drop_privileges(child->root))
		_exit(1);
	child->body(child->arg);
	_exit(0);
}

bool
host_root_run(const struct host_root *root, u64 number, int descriptors,
	      void (*setup)(const struct syscalls *sys), void (*body)(void *arg), void *arg)
{
	char path[96];
	bool well;
	pid_t pid;
	int fd;

	snprintf(path, sizeof(path), "%s/%llu", root->path, (unsigned long long)number);
	if (mkdir(path, 0755))
		return false;
	pid = fork();
	if (!pid)
		child_main(&(struct host_child){ root, path, descriptors, setup, body, arg });
	well = ends_well(pid);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	if (fd >= 0)
		remove_below(fd);
	rmdir(path);
	return well;
}
