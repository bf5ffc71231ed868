/*
 * names_test.c - names made, removed and renamed
 *
 * Goal: unlink, rmdir, rename, readlink and creat do what Linux's do,
 * errors and their precedence included; whatever was removed is freed once nobody
 * uses it, and not before. Method: one list of calls with the results that Linux
 * documents, run here, and on the computer's own tmpfs to check the list; then what
 * needs mounts, other users and removed directories, here only.
 */
#include <errno.h>

#include "machine/slab.h"
#include "tests/tmpfs_twin.h"
#include "tests/vfs_harness.h"
#include "vfs/cred.h"
#include "vfs/dcache.h"
#include "vfs/inode.h"
#include "vfs/namei.h"

#define A64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define A256 A64 A64 A64 A64

/* --- errors --------------------------------------------------------------- */

enum call { MKDIR, RMDIR, UNLINK, RENAME, SYMLINK, READLINK, CREAT, OPEN };

static const struct {
	enum call call;
	const char *path;
	const char *other;	/* RENAME: to; SYMLINK: the text; READLINK: what is read */
	int result;		/* READLINK, when it works: the text's length */
} calls[] = {
	{ MKDIR, "/d", NULL, 0 },
	{ MKDIR, "/d/", NULL, -EEXIST },
	{ MKDIR, "/d/e/", NULL, 0 },
	{ MKDIR, "/d/e/g", NULL, 0 },
	{ MKDIR, "/empty", NULL, 0 },
	{ CREAT, "/f", NULL, 0 },
	{ CREAT, "/f", NULL, 0 },
	{ CREAT, "/d", NULL, -EISDIR },
	{ CREAT, "/nowhere/f", NULL, -ENOENT },
	{ CREAT, "/f/x", NULL, -ENOTDIR },
	{ CREAT, "/d/x/", NULL, -EISDIR },
	{ CREAT, "/d/f", NULL, 0 },
	{ SYMLINK, "/to-d", "d", 0 },
	{ SYMLINK, "/to-f", "f", 0 },
	{ SYMLINK, "/loop", "loop", 0 },
	{ SYMLINK, "/dangling", "nowhere", 0 },
	{ SYMLINK, "/to-f", "f", -EEXIST },

	{ READLINK, "/to-d", "d", 1 },
	{ READLINK, "/dangling", "nowhere", 7 },
	{ READLINK, "/loop", "loop", 4 },
	{ READLINK, "/loop/", NULL, -ELOOP },
	{ READLINK, "/to-d/", NULL, -EINVAL },
	{ READLINK, "/f", NULL, -EINVAL },
	{ READLINK, "/d", NULL, -EINVAL },
	{ READLINK, "/f/", NULL, -ENOTDIR },
	{ READLINK, "/nowhere", NULL, -ENOENT },
	{ READLINK, "", NULL, -ENOENT },

	{ UNLINK, "", NULL, -ENOENT },
	{ UNLINK, "/nowhere", NULL, -ENOENT },
	{ UNLINK, "/nowhere/", NULL, -ENOENT },
	{ UNLINK, "/nowhere/f", NULL, -ENOENT },
	{ UNLINK, "/d", NULL, -EISDIR },
	{ UNLINK, "/d/", NULL, -EISDIR },
	{ UNLINK, "/d/.", NULL, -EISDIR },
	{ UNLINK, "/d/..", NULL, -EISDIR },
	{ UNLINK, "/", NULL, -EISDIR },
	{ UNLINK, "/f/", NULL, -ENOTDIR },
	{ UNLINK, "/f/x", NULL, -ENOTDIR },
	{ UNLINK, "/f/.", NULL, -ENOTDIR },
	{ UNLINK, "/to-d/", NULL, -ENOTDIR },
	{ UNLINK, "/to-d/f", NULL, 0 },
	{ UNLINK, "/loop/x", NULL, -ELOOP },
	{ UNLINK, "/" A256, NULL, -ENAMETOOLONG },

	{ RMDIR, "", NULL, -ENOENT },
	{ RMDIR, "/nowhere", NULL, -ENOENT },
	{ RMDIR, "/f", NULL, -ENOTDIR },
	{ RMDIR, "/to-d", NULL, -ENOTDIR },
	{ RMDIR, "/to-d/", NULL, -ENOTDIR },
	{ RMDIR, "/d", NULL, -ENOTEMPTY },
	{ RMDIR, "/d/.", NULL, -EINVAL },
	{ RMDIR, "/d/..", NULL, -ENOTEMPTY },
	{ RMDIR, "/", NULL, -EBUSY },
	{ RMDIR, "/empty/", NULL, 0 },
	{ RMDIR, "/empty", NULL, -ENOENT },

	{ RENAME, "/nowhere", "/x", -ENOENT },
	{ RENAME, "/nowhere/f", "/" A256, -ENOENT },
	{ RENAME, "/f", "/" A256, -ENAMETOOLONG },
	{ RENAME, "/f", "/nowhere/f", -ENOENT },
	{ RENAME, "", "/x", -ENOENT },
	{ RENAME, "/f", "", -ENOENT },
	{ RENAME, "/f", "/f", 0 },
	{ RENAME, "/d", "/d", 0 },
	{ RENAME, "/d/.", "/x", -EBUSY },
	{ RENAME, "/d/..", "/x", -EBUSY },
	{ RENAME, "/f", "/d/.", -EBUSY },
	{ RENAME, "/f", "/d/..", -EBUSY },
	{ RENAME, "/f/", "/x", -ENOTDIR },
	{ RENAME, "/f", "/x/", -ENOTDIR },
	{ RENAME, "/f", "/d", -EISDIR },
	{ RENAME, "/f", "/d/", -ENOTDIR },
	{ RENAME, "/d", "/f", -ENOTDIR },
	{ RENAME, "/d", "/d/x", -EINVAL },
	{ RENAME, "/d", "/d/e/x", -EINVAL },
	{ RENAME, "/d", "/d/e/g", -EINVAL },
	{ RENAME, "/d/e/g", "/d", -ENOTEMPTY },
	{ RENAME, "/d/e", "/d", -ENOTEMPTY },
	{ RENAME, "/f", "/d/f", 0 },
	{ OPEN, "/f", NULL, -ENOENT },
	{ OPEN, "/d/f", NULL, 0 },
	{ RENAME, "/d/f", "/f", 0 },
	{ RENAME, "/to-f", "/link", 0 },
	{ OPEN, "/link", NULL, 0 },
	{ CREAT, "/g", NULL, 0 },
	{ RENAME, "/g", "/f", 0 },
	{ OPEN, "/g", NULL, -ENOENT },
	{ RENAME, "/f", "/link", 0 },
	{ READLINK, "/link", NULL, -EINVAL },
	{ RENAME, "/link", "/f", 0 },
	{ RENAME, "/d/e/g", "/d/e/h/", 0 },
	{ MKDIR, "/full", NULL, 0 },
	{ CREAT, "/full/x", NULL, 0 },
	{ RENAME, "/d/e/h", "/full", -ENOTEMPTY },
	{ UNLINK, "/full/x", NULL, 0 },
	{ RENAME, "/d/e/h", "/full/", 0 },
	{ OPEN, "/full", NULL, 0 },
	{ OPEN, "/d/e/h", NULL, -ENOENT },
	{ RENAME, "/full", "/" A64, 0 },
	{ MKDIR, "/" A64 "/" A64, NULL, 0 },
	{ RENAME, "/" A64 "/" A64, "/d/n", 0 },

	{ RMDIR, "/" A64, NULL, 0 },
	{ RMDIR, "/d/n", NULL, 0 },
	{ RMDIR, "/d/e", NULL, 0 },
	{ UNLINK, "/f", NULL, 0 },
	{ UNLINK, "/f", NULL, -ENOENT },
	{ UNLINK, "/to-d", NULL, 0 },
	{ UNLINK, "/loop", NULL, 0 },
	{ UNLINK, "/dangling", NULL, 0 },
	{ RMDIR, "/d", NULL, 0 },
};

static int
open_and_close(int fd)
{
	return fd < 0 ? fd : sys_close(fd);
}

/* An empty path and the root stay what they are. */
static void
prefix_path(const char *prefix, const char *path, char *out, size_t size)
{
	bool itself = !path[0] || !strcmp(path, "/");

	snprintf(out, size, "%s%s", itself ? "" : prefix, path);
}

/* Below directory @prefix. */
static int
call_ours(const char *prefix, enum call call, const char *below, const char *other_below,
	  char *text, int size)
{
	char path[1024];
	char other[1024] = "";

	prefix_path(prefix, below, path, sizeof(path));
	if (call == RENAME)
		prefix_path(prefix, other_below, other, sizeof(other));
	switch (call) {
	case MKDIR:
		return sys_mkdir(path, 0755);
	case RMDIR:
		return sys_rmdir(path);
	case UNLINK:
		return sys_unlink(path);
	case RENAME:
		return sys_rename(path, other);
	case SYMLINK:
		return sys_symlink(other_below, path);
	case READLINK:
		return (int)sys_readlink(path, text, size);
	case CREAT:
		return open_and_close(sys_creat(path, 0644));
	case OPEN:
		break;
	}
	return open_and_close(sys_open(path, O_RDONLY, 0));
}

static int
twin_close(int fd)
{
	return fd < 0 ? -errno : close(fd);
}

static int
call_theirs(const struct twin *twin, enum call call, const char *path, const char *other,
	    char *text, int size)
{
	char full[1024];
	char full_other[1024];

	twin_path(twin, path, full, sizeof(full));
	if (call == RENAME)
		twin_path(twin, other, full_other, sizeof(full_other));
	switch (call) {
	case MKDIR:
		return twin_result(mkdir(full, 0755));
	case RMDIR:
		return twin_result(rmdir(full));
	case UNLINK:
		return twin_result(unlink(full));
	case RENAME:
		return twin_result(rename(full, full_other));
	case SYMLINK:
		return twin_result(symlink(other, full));
	case READLINK:
		return twin_result((int)readlink(full, text, (size_t)size));
	case CREAT:
		return twin_close(creat(full, 0644));
	case OPEN:
		break;
	}
	return twin_close(open(full, O_RDONLY));
}

/* Make all calls, on the computer's tmpfs if @twin; else below @prefix. */
static void
make_calls(const struct twin *twin, const char *prefix)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		const char *path = calls[i].path;
		const char *other = calls[i].other;
		char text[32] = "";
		int result = twin ? call_theirs(twin, calls[i].call, path, other, text,
						sizeof(text) - 1) :
				    call_ours(prefix, calls[i].call, path, other, text,
					      sizeof(text) - 1);

		BUG_ON(result != calls[i].result, "call %zu, %s %s%s%s: %d and not %d", i,
		       twin ? "theirs" : "ours", path, other ? ", " : "", other ? other : "",
		       result, calls[i].result);
		if (calls[i].call == READLINK && result > 0)
			EXPECT(!strcmp(text, other));
	}
}

static void
calls_body(void *arg)
{
	make_calls(NULL, "");
	EXPECT_EQUAL(sys_mkdir("/mnt", 0755), 0);
	EXPECT_EQUAL(sys_mount("none", "/mnt", "image", 0, NULL), 0);
	make_calls(NULL, "/mnt");
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
}

static void
calls_return_what_linux_returns(void **state)
{
	vfs_harness_alone(calls_body, NULL);
}

static void
the_list_is_right(void **state)
{
	struct twin twin;

	if (!twin_create(&twin))
		skip();
	make_calls(&twin, NULL);
	twin_destroy(&twin);
}

static void
readlink_body(void *arg)
{
	char buf[8] = "xxxxxxx";

	EXPECT_EQUAL(sys_symlink("/d/f", "/l"), 0);
	EXPECT_EQUAL(sys_readlink("/l", buf, 0), -EINVAL);
	EXPECT_EQUAL(sys_readlink("/l", buf, -1), -EINVAL);
	EXPECT_EQUAL(sys_readlink("/nowhere", buf, 0), -EINVAL);
	EXPECT_EQUAL(sys_readlink("/l", buf, 2), 2);
	EXPECT(!memcmp(buf, "/dxxxxx", 8));
	EXPECT_EQUAL(sys_readlink("/l", buf, 8), 4);
	EXPECT(!memcmp(buf, "/d/fxxx", 8));
}

static void
readlink_cuts_and_ends_without_nul(void **state)
{
	vfs_harness_alone(readlink_body, NULL);
}

/* --- mounts and users ----------------------------------------------------- */

static void
mount_body(void *arg)
{
	EXPECT_EQUAL(sys_mkdir("/mnt", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/d", 0755), 0);
	vfs_harness_file("/f", 1, 'f');
	EXPECT_EQUAL(sys_mount("none", "/mnt", "tmpfs", 0, NULL), 0);
	vfs_harness_file("/mnt/m", 1, 'm');
	EXPECT_EQUAL(sys_rmdir("/mnt"), -EBUSY);
	EXPECT_EQUAL(sys_rename("/mnt", "/x"), -EBUSY);
	EXPECT_EQUAL(sys_rename("/d", "/mnt"), -EBUSY);
	EXPECT_EQUAL(sys_rename("/f", "/mnt/f"), -EXDEV);
	EXPECT_EQUAL(sys_rename("/mnt/m", "/m"), -EXDEV);
	EXPECT_EQUAL(sys_rename("/mnt/.", "/m"), -EXDEV);
	EXPECT_EQUAL(sys_rename("/mnt/m", "/mnt/d/../m"), -ENOENT);
	EXPECT_EQUAL(sys_rename("/mnt/m", "/mnt/../mnt/n"), 0);
	EXPECT_EQUAL(sys_umount("/mnt"), 0);
	EXPECT_EQUAL(sys_rename("/d", "/mnt"), 0);
	EXPECT_EQUAL(sys_rmdir("/mnt"), 0);
}

static void
mountpoints_stay(void **state)
{
	vfs_harness_alone(mount_body, NULL);
}

static void
users_body(void *arg)
{
	EXPECT_EQUAL(sys_mkdir("/sticky", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/open", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/mine", 0755), 0);
	vfs_harness_file("/sticky/root", 1, 'r');
	vfs_harness_file("/open/root", 1, 'r');
	EXPECT_EQUAL(sys_mkdir("/open/dir", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/open/full", 0755), 0);
	vfs_harness_file("/open/full/x", 1, 'r');
	/* What chmod and chown would do. */
	for (int i = 0; i < 3; i++) {
		static const char *const paths[] = { "/sticky", "/open", "/mine" };
		struct path path;

		EXPECT_EQUAL(user_path_at(paths[i], 0, &path), 0);
		if (i < 2)
			d_inode(path.dentry)->i_mode = S_IFDIR | (i ? 0777 : 01777);
		else
			d_inode(path.dentry)->i_uid = 1000;
		path_put(&path);
	}
	vfs_harness_become(1000, 1000);
	vfs_harness_file("/sticky/own", 1, 'o');
	vfs_harness_file("/open/own", 1, 'o');
	EXPECT_EQUAL(sys_unlink("/mine"), -EACCES);
	EXPECT_EQUAL(sys_rmdir("/nowhere"), -ENOENT);
	EXPECT_EQUAL(sys_rmdir("/mine"), -EACCES);
	EXPECT_EQUAL(sys_unlink("/sticky/root"), -EPERM);
	EXPECT_EQUAL(sys_rename("/sticky/root", "/sticky/x"), -EPERM);
	EXPECT_EQUAL(sys_rename("/sticky/own", "/sticky/root"), -EPERM);
	EXPECT_EQUAL(sys_rename("/sticky/own", "/x"), -EACCES);
	EXPECT_EQUAL(sys_rename("/sticky/own", "/open/own"), 0);
	EXPECT_EQUAL(sys_unlink("/open/root"), 0);
	EXPECT_EQUAL(sys_unlink("/open/own"), 0);
	/* A directory that is not one's own may change its name, not its "..". */
	EXPECT_EQUAL(sys_rename("/open/dir", "/open/d"), 0);
	EXPECT_EQUAL(sys_rename("/open/d", "/mine/d"), -EACCES);
	EXPECT_EQUAL(sys_rename("/open/d", "/open/full"), -ENOTEMPTY);
	EXPECT_EQUAL(sys_rmdir("/open/d"), 0);
	EXPECT_EQUAL(sys_unlink("/open/full/x"), -EACCES);
	vfs_harness_become(0, 0);
	EXPECT_EQUAL(sys_unlink("/open/full/x"), 0);
	EXPECT_EQUAL(sys_unlink("/sticky/root"), 0);
}

static void
directories_ask_who_removes(void **state)
{
	vfs_harness_alone(users_body, NULL);
}

/* --- what was removed ----------------------------------------------------- */

static void
removed_body(void *arg)
{
	size_t inodes = kmem_cache_in_use(kernel.vfs->inode_cache);
	char byte;
	int fd;
	int other;

	vfs_harness_file("/f", 3 * 4096, 'f');
	EXPECT_EQUAL(kmem_cache_in_use(kernel.vfs->inode_cache), inodes + 1);
	fd = vfs_harness_open("/f", O_RDWR);
	EXPECT_EQUAL(sys_unlink("/f"), 0);
	EXPECT_EQUAL(sys_open("/f", O_RDONLY, 0), -ENOENT);
	/* It lives on without a name, beside a new one with its name. */
	EXPECT_EQUAL(sys_pread(fd, &byte, 1, 2 * 4096), 1);
	EXPECT_EQUAL(byte, 'f');
	vfs_harness_file("/f", 1, 'g');
	other = vfs_harness_open("/f", O_RDONLY);
	EXPECT_EQUAL(sys_pread(other, &byte, 1, 0), 1);
	EXPECT_EQUAL(byte, 'g');
	EXPECT_EQUAL(sys_pwrite(fd, "h", 1, 3 * 4096), 1);
	EXPECT_EQUAL(sys_close(fd), 0);
	/* Replaced while it is open. */
	vfs_harness_file("/h", 1, 'h');
	EXPECT_EQUAL(sys_rename("/h", "/f"), 0);
	EXPECT_EQUAL(sys_pread(other, &byte, 1, 0), 1);
	EXPECT_EQUAL(byte, 'g');
	EXPECT_EQUAL(sys_close(other), 0);
	EXPECT_EQUAL(sys_unlink("/f"), 0);
	rcu_barrier();
	EXPECT_EQUAL(kmem_cache_in_use(kernel.vfs->inode_cache), inodes);
}

static void
open_files_outlive_their_names(void **state)
{
	vfs_harness_alone(removed_body, NULL);
}

static void
gone_directory_body(void *arg)
{
	char buf[512];
	int fd;

	EXPECT_EQUAL(sys_mkdir("/d", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/d/e", 0755), 0);
	EXPECT_EQUAL(sys_chdir("/d/e"), 0);
	fd = vfs_harness_open(".", O_RDONLY | O_DIRECTORY);
	EXPECT_EQUAL(sys_open("x", O_RDONLY, 0), -ENOENT);
	EXPECT_EQUAL(sys_rmdir("/d/e"), 0);
	EXPECT_EQUAL(sys_open("x", O_RDWR | O_CREAT, 0644), -ENOENT);
	EXPECT_EQUAL(sys_mkdir("x", 0755), -ENOENT);
	EXPECT_EQUAL(sys_symlink("x", "x"), -ENOENT);
	EXPECT_EQUAL(sys_unlink("x"), -ENOENT);
	EXPECT_EQUAL(sys_rename("x", "/x"), -ENOENT);
	vfs_harness_file("/f", 1, 'f');
	EXPECT_EQUAL(sys_rename("/f", "x"), -ENOENT);
	EXPECT_EQUAL(sys_getdents64(fd, buf, sizeof(buf)), -ENOENT);
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_mkdir("/d/e", 0755), 0);
	EXPECT_EQUAL(sys_open("x", O_RDWR | O_CREAT, 0644), -ENOENT);
	/* The way up is still known. */
	fd = vfs_harness_open("../e", O_RDONLY | O_DIRECTORY);
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_chdir(".."), 0);
	EXPECT_EQUAL(sys_rmdir("e"), 0);
	EXPECT_EQUAL(sys_rmdir("/d"), 0);
	EXPECT_EQUAL(sys_chdir("/"), 0);
}

static void
removed_directories_are_empty_for_good(void **state)
{
	vfs_harness_alone(gone_directory_body, NULL);
}

/* The current directory follows its name through a rename. */
static void
moved_body(void *arg)
{
	struct path dir;
	int fd;

	EXPECT_EQUAL(sys_mkdir("/a", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/a/b", 0755), 0);
	EXPECT_EQUAL(sys_mkdir("/c", 0755), 0);
	vfs_harness_file("/c/f", 1, 'f');
	EXPECT_EQUAL(sys_chdir("/a/b"), 0);
	EXPECT_EQUAL(sys_rename("/a/b", "/c/b"), 0);
	fd = vfs_harness_open("../f", O_RDONLY);
	EXPECT_EQUAL(sys_close(fd), 0);
	/* Links: ".", the name, and one ".." per directory in it. */
	EXPECT_EQUAL(user_path_at("/a", 0, &dir), 0);
	EXPECT_EQUAL(d_inode(dir.dentry)->i_nlink, 2);
	EXPECT_EQUAL(d_inode(dir.dentry)->i_size, 0);
	path_put(&dir);
	EXPECT_EQUAL(user_path_at("/c", 0, &dir), 0);
	EXPECT_EQUAL(d_inode(dir.dentry)->i_nlink, 3);
	EXPECT_EQUAL(d_inode(dir.dentry)->i_size, 2 * 20);
	path_put(&dir);
	EXPECT_EQUAL(sys_rename("/c", "/a/c"), 0);
	fd = vfs_harness_open("/a/c/b/../../c/f", O_RDONLY);
	EXPECT_EQUAL(sys_close(fd), 0);
	EXPECT_EQUAL(sys_chdir("/"), 0);
}

static void
directories_move_with_what_is_in_them(void **state)
{
	vfs_harness_alone(moved_body, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_return_what_linux_returns),
		cmocka_unit_test(the_list_is_right),
		cmocka_unit_test(readlink_cuts_and_ends_without_nul),
		cmocka_unit_test(mountpoints_stay),
		cmocka_unit_test(directories_ask_who_removes),
		cmocka_unit_test(open_files_outlive_their_names),
		cmocka_unit_test(removed_directories_are_empty_for_good),
		cmocka_unit_test(directories_move_with_what_is_in_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
