/*
 * yaml_load_test.c - right workload files become the structures they describe
 */
#include <errno.h>
#include <fcntl.h>

#include "tests/yaml_text.h"
#include "yaml/catalogue.h"

#define SMALL "name: small\ntasks: [1]\nloop:\n  - work: 100ns\n"

static struct workload *
shipped_workload(const char *file, const struct override *overrides, int nr)
{
	const struct workload_source source = { file, overrides, nr };
	struct workload *workload = workload_load(&source, stderr);

	assert_non_null(workload);
	return workload;
}

static int
choice_of(const struct variant *variant, const char *family)
{
	return variant->policy[catalogue_find_family(family)->number];
}

static void
assert_choice(const struct variant *variant, const char *family, const char *choice)
{
	assert_string_equal(catalogue_find_family(family)->choices[choice_of(variant, family)].name,
			    choice);
}

static void
pread64_is_what_its_file_says(void **state)
{
	struct workload *w = shipped_workload("workloads/pread64.yaml", NULL, 0);

	(void)state;
	assert_string_equal(w->name, "pread64");
	assert_string_equal(w->machine, "e5-2690v3-2s");
	assert_string_equal(w->kernel, "6.15");
	assert_int_equal(w->tasks_count, 10);
	assert_int_equal(w->tasks[9], 24);
	assert_int_equal(w->as, AS_THREADS);
	assert_int_equal(w->memory_bytes, 64 << 20);
	assert_int_equal(w->files_count, 1);
	assert_string_equal(w->files[0].path, "/file");
	assert_int_equal(w->files[0].size, 4096);
	assert_int_equal(w->prepare.steps_count, 0);
	assert_int_equal(w->setup.steps[0].op, OP_OPEN);
	assert_int_equal(w->setup.steps[0].flags, O_RDONLY);
	assert_int_equal(w->setup.steps[0].fd.index, 0);
	assert_false(w->setup.steps[0].fd.shared);
	assert_int_equal(w->loop.steps_count, 1);
	assert_int_equal(w->loop.steps[0].op, OP_PREAD);
	assert_int_equal(w->loop.steps[0].bytes, 64);
	assert_int_equal(w->loop.steps[0].offset, 0);
	assert_int_equal(w->private_slots, 1);
	assert_int_equal(w->shared_slots, 0);
	workload_free(w);
}

static void
pread64_has_its_variants_and_its_table(void **state)
{
	struct workload *w = shipped_workload("workloads/pread64.yaml", NULL, 0);

	(void)state;
	assert_int_equal(w->variants_count, 2);
	assert_string_equal(w->variants[1].name, "patched");
	assert_int_equal(choice_of(&w->variants[0], "page_ref"), 0);
	assert_int_equal(choice_of(&w->variants[1], "page_ref"), 1);
	assert_true(w->measure.warmup_auto);
	assert_int_equal(w->measure.operations, 8000);
	assert_int_equal(w->measure.seeds, 3);
	assert_int_equal(w->measure.host_duration_ns, 1000000000);
	assert_int_equal(w->measure.host_repeats, 11);
	assert_string_equal(w->published.machine, "e5-2690v3-2s");
	assert_false(w->published.boost);
	assert_true(published_is_base(&w->published, 0));
	assert_false(published_is_base(&w->published, 1));
	assert_int_equal(w->published.columns[1], 1);
	assert_int_equal(w->published.rows_count, 10);
	assert_int_equal(w->published.rows[9].tasks, 24);
	assert_int_equal(w->published.rows[9].values[1], 4529737);
	workload_free(w);
}

static void
what_is_left_out_has_its_default(void **state)
{
	struct workload *w = text_workload(SMALL, NULL, 0);

	(void)state;
	assert_string_equal(w->machine, "host");
	assert_string_equal(w->kernel, "7.3");
	assert_null(w->title);
	assert_int_equal(w->memory_bytes, 64 << 20);
	assert_int_equal(w->variants_count, 1);
	assert_string_equal(w->variants[0].name, "default");
	assert_int_equal(w->measure.operations, 8000);
	assert_int_equal(w->measure.duration_ns, 0);
	assert_int_equal(w->measure.host_warmup_ns, 500000000);
	assert_null(w->published.machine);
	workload_free(w);
}

static void
descriptors_are_private_or_shared_by_where_they_are_bound(void **state)
{
	struct workload *w = text_workload(
		"name: slots\ntasks: [2]\nas: processes\n"
		"files:\n  - path: /file${task}\n  - path: /all\n"
		"prepare:\n  - open: { path: /all, fd: all, flags: rdwr }\n"
		"setup:\n  - open: { path: /file1, fd: own }\n  - close: { fd: all }\n"
		"loop:\n  - pread: { fd: own, bytes: 1KiB, offset: 4KiB }\n"
		"  - repeat: { times: 3, do: [ { open: { path: /new, fd: n, flags: [wronly, creat] "
		"} },"
		" { pwrite: { fd: n, bytes: 1 } }, { close: { fd: n } } ] }\n",
		NULL, 0);
	const struct step *repeat = &w->loop.steps[1];

	(void)state;
	assert_int_equal(w->private_slots, 2);
	assert_int_equal(w->shared_slots, 1);
	assert_true(w->setup.steps[1].fd.shared);
	assert_int_equal(w->loop.steps[0].bytes, 1024);
	assert_int_equal(w->loop.steps[0].offset, 4096);
	assert_int_equal(repeat->value, 3);
	assert_int_equal(repeat->body.steps_count, 3);
	assert_int_equal(repeat->body.steps[0].flags, O_WRONLY | O_CREAT);
	assert_int_equal(repeat->body.steps[1].fd.index, 1);
	assert_false(repeat->body.steps[1].fd.shared);
	assert_int_equal(repeat->body.steps[1].line, 14);
	workload_free(w);
}

static void
tasks_sit_where_place_says(void **state)
{
	struct workload *w = text_workload(
		"name: places\ntasks: [1, 2]\nplace: [3, 1]\nloop:\n  - work: 1ns\nvariants:\n"
		"  - { name: common }\n  - { name: own, place: { pair: remote } }\n"
		"  - { name: none, place: machine }\n",
		NULL, 0);
	const struct task_place *common = &w->variants[0].place;

	(void)state;
	assert_int_equal(common->cpus_count, 2);
	assert_int_equal(common->cpus[0], 3);
	assert_int_equal(common->cpus[1], 1);
	assert_int_equal(common->pair, DISTANCE_SELF);
	assert_null(w->variants[1].place.cpus);
	assert_int_equal(w->variants[1].place.pair, DISTANCE_REMOTE);
	assert_null(w->variants[2].place.cpus);
	assert_int_equal(w->variants[2].place.pair, DISTANCE_SELF);
	workload_free(w);
}

static void
a_place_can_be_set_from_the_command_line(void **state)
{
	const struct override override = { .path = "place", .value = "0,2" };
	struct workload *w = text_workload("name: places\ntasks: [2]\nplace: { pair: smt }\n"
					   "loop:\n  - work: 1ns\n",
					   &override, 1);

	(void)state;
	assert_int_equal(w->variants[0].place.cpus_count, 2);
	assert_int_equal(w->variants[0].place.cpus[1], 2);
	assert_int_equal(w->variants[0].place.pair, DISTANCE_SELF);
	workload_free(w);
}

static void
raw_lines_are_found_by_name(void **state)
{
	struct workload *w = text_workload(
		"name: lines\ntasks: 4\nlines:\n  - { name: a }\n  - { name: b, node: 1 }\nloop:\n"
		"  - fetch-add: { line: b, add: 5 }\n  - cmpxchg: { line: a, old: 1, new: 2 }\n"
		"  - cas-loop: { line: b, on_fail: pause }\n  - cas-loop: { line: b }\n"
		"  - pause:\n",
		NULL, 0);

	(void)state;
	assert_int_equal(w->tasks[0], 4);
	assert_int_equal(w->lines[1].node, 1);
	assert_int_equal(w->loop.steps[0].raw_line, 1);
	assert_int_equal(w->loop.steps[0].value, 5);
	assert_int_equal(w->loop.steps[1].raw_line, 0);
	assert_int_equal(w->loop.steps[1].old, 1);
	assert_int_equal(w->loop.steps[1].value, 2);
	assert_int_equal(w->loop.steps[2].value, 1);
	assert_int_equal(w->loop.steps[2].on_fail, ON_FAIL_PAUSE);
	assert_int_equal(w->loop.steps[3].on_fail, ON_FAIL_POLICY);
	assert_int_equal(w->loop.steps[4].op, OP_PAUSE);
	workload_free(w);
}

static void
a_variant_overrides_the_top_level(void **state)
{
	struct workload *w = text_workload(
		SMALL "policy: { page_ref: locked-bit, spinlock: ticket }\nvariants:\n  - name: a\n"
		      "  - { name: b, policy: { page_ref: cas-loop } }\n",
		NULL, 0);

	(void)state;
	assert_int_equal(choice_of(&w->variants[0], "page_ref"), 1);
	assert_int_equal(choice_of(&w->variants[1], "page_ref"), 0);
	assert_int_equal(choice_of(&w->variants[1], "spinlock"), 1);
	workload_free(w);
}

/* Figures of vfs/kernels.def: the release's, unless the file says otherwise. */
static void
a_kernel_sets_what_differs_between_releases(void **state)
{
	static const struct {
		const char *kernel, *lockref, *dentry_layout, *file_layout, *file_ref, *fstat_via,
			*close_fput;
	} releases[] = {
		{ "6.1", "cas-pause", "6.1", "6.1", "inc-not-zero", "path", "deferred" },
		{ "6.2", "cas", "6.1", "6.1", "inc-not-zero", "path", "deferred" },
		{ "6.12", "cas", "6.11", "6.12", "inc-not-zero", "fd", "sync" },
		{ "6.15", "cas", "6.11", "7.3", "file-ref", "fd", "sync" },
		{ "7.3", "cas", "6.11", "7.3", "file-ref", "fd", "sync" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		const struct override kernel = { "kernel", releases[i].kernel, NULL };
		struct workload *w = text_workload(SMALL, &kernel, 1);
		const struct variant *variant = &w->variants[0];

		assert_choice(variant, "lockref", releases[i].lockref);
		assert_choice(variant, "dentry_layout", releases[i].dentry_layout);
		assert_choice(variant, "file_layout", releases[i].file_layout);
		assert_choice(variant, "file_ref", releases[i].file_ref);
		assert_choice(variant, "fstat_via", releases[i].fstat_via);
		assert_choice(variant, "close_fput", releases[i].close_fput);
		assert_choice(variant, "page_ref", "cas-loop");
		workload_free(w);
	}
}

/* Tests and `engine list` speak of defaults, a file without `kernel:` of the newest release. */
static void
defaults_are_those_of_the_newest_kernel(void **state)
{
	struct workload *w = text_workload(SMALL, NULL, 0);
	const struct policy_family *family;

	(void)state;
	for (size_t i = 0; (family = catalogue_family(i)); i++)
		assert_int_equal(w->variants[0].policy[family->number], 0);
	workload_free(w);
}

static void
a_policy_overrides_the_kernel(void **state)
{
	struct workload *w = text_workload(
		SMALL "kernel: 6.1\npolicy: { fstat_via: fd }\nvariants:\n  - name: stock\n"
		      "  - { name: no-pause, policy: { lockref: cas } }\n",
		NULL, 0);

	(void)state;
	assert_choice(&w->variants[0], "lockref", "cas-pause");
	assert_choice(&w->variants[1], "lockref", "cas");
	assert_choice(&w->variants[1], "file_ref", "inc-not-zero");
	assert_choice(&w->variants[1], "fstat_via", "fd");
	workload_free(w);
}

static void
every_call_has_its_arguments(void **state)
{
	struct workload *w =
		text_workload("name: calls\ntasks: [2]\nas: processes\n"
			      "files:\n  - { path: \"/dir/f${n}\", count: 3 }\n"
			      "setup:\n  - open: { path: /dir/f2, fd: a, flags: rdwr }\n"
			      "  - open: { path: /dir, fd: d, flags: [directory, nofollow] }\n"
			      "  - dup: { fd: a, to: b }\n  - dup2: { fd: b, to: a }\n"
			      "  - open: { path: /dir/f1, fd: c, flags: [rdwr, append, noatime] }\n"
			      "  - open: { path: /dir/f1, fd: p, flags: [path, cloexec] }\n"
			      "  - lseek: { fd: c, whence: hole }\n"
			      "  - lseek: { fd: c, offset: 8KiB, whence: data, expect: enxio }\n"
			      "loop:\n  - lseek: { fd: b, offset: 1KiB, whence: end }\n"
			      "  - access: { path: \"/dir/f${task}\", mode: [read, write] }\n"
			      "  - access: { path: /dir }\n"
			      "  - stat: { path: /missing, expect: enoent }\n"
			      "  - getdents: { fd: d }\n"
			      "  - truncate: { path: /dir/f0, size: 8KiB }\n"
			      "  - mkdir: { path: \"/d${task}\" }\n"
			      "  - rename: { from: \"/d${task}\", to: \"/dir/d${task}\" }\n"
			      "  - symlink: { target: ../x, path: \"/dir/l${task}\" }\n"
			      "  - unlink: { path: \"/dir/l${task}\" }\n"
			      "  - rmdir: { path: \"/dir/d${task}\" }\n",
			      NULL, 0);
	const struct step *setup = w->setup.steps;
	const struct step *loop = w->loop.steps;

	(void)state;
	assert_int_equal(w->files[0].count, 3);
	assert_int_equal(setup[1].flags, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	assert_int_equal(setup[2].fd.index, 0);
	assert_int_equal(setup[2].new_fd.index, 2);
	assert_int_equal(setup[3].fd.index, 2);
	assert_int_equal(setup[3].new_fd.index, 0);
	assert_int_equal(setup[4].flags, O_RDWR | O_APPEND | O_NOATIME);
	assert_int_equal(setup[5].flags, O_PATH | O_CLOEXEC);
	assert_int_equal(setup[6].whence, SEEK_HOLE);
	assert_int_equal(setup[7].whence, SEEK_DATA);
	assert_int_equal(setup[7].expect, ENXIO);
	assert_int_equal(loop[0].offset, 1024);
	assert_int_equal(loop[0].whence, SEEK_END);
	assert_int_equal(loop[1].flags, R_OK | W_OK);
	assert_int_equal(loop[2].flags, F_OK);
	assert_int_equal(loop[3].expect, ENOENT);
	assert_int_equal(loop[4].bytes, 32768);
	assert_int_equal(loop[4].expect, 0);
	assert_int_equal(loop[5].offset, 8192);
	assert_string_equal(loop[7].path, "/d${task}");
	assert_string_equal(loop[7].to, "/dir/d${task}");
	assert_string_equal(loop[8].to, "../x");
	workload_free(w);
}

static void
boosts_are_tenths_of_a_percent(void **state)
{
	struct workload *w =
		text_workload(SMALL "published:\n  machine: toy-4\n  unit: boost\n  rows:\n"
				    "    - [1, -0.5, 3%]\n    - [256, 3, 5.1%]\n"
				    "    - [512, ' -1.5', 0]\n",
			      NULL, 0);

	(void)state;
	assert_true(w->published.boost);
	assert_true((s64)w->published.rows[0].values[0] == -5);
	assert_int_equal(w->published.rows[0].values[1], 30);
	assert_int_equal(w->published.rows[1].values[1], 51);
	assert_true((s64)w->published.rows[2].values[0] == -15);
	workload_free(w);
}

static void
micro_measurements_are_base_in_all_columns(void **state)
{
	struct workload *w = shipped_workload("workloads/micro/c2c-e5.yaml", NULL, 0);

	(void)state;
	assert_true(published_is_base(&w->published, 0));
	assert_true(published_is_base(&w->published, 1));
	workload_free(w);
}

static void
the_command_line_changes_any_value(void **state)
{
	const struct override overrides[] = {
		{ "tasks", "1,2", "--tasks" },
		{ "machine", "toy-4", NULL },
		{ "variants[1].policy.page_ref", "none", NULL },
		{ "variants[1].policy.page_ref", "optimistic-cas", NULL },
		{ "loop[0].pread.bytes", "4KiB", NULL },
		{ "loop[1].work", "1us", NULL },
		{ "measure.virtual.duration", "5ms", NULL },
		{ "policy.spinlock", "ticket", NULL },
	};
	struct workload *w =
		shipped_workload("workloads/pread64.yaml", overrides, ARRAY_SIZE(overrides));

	(void)state;
	assert_int_equal(w->tasks_count, 2);
	assert_string_equal(workload_tasks_position(w, 1), "--tasks");
	assert_string_equal(w->machine, "toy-4");
	assert_int_equal(choice_of(&w->variants[1], "page_ref"), 2);
	assert_int_equal(choice_of(&w->variants[1], "spinlock"), 1);
	assert_int_equal(w->loop.steps[0].bytes, 4096);
	assert_int_equal(w->loop.steps[1].time_ns, 1000);
	assert_int_equal(w->measure.duration_ns, 5000000);
	assert_int_equal(w->measure.operations, 0);
	workload_free(w);
}

static void
a_machine_may_be_a_path_on_the_command_line_only(void **state)
{
	const struct override path = { "machine", "workloads/machines/toy-4.yaml", NULL };
	struct workload *w = shipped_workload("workloads/pread64.yaml", &path, 1);

	(void)state;
	assert_string_equal(w->machine, "workloads/machines/toy-4.yaml");
	workload_free(w);
}

static void
positions_are_those_of_an_editor(void **state)
{
	struct workload *w = shipped_workload("workloads/pread64.yaml", NULL, 0);

	(void)state;
	assert_string_equal(workload_tasks_position(w, 3), "workloads/pread64.yaml:18:18");
	assert_string_equal(w->machine_position, "workloads/pread64.yaml:16:10");
	assert_string_equal(w->files[0].position, "workloads/pread64.yaml:23:5");
	assert_int_equal(w->loop.steps[0].line, 29);
	workload_free(w);
}

/* The resolved text of @source without its comments. Return: to be freed. */
static char *
resolved_text(const struct workload_source *source)
{
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	workload_print_resolved(source, out);
	fclose(out);
	return text;
}

static void
cut_comments(char *text)
{
	char *to = text;

	for (char *from = text; *from; from++) {
		if (from[0] == ' ' && from[1] == '#') {
			from += strcspn(from, "\n");
			while (to > text && to[-1] == ' ')
				to--;
		}
		*to++ = *from;
	}
	*to = '\0';
}

static void
the_resolved_file_resolves_to_itself(void **state)
{
	const struct override boost = { "variants[1].policy.spinlock", "ticket", NULL };
	const struct workload_source source = { "workloads/pread64.yaml", &boost, 1 };
	char *first = resolved_text(&source);
	char path[64];
	char *second;

	(void)state;
	assert_non_null(strstr(first, "spinlock: ticket"));
	assert_non_null(strstr(first, "# --set variants[1].policy.spinlock\n"));
	assert_non_null(strstr(first, "# default\n"));
	assert_non_null(strstr(first, "  lockref: cas "));
	assert_non_null(strstr(first, "# kernel 6.15\n"));
	assert_non_null(strstr(first, "# workloads/pread64.yaml:36:40\n"));
	cut_comments(first);
	second = resolved_text(&(struct workload_source){ text_file(first, path), NULL, 0 });
	cut_comments(second);
	assert_string_equal(second, first);
	unlink(path);
	free(first);
	free(second);
}

static void
load_shipped(void *context, const char *file)
{
	struct workload *workload = shipped_workload(file, NULL, 0);

	++*(int *)context;
	assert_non_null(workload->title);
	workload_free(workload);
}

static void
every_shipped_workload_loads(void **state)
{
	char *file = workload_find("faa-storm");
	int count = 0;

	(void)state;
	shipped_each(SHIPPED_WORKLOADS, load_shipped, &count);
	assert_true(count >= 7);
	assert_non_null(file);
	free(file);
	assert_null(workload_find("nonesuch"));
}

static void
the_catalogue_lists_each_table_in_order(void **state)
{
	const struct policy_family *family = catalogue_find_family("page_ref");
	const struct operation *open = catalogue_find_operation("open");

	(void)state;
	assert_string_equal(catalogue_family(0)->name, "spinlock");
	assert_string_equal(family->room, "pagecache");
	assert_int_equal(family->number, POLICY_BASE_PAGECACHE);
	assert_string_equal(family->choices[0].name, "cas-loop");
	assert_int_equal(family->choices[3].flags, POLICY_UNSAFE | POLICY_ONE_TASK);
	assert_null(family->choices[4].name);
	assert_string_equal(open->arguments[0].key, "path");
	assert_true(open->arguments[1].required);
	assert_string_equal(open->arguments[2].fallback, "[rdonly]");
	assert_null(open->arguments[3].key);
	for (int i = 0; i < OP_MAX; i++)
		assert_int_equal(catalogue_operation(i)->code, i);
	assert_null(catalogue_operation(OP_MAX));
	assert_string_equal(catalogue_cost(COST_syscall)->name, "syscall");
	assert_null(catalogue_cost(COST_MAX));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pread64_is_what_its_file_says),
		cmocka_unit_test(pread64_has_its_variants_and_its_table),
		cmocka_unit_test(what_is_left_out_has_its_default),
		cmocka_unit_test(descriptors_are_private_or_shared_by_where_they_are_bound),
		cmocka_unit_test(tasks_sit_where_place_says),
		cmocka_unit_test(a_place_can_be_set_from_the_command_line),
		cmocka_unit_test(raw_lines_are_found_by_name),
		cmocka_unit_test(a_variant_overrides_the_top_level),
		cmocka_unit_test(a_kernel_sets_what_differs_between_releases),
		cmocka_unit_test(defaults_are_those_of_the_newest_kernel),
		cmocka_unit_test(a_policy_overrides_the_kernel),
		cmocka_unit_test(every_call_has_its_arguments),
		cmocka_unit_test(boosts_are_tenths_of_a_percent),
		cmocka_unit_test(micro_measurements_are_base_in_all_columns),
		cmocka_unit_test(the_command_line_changes_any_value),
		cmocka_unit_test(a_machine_may_be_a_path_on_the_command_line_only),
		cmocka_unit_test(positions_are_those_of_an_editor),
		cmocka_unit_test(the_resolved_file_resolves_to_itself),
		cmocka_unit_test(every_shipped_workload_loads),
		cmocka_unit_test(the_catalogue_lists_each_table_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
