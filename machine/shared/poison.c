/*
 * shared/poison.c - memory that nobody may touch at present
 *
 * With -DPOISON a bit per byte of the arena says so; the virtual kind's access
 * hooks look at it. In an AddressSanitizer build the compiler's own checks are
 * told as well, which is how the host kind notices. Without -DPOISON nothing
 * happens here.
 */
#include "machine/arena.h"

#include <errno.h>
#include <sys/mman.h>

#include "machine/shared/arena_map.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#endif

#ifdef POISON

u64 *arena_poison_map;
static const char **what_of_line; /* by line: the last @what */

static void *
map_zeroes(size_t size)
{
	void *start = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return start == MAP_FAILED ? NULL : start;
}

/* One word more than the range has: arena_is_poisoned() looks at two. */
static size_t
map_bytes(void)
{
	return arena_range.size / 8 + sizeof(u64);
}

static size_t
what_bytes(void)
{
	return arena_range.size / CACHE_LINE * sizeof(*what_of_line);
}

int
arena_poison_boot(void)
{
	arena_poison_map = map_zeroes(map_bytes());
	what_of_line = map_zeroes(what_bytes());
	return arena_poison_map && what_of_line ? 0 : -ENOMEM;
}

void
arena_poison_shutdown(void)
{
	if (arena_poison_map)
		munmap(arena_poison_map, map_bytes());
	if (what_of_line)
		munmap(what_of_line, what_bytes());
	arena_poison_map = NULL;
	what_of_line = NULL;
}

const char *
arena_poison_what(const void *address)
{
	return what_of_line[arena_offset(address) / CACHE_LINE];
}

/* Bytes [@start, @start + @size) of the range; CPUs may do so for neighbours in one word. */
static void
change_bits(const void *start, size_t size, bool poison)
{
	size_t bit = arena_offset(start);
	size_t end = bit + size;

	while (bit < end) {
		unsigned int shift = bit % 64;
		size_t run = min(64 - (size_t)shift, end - bit);
		u64 mask = ~0ull >> (64 - run) << shift;

		if (poison)
			__atomic_fetch_or(&arena_poison_map[bit / 64], mask, __ATOMIC_RELAXED);
		else
			__atomic_fetch_and(&arena_poison_map[bit / 64], ~mask, __ATOMIC_RELAXED);
		bit += run;
	}
}

void
arena_poison(const void *start, size_t size, const char *what)
{
	size_t line = arena_offset(start) / CACHE_LINE;
	size_t last = arena_offset((const char *)start + size - 1) / CACHE_LINE;

	for (; line <= last; line++)
		what_of_line[line] = what;
	change_bits(start, size, true);
	ASAN_POISON_MEMORY_REGION(start, size);
}

void
arena_unpoison(const void *start, size_t size)
{
	if (!arena_poison_map) /* shutting down after a boot that failed early */
		return;
	change_bits(start, size, false);
	ASAN_UNPOISON_MEMORY_REGION(start, size);
}

#else

int
arena_poison_boot(void)
{
	return 0;
}

void
arena_poison_shutdown(void)
{
}

#endif
