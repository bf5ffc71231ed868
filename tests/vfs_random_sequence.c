/*
 * vfs_random_sequence.c - making a sequence; see vfs_random.h
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "machine/random.h"
#include "tests/vfs_random.h"

#define CREATING_CALLS 8

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
	static const char *const begin[] = {
		"", "", "", "", "/w/", "/w/", "/t/", "/p/", "/g/", "/"
	};
	static const char *const names[] = {
		"a",  "a", "b", "b", "c",  "d", "r",
		"rd", "s", "o", "g", "..", ".", "a-name-that-is-longer-than-40-bytes"
	};
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
	static const int wrong[] = {
		-1, RANDOM_DESCRIPTORS - 1, RANDOM_DESCRIPTORS, 1000, INT_MAX, INT_MIN
	};

	if (one_in(random, 30))
		return PICK(random, wrong);
	return (int)random_below(random, one_in(random, 3) ? 5 : 2);
}

const int random_open_flags[] = { O_CREAT,	 O_EXCL,    O_TRUNC,	 O_APPEND,   O_NONBLOCK,
				  O_CLOEXEC,	 O_NOATIME, O_DIRECTORY, O_NOFOLLOW, O_PATH,
				  O_DIRECT,	 O_NOCTTY,  O_SYNC,	 O_DSYNC,    O_ASYNC,
				  UNKNOWN_FLAGS, 0 };

/* Each flag by itself, so that every combination comes. */
static int
any_flags(struct random_stream *random, u64 rarity)
{
	int flags = 0;

	for (int i = 0; random_open_flags[i]; i++)
		if (one_in(random, rarity))
			flags |= random_open_flags[i];
	return flags;
}

static int
random_flags(struct random_stream *random, bool recent)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR, O_RDWR, O_RDWR, O_ACCMODE };
	int flags = PICK(random, modes);

	if (one_in(random, 5))
		flags |= any_flags(random, 2);
	else if (one_in(random, 4)) /* for a directory */
		flags = any_flags(random, 15) | (one_in(random, 2) ? O_DIRECTORY : 0);
	else
		flags |= any_flags(random, 12) | (one_in(random, 2) ? O_CREAT : 0);
	if (one_in(random, 5) && !(flags & O_DIRECTORY))
		flags |= O_APPEND;
	if (!recent)
		flags &= ~(O_DIRECT | (flags & O_CREAT ? O_DIRECTORY : 0));
	return flags;
}

static mode_t
random_mode(struct random_stream *random, bool recent)
{
	static const mode_t common[] = { 0777,	0755,  0700,  0666,  0644,  0600,  01777,
					 04755, 06755, 02755, 02666, 06666, 07777, 02711 };
	mode_t mode = PICK(random, common);

	if (one_in(random, 4))
		mode = (mode_t)random_below(random, one_in(random, 4) ? 0200000 : 010000);
	return recent ? mode : mode & ~(mode_t)06000;
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
	static const s64 offsets[] = {
		-1,   0,     0,		1,	   100,	      4095,	 4096,
		8192, 12345, 1ll << 31, 1ll << 40, LLONG_MIN, LLONG_MAX, LLONG_MAX - 50
	};

	return one_in(random, 2) ? (s64)random_below(random, 12000) : PICK(random, offsets);
}

/* By its weight. */
static int
random_kind(struct random_stream *random)
{
	int total = 0;
	int left;
	int kind = 0;

	for (int i = 0; random_kinds[i].name; i++)
		total += random_kinds[i].weight;
	left = (int)random_below(random, (u64)total);
	while (left >= random_kinds[kind].weight)
		left -= random_kinds[kind++].weight;
	return kind;
}

static int
kind_named(const char *name)
{
	int kind = 0;

	while (strcmp(random_kinds[kind].name, name))
		kind++;
	return kind;
}

/* The first calls make something that the others can find. */
static void
make_creating(struct random_stream *random, struct random_call *call)
{
	static const char *const creating[] = { "mkdir", "mkdir", "open", "open", "symlink" };

	call->kind = kind_named(PICK(random, creating));
	call->flags = O_RDWR | O_CREAT | (one_in(random, 4) ? O_APPEND : 0);
	call->mode |= 0700;
	plain_path(random, call->path[0]);
	plain_path(random, call->path[1]);
}

void
random_sequence(struct random_sequence *sequence, u64 number, bool recent)
{
	static const int whences[] = { SEEK_SET,  SEEK_SET,  SEEK_SET,	SEEK_CUR,
				       SEEK_CUR,  SEEK_END,  SEEK_DATA, SEEK_DATA,
				       SEEK_HOLE, SEEK_HOLE, 5,		-1 };
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
		call->flags = random_flags(&random, recent);
		call->mode = random_mode(&random, recent);
		call->size = random_size(&random);
		call->offset = random_offset(&random);
		call->whence = PICK(&random, whences);
		call->mask = PICK(&random, masks);
		call->fill = (u8)('A' + i);
		if (i < CREATING_CALLS)
			make_creating(&random, call);
	}
}
