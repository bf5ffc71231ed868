/*
 * vfs_random.c - see vfs_random.h
 */
#include "tests/vfs_random.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dirent64.h"

#define BUFFER_SIZE 16384
#define PAGE_BYTES 4096
#define MAX_ENTRIES 128
#define MAX_DEPTH 8

static char buffer[BUFFER_SIZE];

/* --- what a call filled in ------------------------------------------------- */

static void
outcome_add(struct outcome *outcome, const void *bytes, size_t size)
{
	const u8 *at = bytes;

	for (size_t i = 0; i < size; i++)
		outcome->hash = (outcome->hash ^ at[i]) * 0x100000001b3; /* FNV-1a */
}

/* Text counts as it is; the beginning is kept. */
static void
outcome_print(struct outcome *outcome, const char *text)
{
	size_t used = strlen(outcome->text);

	outcome_add(outcome, text, strlen(text));
	snprintf(outcome->text + used, sizeof(outcome->text) - used, "%s", text);
}

static void
outcome_begin(struct outcome *outcome)
{
	memset(outcome, 0, sizeof(*outcome));
	outcome->hash = 0xcbf29ce484222325;
}

bool
outcome_equal(const struct outcome *a, const struct outcome *b)
{
	return a->result == b->result && a->hash == b->hash;
}

/* Bytes that were read: counted in whole, and the first of them shown. */
static s64
filled(struct outcome *outcome, s64 result)
{
	char text[64];

	if (result <= 0)
		return result;
	outcome_add(outcome, buffer, (size_t)result);
	snprintf(text, sizeof(text), "%02x %02x .. %02x", (u8)buffer[0],
		 (u8)buffer[min(result - 1, 1)], (u8)buffer[result - 1]);
	outcome_print(outcome, text);
	return result;
}

static s64
filled_stat(struct outcome *outcome, const struct stat *stat, s64 result)
{
	long long size = S_ISDIR(stat->st_mode) ? -1 : (long long)stat->st_size;
	char text[96];

	if (result)
		return result;
	snprintf(text, sizeof(text), "mode %o links %d owner %d:%d size %lld", stat->st_mode,
		 (int)stat->st_nlink, (int)stat->st_uid, (int)stat->st_gid, size);
	outcome_print(outcome, text);
	return 0;
}

/* What has become of @path, or of @fd and its position. Return: @result. */
static s64
path_after(const struct syscalls *sys, const char *path, struct outcome *outcome, s64 result)
{
	struct stat stat = { 0 };

	if (!result)
		filled_stat(outcome, &stat, sys->stat(path, &stat));
	return result;
}

static s64
fd_after(const struct syscalls *sys, int fd, struct outcome *outcome, s64 result)
{
	struct stat stat = { 0 };
	char text[48];

	if (result < 0)
		return result;
	filled_stat(outcome, &stat, sys->fstat(fd, &stat));
	snprintf(text, sizeof(text), " at %lld", (long long)sys->lseek(fd, 0, SEEK_CUR));
	outcome_print(outcome, text);
	return result;
}

/* --- listings -------------------------------------------------------------- */

struct listing {
	int count;
	char *names[MAX_ENTRIES];	/* type and name, sorted */
};

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
listing_add(struct listing *listing, const struct linux_dirent64 *entry)
{
	char *name = malloc(strlen(entry->d_name) + 2);

	if (!name || listing->count == MAX_ENTRIES)
		abort();
	name[0] = entry->d_type == DT_DIR ? 'd' : entry->d_type == DT_LNK ? 'l' : 'f';
	strcpy(name + 1, entry->d_name);
	listing->names[listing->count++] = name;
}

static void
listing_free(struct listing *listing)
{
	while (listing->count)
		free(listing->names[--listing->count]);
}

/* All of @fd from its beginning, @size bytes at a time. Return: entries or -errno. */
static s64
list_all(const struct syscalls *sys, int fd, size_t size, struct listing *listing)
{
	s64 bytes;

	listing->count = 0;
	sys->lseek(fd, 0, SEEK_SET);
	while ((bytes = sys->getdents64(fd, buffer, size)) > 0) {
		for_each_dirent64 (entry, buffer, bytes)
			listing_add(listing, entry);
	}
	sys->lseek(fd, 0, SEEK_SET);
	qsort(listing->names, (size_t)listing->count, sizeof(char *), compare_names);
	return bytes ? bytes : listing->count;
}

static s64
do_getdents64(const struct syscalls *sys, const struct random_call *call, struct outcome *outcome)
{
	struct listing listing;
	s64 result = list_all(sys, call->fd[0], min((size_t)call->size, sizeof(buffer)), &listing);

	/* Which names come before one that does not fit is a matter of order. */
	for (int i = 0; i < listing.count && result >= 0; i++) {
		outcome_print(outcome, listing.names[i]);
		outcome_print(outcome, " ");
	}
	listing_free(&listing);
	return result;
}

/* --- paths ----------------------------------------------------------------- */

/*
 * "@n" is one name of n bytes, "@/n" as many slashes and then "a"; anything else is
 * itself. Each of a call's two paths has memory of its own.
 */
static const char *
path_of(const struct random_call *call, int which)
{
	static char paths[2][PATH_MAX + 2];
	const char *text = call->path[which];
	char *path = paths[which];
	size_t bytes;

	if (text[0] != '@')
		return text;
	bytes = (size_t)atoi(text + (text[1] == '/' ? 2 : 1));
	memset(path, text[1] == '/' ? '/' : 'n', bytes);
	if (text[1] == '/')
		path[bytes - 1] = 'a';
	path[bytes] = '\0';
	return path;
}

/* --- calls ----------------------------------------------------------------- */

#define CALL_BODY(name, expression)                                                                \
	static s64 do_##name(const struct syscalls *sys, const struct random_call *call,           \
			     struct outcome *outcome)                                              \
	{                                                                                          \
		return expression;                                                                 \
	}

#define P0 path_of(call, 0)
#define P1 path_of(call, 1)
#define FD call->fd[0]
#define SIZE ((size_t)call->size)

#define FILL memset(buffer, call->fill, sizeof(buffer))

CALL_BODY(creat, sys->creat(P0, call->mode))
CALL_BODY(close, sys->close(FD))
CALL_BODY(mkdir, sys->mkdir(P0, call->mode))
CALL_BODY(rmdir, sys->rmdir(P0))
CALL_BODY(unlink, sys->unlink(P0))
CALL_BODY(rename, sys->rename(P0, P1))
CALL_BODY(symlink, sys->symlink(P0, P1))
CALL_BODY(readlink, filled(outcome, sys->readlink(P0, buffer, (int)min(call->size, BUFFER_SIZE))))
CALL_BODY(chdir, sys->chdir(P0))
CALL_BODY(umask, sys->umask(call->mode))
CALL_BODY(dup, sys->dup(FD))
CALL_BODY(dup2, sys->dup2(FD, call->fd[1]))
CALL_BODY(access, sys->access(P0, call->mask))
CALL_BODY(read, filled(outcome, sys->read(FD, buffer, SIZE)))
CALL_BODY(pread, filled(outcome, sys->pread(FD, buffer, SIZE, call->offset)))
CALL_BODY(write, fd_after(sys, FD, outcome, sys->write(FD, FILL, SIZE)))
CALL_BODY(pwrite, fd_after(sys, FD, outcome, sys->pwrite(FD, FILL, SIZE, call->offset)))
CALL_BODY(truncate, path_after(sys, P0, outcome, sys->truncate(P0, call->offset)))
CALL_BODY(ftruncate, fd_after(sys, FD, outcome, sys->ftruncate(FD, call->offset)))

/*
 * Not for data and holes of files that end in the last page that there can be: Linux's
 * arithmetic overflows there.
 */
static s64
do_lseek(const struct syscalls *sys, const struct random_call *call, struct outcome *outcome)
{
	struct stat stat = { 0 };

	if ((call->whence == SEEK_DATA || call->whence == SEEK_HOLE) && !sys->fstat(FD, &stat) &&
	    stat.st_size > LLONG_MAX - PAGE_BYTES)
		return 0;
	return sys->lseek(FD, call->offset, call->whence);
}

static s64
do_open(const struct syscalls *sys, const struct random_call *call, struct outcome *outcome)
{
	int fd = sys->open(P0, call->flags, call->mode);

	return fd_after(sys, fd, outcome, fd);
}

#define STAT_BODY(name, argument)                                                                  \
	static s64 do_##name(const struct syscalls *sys, const struct random_call *call,           \
			     struct outcome *outcome)                                              \
	{                                                                                          \
		struct stat stat = { 0 };                                                          \
		s64 result = sys->name(argument, &stat);                                           \
                                                                                                   \
		return filled_stat(outcome, &stat, result);                                        \
	}

STAT_BODY(stat, P0)
STAT_BODY(lstat, P0)
STAT_BODY(fstat, FD)

const struct random_kind random_kinds[] = {
	{ "open", do_open, 18, "pfm" },
	{ "creat", do_creat, 3, "pm" },
	{ "close", do_close, 6, "d" },
	{ "mkdir", do_mkdir, 9, "pm" },
	{ "rmdir", do_rmdir, 5, "p" },
	{ "unlink", do_unlink, 7, "p" },
	{ "rename", do_rename, 11, "pq" },
	{ "symlink", do_symlink, 6, "pq" },
	{ "readlink", do_readlink, 3, "pn" },
	{ "chdir", do_chdir, 3, "p" },
	{ "umask", do_umask, 1, "m" },
	{ "dup", do_dup, 3, "d" },
	{ "dup2", do_dup2, 3, "de" },
	{ "stat", do_stat, 5, "p" },
	{ "lstat", do_lstat, 3, "p" },
	{ "fstat", do_fstat, 4, "d" },
	{ "access", do_access, 4, "pa" },
	{ "lseek", do_lseek, 8, "dow" },
	{ "read", do_read, 5, "dn" },
	{ "write", do_write, 7, "dn" },
	{ "pread", do_pread, 4, "dno" },
	{ "pwrite", do_pwrite, 4, "dno" },
	{ "truncate", do_truncate, 4, "po" },
	{ "ftruncate", do_ftruncate, 4, "do" },
	{ "getdents64", do_getdents64, 7, "dn" },
	{ 0 },
};

/* --- running it ------------------------------------------------------------- */

static void
setup_file(const struct syscalls *sys, const char *path, mode_t mode)
{
	int fd = sys->open(path, O_WRONLY | O_CREAT | O_EXCL, mode);

	if (fd < 0 || sys->pwrite(fd, memset(buffer, 'r', 100), 100, 0) != 100 || sys->close(fd))
		abort();
}

void
random_setup(const struct syscalls *sys, void (*change)(const char *path, mode_t mode, bool give))
{
	static const struct {
		const char *path;
		mode_t mode;
	} directories[] = { { "/w", 0777 }, { "/w/rd", 0755 }, { "/t", 01777 }, { "/t/rd", 0777 },
			    { "/p", 0700 }, { "/g", 0777 },    { "/w/g", 0777 } };

	for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
		if (sys->mkdir(directories[i].path, directories[i].mode))
			abort();
	change("/g", 02777, false);
	change("/w/g", 02777, true);
	setup_file(sys, "/w/r", 0644);
	setup_file(sys, "/w/s", 06777);
	setup_file(sys, "/w/o", 0);
	change("/w/o", 06777, true);
	setup_file(sys, "/w/rd/a", 0600);
	setup_file(sys, "/t/r", 0666);
	setup_file(sys, "/t/rd/a", 0666);
	setup_file(sys, "/p/a", 0644);
	if (sys->chdir("/w"))
		abort();
}

/* --- everything there is ---------------------------------------------------- */

struct tree {
	const struct syscalls *sys;
	struct outcome *outcome;
	char *text;		/* TREE_TEXT bytes, or NULL */
};

static void
tree_print(struct tree *tree, const char *path, s64 result, const struct outcome *what)
{
	char line[256];

	snprintf(line, sizeof(line), "%s: %lld %llx %s\n", path, (long long)result,
		 (unsigned long long)what->hash, what->text);
	outcome_add(tree->outcome, line, strlen(line));
	if (tree->text && strlen(tree->text) + strlen(line) < TREE_TEXT)
		strcat(tree->text, line);
}

/* What @path holds: a file's bytes, a link's text; a directory's names go to *@listing. */
static s64
tree_content(struct tree *tree, const char *path, const struct stat *stat, struct outcome *what,
	     struct listing *listing)
{
	const struct syscalls *sys = tree->sys;
	s64 result;
	int fd;

	if (S_ISLNK(stat->st_mode))
		return filled(what, sys->readlink(path, buffer, sizeof(buffer)));
	fd = sys->open(path, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	if (S_ISDIR(stat->st_mode))
		result = list_all(sys, fd, sizeof(buffer), listing);
	else
		result = filled(what, sys->pread(fd, buffer, sizeof(buffer), 0));
	sys->close(fd);
	return result;
}

static void
tree_walk(struct tree *tree, const char *path, int depth)
{
	struct listing listing = { 0 };
	struct stat stat = { 0 };
	struct outcome what;
	s64 result;

	outcome_begin(&what);
	result = filled_stat(&what, &stat, tree->sys->lstat(path, &stat));
	if (!result)
		result = tree_content(tree, path, &stat, &what, &listing);
	tree_print(tree, path, result, &what);
	for (int i = 0; i < listing.count && depth < MAX_DEPTH; i++) {
		const char *name = listing.names[i] + 1;
		char below[512];

		if (!strcmp(name, ".") || !strcmp(name, ".."))
			continue;
		snprintf(below, sizeof(below), "%s/%s", depth ? path : "", name);
		tree_walk(tree, below, depth + 1);
	}
	listing_free(&listing);
}

void
random_run(const struct syscalls *sys, const struct random_sequence *sequence,
	   struct outcomes *outcomes, char *tree_text)
{
	struct tree tree = { sys, &outcomes->tree, tree_text };

	outcomes->done = 0;
	for (int i = 0; i < sequence->count; i++) {
		const struct random_call *call = &sequence->calls[i];
		struct outcome *outcome = &outcomes->calls[i];

		outcome_begin(outcome);
		outcome->result = random_kinds[call->kind].run(sys, call, outcome);
		outcomes->done = i + 1;
	}
	for (int fd = 0; fd < RANDOM_DESCRIPTORS; fd++)
		sys->close(fd);
	outcome_begin(&outcomes->tree);
	tree_walk(&tree, "/", 0);
}

/* --- for people ------------------------------------------------------------- */

static void
describe_flags(int flags, char *text, size_t size)
{
	static const struct {
		int flag;
		const char *name;
	} names[] = { { O_CREAT, "|O_CREAT" },		{ O_EXCL, "|O_EXCL" },
		      { O_TRUNC, "|O_TRUNC" },		{ O_APPEND, "|O_APPEND" },
		      { O_NONBLOCK, "|O_NONBLOCK" },	{ O_CLOEXEC, "|O_CLOEXEC" },
		      { O_NOATIME, "|O_NOATIME" },	{ O_DIRECTORY, "|O_DIRECTORY" },
		      { O_NOFOLLOW, "|O_NOFOLLOW" },	{ O_PATH, "|O_PATH" },
		      { O_DIRECT, "|O_DIRECT" },	{ O_NOCTTY, "|O_NOCTTY" },
		      { O_SYNC & ~O_DSYNC, "|O_SYNC" }, { O_DSYNC, "|O_DSYNC" },
		      { O_ASYNC, "|O_ASYNC" },		{ UNKNOWN_FLAGS, "|0x40000008" } };
	static const char *const modes[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE" };

	snprintf(text, size, "%s", modes[flags & O_ACCMODE]);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (flags & names[i].flag)
			strncat(text, names[i].name, size - strlen(text) - 1);
}

static void
describe_argument(const struct random_call *call, char argument, char *text, size_t size)
{
	switch (argument) {
	case 'p':
	case 'q':
		snprintf(text, size, "\"%s\"", call->path[argument == 'q']);
		break;
	case 'd':
	case 'e':
		snprintf(text, size, "%d", call->fd[argument == 'e']);
		break;
	case 'f':
		describe_flags(call->flags, text, size);
		break;
	case 'm':
		snprintf(text, size, "%#o", call->mode);
		break;
	case 'n':
		snprintf(text, size, "%lld", (long long)call->size);
		break;
	case 'o':
		snprintf(text, size, "%lld", (long long)call->offset);
		break;
	case 'a':
		snprintf(text, size, "%d", call->mask);
		break;
	default:
		snprintf(text, size, "%d", call->whence);
	}
}

bool
random_is_open(const struct random_call *call)
{
	return random_kinds[call->kind].run == do_open;
}

void
random_describe(const struct random_call *call, char *text, size_t size)
{
	const char *arguments = random_kinds[call->kind].arguments;
	char argument[128];

	snprintf(text, size, "%s(", random_kinds[call->kind].name);
	for (int i = 0; arguments[i]; i++) {
		describe_argument(call, arguments[i], argument, sizeof(argument));
		strncat(text, i ? ", " : "", size - strlen(text) - 1);
		strncat(text, argument, size - strlen(text) - 1);
	}
	strncat(text, ")", size - strlen(text) - 1);
}
