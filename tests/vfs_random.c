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

#include "machine/random.h"
#include "tests/dirent64.h"

#define BUFFER_SIZE 16384
#define MAX_ENTRIES 128
#define MAX_DEPTH 8
#define CREATING_CALLS 8

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

CALL_BODY(open, sys->open(P0, call->flags, call->mode))
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
CALL_BODY(lseek, sys->lseek(FD, call->offset, call->whence))
CALL_BODY(read, filled(outcome, sys->read(FD, buffer, SIZE)))
CALL_BODY(pread, filled(outcome, sys->pread(FD, buffer, SIZE, call->offset)))
CALL_BODY(write, sys->write(FD, memset(buffer, call->fill, sizeof(buffer)), SIZE))
CALL_BODY(pwrite, sys->pwrite(FD, memset(buffer, call->fill, sizeof(buffer)), SIZE, call->offset))
CALL_BODY(truncate, sys->truncate(P0, call->offset))
CALL_BODY(ftruncate, sys->ftruncate(FD, call->offset))

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

/*
 * Every call: how often it comes, and its arguments as they are written:
 * p and q paths, d and e descriptors, f flags, m mode, n size, o offset, w whence,
 * a what access() asks for.
 */
static const struct {
	const char *name;
	s64 (*run)(const struct syscalls *sys, const struct random_call *call,
		   struct outcome *outcome);
	int weight;
	const char *arguments;
} kinds[] = {
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
	{ "lseek", do_lseek, 5, "dow" },
	{ "read", do_read, 5, "dn" },
	{ "write", do_write, 7, "dn" },
	{ "pread", do_pread, 4, "dno" },
	{ "pwrite", do_pwrite, 4, "dno" },
	{ "truncate", do_truncate, 4, "po" },
	{ "ftruncate", do_ftruncate, 4, "do" },
	{ "getdents64", do_getdents64, 7, "dn" },
};

/* --- making a sequence ------------------------------------------------------ */

#define PICK(random, table) (table)[random_below(random, ARRAY_SIZE(table))]

static bool
one_in(struct random_stream *random, u64 n)
{
	return random_below(random, n) == 0;
}

/* One or two names that may well be there, from where we are. */
static void
plain_path(struct random_stream *random, char path[RANDOM_PATH])
{
	static const char *const names[] = { "a", "b", "c" };

	strcpy(path, PICK(random, names));
	if (one_in(random, 2)) {
		strcat(path, "/");
		strcat(path, PICK(random, names));
	}
}

/* Up to three names of all kinds, with whatever may stand before and behind them. */
static void
long_path(struct random_stream *random, char path[RANDOM_PATH])
{
	static const char *const begin[] = { "", "", "", "", "/w/", "/w/", "/t/", "/p/", "/" };
	static const char *const names[] = { "a", "a", "b", "b", "c", "d", "r", "rd", "..", ".",
					     "a-name-that-is-longer-than-40-bytes" };
	static const char *const end[] = { "", "", "", "", "", "", "", "", "", "/", "/.", "/.." };
	int components = 1 + (int)random_below(random, 3);

	strcpy(path, PICK(random, begin));
	for (int i = 0; i < components && strlen(path) + 8 < RANDOM_PATH; i++) {
		const char *name = PICK(random, names);

		strcat(path, i ? "/" : "");
		strcat(path, strlen(path) + strlen(name) + 6 > RANDOM_PATH ? "a" : name);
	}
	strcat(path, PICK(random, end));
}

static void
random_path(struct random_stream *random, char path[RANDOM_PATH])
{
	static const char *const odd[] = { "",	   "/",	   ".",	    "..",    "/..",
					   "//",   "./",   "../",   "a//",   "/w/.",
					   "@255", "@256", "@4095", "@4096", "@/4095" };

	if (one_in(random, 30))
		strcpy(path, PICK(random, odd));
	else if (one_in(random, 3))
		long_path(random, path);
	else
		plain_path(random, path);
}

static int
random_fd(struct random_stream *random)
{
	static const int wrong[] = { -1, RANDOM_DESCRIPTORS - 1, RANDOM_DESCRIPTORS, 1000, INT_MAX,
				     INT_MIN };

	if (one_in(random, 30))
		return PICK(random, wrong);
	return (int)random_below(random, one_in(random, 3) ? 5 : 2);
}

/* O_CREAT with O_DIRECTORY is left out: kernels before 6.4 answer differently. */
static int
random_flags(struct random_stream *random)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR, O_RDWR };
	int flags = PICK(random, modes);

	if (one_in(random, 4)) /* for a directory */
		return one_in(random, 2) ? O_RDONLY : O_RDONLY | O_DIRECTORY;
	if (one_in(random, 2))
		flags |= O_CREAT;
	if (one_in(random, 6))
		flags |= O_EXCL;
	if (one_in(random, 6))
		flags |= O_TRUNC;
	if (one_in(random, 8))
		flags |= O_NOFOLLOW;
	if (one_in(random, 8))
		flags |= O_CLOEXEC;
	if (one_in(random, 5) && !(flags & O_CREAT))
		flags |= O_DIRECTORY;
	return flags;
}

/* Without set-user-ID and set-group-ID, which writes take away again. */
static mode_t
random_mode(struct random_stream *random)
{
	static const mode_t common[] = { 0777, 0755, 0700, 0666, 0644, 0600, 01777 };

	if (one_in(random, 4))
		return (mode_t)random_below(random, 02000);
	return PICK(random, common);
}

static s64
random_size(struct random_stream *random)
{
	static const s64 sizes[] = { -1, 0, 1, 8, 24, 64, 100, 4095, 4096, 4097, 10000, 16384 };

	return one_in(random, 3) ? (s64)random_below(random, 9000) : PICK(random, sizes);
}

static s64
random_offset(struct random_stream *random)
{
	static const s64 offsets[] = { -1, 0, 0, 1, 100, 4095, 4096, 8192, 12345, 1ll << 31,
				       1ll << 40, LLONG_MIN, LLONG_MAX };

	return one_in(random, 2) ? (s64)random_below(random, 12000) : PICK(random, offsets);
}

/* By its weight. */
static int
random_kind(struct random_stream *random)
{
	int total = 0;
	int left;
	int kind = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		total += kinds[i].weight;
	left = (int)random_below(random, (u64)total);
	while (left >= kinds[kind].weight)
		left -= kinds[kind++].weight;
	return kind;
}

static int
kind_named(const char *name)
{
	int kind = 0;

	while (strcmp(kinds[kind].name, name))
		kind++;
	return kind;
}

/* The first calls make something that the others can find. */
static void
make_creating(struct random_stream *random, struct random_call *call)
{
	static const char *const creating[] = { "mkdir", "mkdir", "open", "open", "symlink" };

	call->kind = kind_named(PICK(random, creating));
	call->flags = O_RDWR | O_CREAT;
	call->mode |= 0700;
	plain_path(random, call->path[0]);
	plain_path(random, call->path[1]);
}

void
random_sequence(struct random_sequence *sequence, u64 number)
{
	static const int whences[] = { SEEK_SET, SEEK_SET, SEEK_CUR, SEEK_CUR, SEEK_END, 5, -1 };
	static const int masks[] = { F_OK, R_OK, W_OK, X_OK, 3, 5, 6, 7, 8, -1 };
	struct random_stream random;

	memset(sequence, 0, sizeof(*sequence));
	random_init(&random, number, "sequence");
	sequence->count = SEQUENCE_CALLS;
	for (int i = 0; i < SEQUENCE_CALLS; i++) {
		struct random_call *call = &sequence->calls[i];

		call->kind = random_kind(&random);
		random_path(&random, call->path[0]);
		random_path(&random, call->path[1]);
		call->fd[0] = random_fd(&random);
		call->fd[1] = random_fd(&random);
		call->flags = random_flags(&random);
		call->mode = random_mode(&random);
		call->size = random_size(&random);
		call->offset = random_offset(&random);
		call->whence = PICK(&random, whences);
		call->mask = PICK(&random, masks);
		call->fill = (u8)('A' + i);
		if (i < CREATING_CALLS)
			make_creating(&random, call);
	}
}

/* --- running it ------------------------------------------------------------- */

static void
setup_file(const struct syscalls *sys, const char *path, mode_t mode)
{
	int fd = sys->open(path, O_WRONLY | O_CREAT | O_EXCL, mode);

	if (fd < 0 || sys->pwrite(fd, memset(buffer, 'r', 100), 100, 0) != 100 || sys->close(fd))
		abort();
}

void
random_setup(const struct syscalls *sys)
{
	static const struct {
		const char *path;
		mode_t mode;
	} directories[] = { { "/w", 0777 },   { "/w/rd", 0755 }, { "/t", 01777 },
			    { "/t/rd", 0777 }, { "/p", 0700 } };

	for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
		if (sys->mkdir(directories[i].path, directories[i].mode))
			abort();
	setup_file(sys, "/w/r", 0644);
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
		outcome->result = kinds[call->kind].run(sys, call, outcome);
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
	} names[] = { { O_CREAT, "|O_CREAT" },		 { O_EXCL, "|O_EXCL" },
		      { O_TRUNC, "|O_TRUNC" },		 { O_CLOEXEC, "|O_CLOEXEC" },
		      { O_DIRECTORY, "|O_DIRECTORY" },	 { O_NOFOLLOW, "|O_NOFOLLOW" } };
	static const char *const modes[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "3" };

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

void
random_describe(const struct random_call *call, char *text, size_t size)
{
	const char *arguments = kinds[call->kind].arguments;
	char argument[128];

	snprintf(text, size, "%s(", kinds[call->kind].name);
	for (int i = 0; arguments[i]; i++) {
		describe_argument(call, arguments[i], argument, sizeof(argument));
		strncat(text, i ? ", " : "", size - strlen(text) - 1);
		strncat(text, argument, size - strlen(text) - 1);
	}
	strncat(text, ")", size - strlen(text) - 1);
}
