/*
 * virtual_interrupt_test.c - interrupts between CPUs, on toy-4, by hand (see scene.h)
 *
 * An IPI takes 500 ns to its handler.
 */
#include "tests/scene.h"

#include "machine/arena.h"
#include "machine/cpu_relax.h"
#include "machine/ipi.h"
#include "machine/sched.h"

static struct {
	u64 *word;		/* a line of its own */
	u64 *note;		/* another one */
	u64 handled[4];		/* ns: when the handlers began, in that order */
	int count;
	u64 done[4];		/* ns, per CPU */
	u64 seen;
	struct task *sleeper;
} scene;

static struct machine_spec
with_ipi(u64 ns)
{
	struct machine_spec spec = toy4;

	spec.cost_ps[COST_ipi] = ns * NS;
	return spec;
}

static void
play(const struct machine_spec *spec, int tasks, void (*body)(void *arg))
{
	scene.count = 0;
	harness_boot(&(struct harness){ .spec = spec, .no_pagecache = true, .races = true });
	scene.word = arena_alloc(CACHE_LINE, CACHE_LINE, 0);
	scene.note = arena_alloc(CACHE_LINE, CACHE_LINE, 0);
	*scene.word = 0;
	*scene.note = 0;
	harness_run(tasks, body, NULL);
	arena_free(scene.word, CACHE_LINE);
	arena_free(scene.note, CACHE_LINE);
	harness_shutdown();
}

static void
begin_handler(void)
{
	scene.handled[scene.count++] = clock_ns();
}

static void
add_handler(void *arg)
{
	begin_handler();
	add(arg);
}

static void
work_handler(void *arg)
{
	begin_handler();
	runtime_work_ns(*(const u64 *)arg);
}

static const u64 hundred = 100;
static const u64 three_hundred = 300;

/* --- a shoot-down: send, handle, answer ------------------------------------------------ */

static void
interrupt_a_thinker(void *arg)
{
	if (smp_processor_id() == 1) {
		at(1000);
		runtime_work_ns(5000);
		scene.done[1] = clock_ns();
		return;
	}
	at(1500);
	add(scene.word);
	at(2000);
	assert_true(send_ipi(1, add_handler, scene.word));
	assert_int_equal(clock_ns(), 2000);
	smp_cond_load_acquire(scene.word, VAL == 2);
	scene.done[0] = clock_ns();
}

/*
 *	2000  CPU 0 sends, sees 1 (2001) and parks
 *	2500  CPU 1's handler adds: data 2550, done and hold over at 2560
 *	2500  CPU 0 loads again: served at 2560, data 2610, seen 2611
 *	2560  CPU 1 thinks for the 3500 ns that were left at 2500
 */
static void
an_ipi_cuts_thinking_short_and_the_rest_follows(void **state)
{
	struct machine_spec spec = with_ipi(500);

	play(&spec, 2, interrupt_a_thinker);
	assert_int_equal(scene.count, 1);
	assert_int_equal(scene.handled[0], 2500);
	assert_int_equal(scene.done[1], 2560 + 3500);
	assert_int_equal(scene.done[0], 2560 + 50 + 1);

	/* Running ahead is never across an interrupt. */
	spec.run_ahead_ps = 1000 * NS;
	play(&spec, 2, interrupt_a_thinker);
	assert_int_equal(scene.handled[0], 2500);
	assert_int_equal(scene.done[1], 2560 + 3500);
	assert_int_equal(scene.done[0], 2560 + 50 + 1);
}

/* --- receivers that do something else ---------------------------------------------------- */

/* CPU 2, of the other socket, owns the line that CPU 1 waits for from 2000 to 2100. */
static void
interrupt_a_waiter(void *arg)
{
	switch (smp_processor_id()) {
	case 0:
		at(1550);
		assert_true(send_ipi(1, work_handler, (void *)&hundred));
		break;
	case 1:
		at(2000);
		add(scene.word);
		scene.done[1] = clock_ns();
		break;
	case 2:
		at(1000);
		add(scene.word);
		break;
	}
}

static void
a_cpu_that_waits_for_a_line_takes_the_ipi_when_it_has_come(void **state)
{
	struct machine_spec spec = with_ipi(500);

	play(&spec, 3, interrupt_a_waiter);
	assert_int_equal(scene.handled[0], 2000 + 100 + 10);
	assert_int_equal(scene.done[1], 2110 + 100);
}

static u64 write_when;

static void
interrupt_a_spinner(void *arg)
{
	if (smp_processor_id() == 1) {
		at(1000);
		smp_cond_load_acquire(scene.word, VAL == 1);
		scene.done[1] = clock_ns();
		return;
	}
	at(1500);
	load(scene.word);
	at(2000);
	assert_true(send_ipi(1, work_handler, (void *)&three_hundred));
	at(write_when);
	add(scene.word);
}

/* The handler runs from 2500 to 2800; both have a copy when CPU 0 writes. */
static void
a_spinner_takes_the_ipi_and_spins_on(void **state)
{
	struct machine_spec spec = with_ipi(500);

	/* After it: the upgrade's data is there at 4050, and the hold over at 4060. */
	write_when = 4000;
	play(&spec, 2, interrupt_a_spinner);
	assert_int_equal(scene.handled[0], 2500);
	assert_int_equal(scene.done[1], 4060 + 50 + 1);

	/* Meanwhile: the spinner looks again at 2800, and the line has long been CPU 0's. */
	write_when = 2600;
	play(&spec, 2, interrupt_a_spinner);
	assert_int_equal(scene.handled[0], 2500);
	assert_int_equal(scene.done[1], 2800 + 50 + 1);
}

static void
interrupt_nobody(void *arg)
{
	if (smp_processor_id() == 1) {
		scene.sleeper = current;
		runtime_block();
		return;
	}
	at(1000);
	assert_false(send_ipi(1, work_handler, (void *)&hundred)); /* it sleeps */
	assert_false(send_ipi(3, work_handler, (void *)&hundred)); /* it has no task */
	runtime_unblock(scene.sleeper);
}

static void
idle_cpus_are_not_interrupted(void **state)
{
	struct machine_spec spec = with_ipi(500);

	play(&spec, 2, interrupt_nobody);
	assert_int_equal(scene.count, 0);
}

static void
sleep_with_one_on_its_way(void *arg)
{
	if (smp_processor_id() == 1) {
		scene.sleeper = current;
		at(2100);
		runtime_block();
		scene.done[1] = clock_ns();
		return;
	}
	at(2000);
	assert_true(send_ipi(1, work_handler, (void *)&hundred));
	at(3000);
	runtime_unblock(scene.sleeper);
}

static void
a_cpu_does_not_get_idle_with_one_on_its_way(void **state)
{
	struct machine_spec spec = with_ipi(500);

	play(&spec, 2, sleep_with_one_on_its_way);
	assert_int_equal(scene.handled[0], 2500);
	assert_int_equal(scene.done[1], 3000);
}

/* --- several; what a handler sees and may do ------------------------------------------------ */

static void
interrupt_twice(void *arg)
{
	static const u64 when[] = { 2000, 0, 2100 };
	int cpu = smp_processor_id();

	if (cpu == 1) {
		at(1000);
		runtime_work_ns(3000);
		scene.done[1] = clock_ns();
		return;
	}
	at(when[cpu]);
	assert_true(send_ipi(1, work_handler, (void *)&three_hundred));
}

static void
a_handler_is_not_interrupted(void **state)
{
	struct machine_spec spec = with_ipi(500);

	/* The second one arrives at 2600 and waits until the first one's handler has ended. */
	play(&spec, 3, interrupt_twice);
	assert_int_equal(scene.count, 2);
	assert_int_equal(scene.handled[0], 2500);
	assert_int_equal(scene.handled[1], 2800);
	assert_int_equal(scene.done[1], 4000 + 2 * 300);

	/* Off: they arrive as they are sent. */
	spec = with_ipi(0);
	play(&spec, 3, interrupt_twice);
	assert_int_equal(scene.handled[0], 2000);
	assert_int_equal(scene.handled[1], 2300);
	assert_int_equal(scene.done[1], 4000 + 2 * 300);
}

static void
read_note(void *arg)
{
	begin_handler();
	scene.seen = *scene.note;
}

/* Plain accesses: the race check is on, and would end the test. */
static void
write_and_interrupt(void *arg)
{
	if (smp_processor_id() == 1) {
		runtime_work_ns(4000);
		(void)clock_ns();
		return;
	}
	at(1000);
	*scene.note = 5;
	assert_true(send_ipi(1, read_note, NULL));
}

static void
a_handler_sees_what_its_sender_wrote(void **state)
{
	struct machine_spec spec = with_ipi(500);

	scene.seen = 0;
	play(&spec, 2, write_and_interrupt);
	assert_int_equal(scene.seen, 5);
}

static void
sleep_handler(void *arg)
{
	runtime_block();
}

static void
interrupt_to_sleep(void *arg)
{
	if (smp_processor_id() == 1)
		runtime_work_ns(4000);
	else
		send_ipi(1, sleep_handler, NULL);
}

static void
play_to_sleep(void)
{
	play(NULL, 2, interrupt_to_sleep);
}

static void
a_handler_must_not_sleep(void **state)
{
	assert_true(harness_expect_panic(play_to_sleep, VERDICT_BUG, "sleeps in an interrupt"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ipi_cuts_thinking_short_and_the_rest_follows),
		cmocka_unit_test(a_cpu_that_waits_for_a_line_takes_the_ipi_when_it_has_come),
		cmocka_unit_test(a_spinner_takes_the_ipi_and_spins_on),
		cmocka_unit_test(idle_cpus_are_not_interrupted),
		cmocka_unit_test(a_cpu_does_not_get_idle_with_one_on_its_way),
		cmocka_unit_test(a_handler_is_not_interrupted),
		cmocka_unit_test(a_handler_sees_what_its_sender_wrote),
		cmocka_unit_test(a_handler_must_not_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
