/*
 * symbolise.c - see symbolise.h
 *
 * Glossary: a DIE is one entry of the debug information (a function, an inlined
 * call, a struct, a member); a CU holds those of one source file. The scopes of
 * an address are the DIEs around it, innermost first; each inlined call among
 * them says from where it was called, which is how the chain leads outwards.
 */
#include "engine/symbolise.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/memory.h"

#define HIDDEN_ROOM "machine/" /* frames in here are shown only if there is nothing else */
#define MAX_DEPTH 8		/* of structures within structures */

/* An answer that was given before: many points stall on the same few lines. */
struct answer {
	char *type;	/* of a field; NULL: a site */
	u64 number;	/* offset, or pc */
	char *text;	/* NULL: there is none */
};

/* Opened on first use. */
static struct {
	bool tried;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf_Addr bias;	/* from address in memory to address in the file */
	struct answer *answers;
	size_t nr_answers;
} self;

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* The first object that the dynamic linker lists is the program. */
static int
program_base(struct dl_phdr_info *info, size_t size, void *base)
{
	*(Dwarf_Addr *)base = info->dlpi_addr;
	return 1;
}

static bool
open_self(void)
{
	Dwarf_Addr base = 0;
	Dwarf_Addr start = 0;

	if (self.tried)
		return self.module;
	self.tried = true;
	self.dwfl = dwfl_begin(&callbacks);
	if (!self.dwfl)
		return false;
	self.module = dwfl_report_offline(self.dwfl, "", "/proc/self/exe", -1);
	dwfl_report_end(self.dwfl, NULL, NULL);
	if (!self.module)
		return false;
	dl_iterate_phdr(program_base, &base);
	dwfl_module_info(self.module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
	self.bias = start - base;
	return true;
}

static const struct answer *
recall(const char *type, u64 number)
{
	for (size_t i = 0; i < self.nr_answers; i++) {
		const struct answer *answer = &self.answers[i];

		if (answer->number != number || !answer->type != !type)
			continue;
		if (!type || !strcmp(answer->type, type))
			return answer;
	}
	return NULL;
}

/* Takes over @text. */
static const struct answer *
remember(const char *type, u64 number, char *text)
{
	size_t size = (self.nr_answers + 1) * sizeof(*self.answers);
	struct answer *answer;

	self.answers = xrealloc(self.answers, size);
	answer = &self.answers[self.nr_answers++];
	*answer = (struct answer){ type ? xstrdup(type) : NULL, number, text };
	return answer;
}

void
symbolise_done(void)
{
	if (self.dwfl)
		dwfl_end(self.dwfl);
	for (size_t i = 0; i < self.nr_answers; i++) {
		free(self.answers[i].type);
		free(self.answers[i].text);
	}
	free(self.answers);
	memset(&self, 0, sizeof(self));
}

/* "/somewhere/project/./vfs/file.c" is "vfs/file.c" when compiled in "/somewhere/project". */
static const char *
relative_source(Dwarf_Die *cu, const char *file)
{
	Dwarf_Attribute attribute;
	const char *folder = dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attribute));
	size_t length = folder ? strlen(folder) : 0;

	if (length && !strncmp(file, folder, length) && file[length] == '/')
		file += length + 1;
	while (!strncmp(file, "./", 2))
		file += 2;
	return file;
}

struct place {
	const char *file;
	int line;
};

static bool
is_hidden(const struct place *place)
{
	return !strncmp(place->file, HIDDEN_ROOM, strlen(HIDDEN_ROOM));
}

static bool
innermost_place(Dwarf_Die *cu, Dwarf_Addr pc, struct place *place)
{
	Dwarf_Line *line = dwarf_getsrc_die(cu, pc);
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;

	if (!file || dwarf_lineno(line, &place->line))
		return false;
	place->file = relative_source(cu, file);
	return true;
}

/* From where the inlined call @scope was made. */
static bool
call_place(Dwarf_Die *cu, Dwarf_Die *scope, struct place *place)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Word line;
	Dwarf_Files *files;
	size_t nr_files;
	const char *file;

	if (dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute), &number) ||
	    dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), &line) ||
	    dwarf_getsrcfiles(cu, &files, &nr_files))
		return false;
	file = dwarf_filesrc(files, number, NULL, NULL);
	if (!file)
		return false;
	*place = (struct place){ .file = relative_source(cu, file), .line = line };
	return true;
}

/*
 * DIEs around @pc, innermost first. dwarf_getscopes() alone would go on from an
 * inlined function to where that was defined, and not to where it was called.
 */
static int
physical_scopes(Dwarf_Die *cu, Dwarf_Addr pc, Dwarf_Die **scopes)
{
	Dwarf_Die *lexical = NULL;
	int nr = dwarf_getscopes(cu, pc, &lexical);

	*scopes = NULL;
	if (nr > 0)
		nr = dwarf_getscopes_die(&lexical[0], scopes);
	free(lexical);
	return nr;
}

/* Walk outwards from @place until a frame outside the hidden room, or the last one. */
static void
leave_hidden_room(Dwarf_Die *cu, Dwarf_Addr pc, struct place *place)
{
	Dwarf_Die *scopes;
	int nr = physical_scopes(cu, pc, &scopes);

	for (int i = 0; i < nr && is_hidden(place); i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine)
			call_place(cu, &scopes[i], place);
	free(scopes);
}

static char *
find_site(u64 pc)
{
	struct place place;
	Dwarf_Addr bias;
	Dwarf_Die *cu;

	if (!open_self())
		return xstrdup("?");
	pc = pc - 1 + self.bias;
	cu = dwfl_module_addrdie(self.module, pc, &bias);
	if (!cu || !innermost_place(cu, pc - bias, &place))
		return xstrdup("?");
	leave_hidden_room(cu, pc - bias, &place);
	return xasprintf("%s:%d", place.file, place.line);
}

char *
symbolise_site(u64 pc)
{
	const struct answer *answer = recall(NULL, pc);

	if (!answer)
		answer = remember(NULL, pc, find_site(pc));
	return xstrdup(answer->text);
}

/* The type behind @die without its typedefs and qualifiers. Return: false if none. */
static bool
plain_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, type) && !dwarf_peel_type(type, type);
}

static char *field_in_struct(Dwarf_Die *type, u64 offset, int depth);

/* "[3]" or "[3].name": @offset lies in an array of elements of @array's type. */
static char *
field_in_array(Dwarf_Die *array, u64 offset, int depth)
{
	Dwarf_Die element;
	Dwarf_Word size;
	char *inner = NULL;
	char *name;

	if (!plain_type(array, &element) || dwarf_aggregate_size(&element, &size) || !size)
		return NULL;
	if (dwarf_tag(&element) == DW_TAG_structure_type)
		inner = field_in_struct(&element, offset % size, depth + 1);
	name = xasprintf("[%llu]%s%s", (unsigned long long)(offset / size), inner ? "." : "",
			 inner ? inner : "");
	free(inner);
	return name;
}

/* The only field of atomic_t and atomic64_t says nothing that its owner's name does not. */
static char *
drop_counter(char *name)
{
	if (!name || strcmp(name, "counter"))
		return name;
	free(name);
	return NULL;
}

/* Name of what lies at @offset in the member @member: its own, and further inwards. */
static char *
member_name(Dwarf_Die *member, Dwarf_Die *type, u64 offset, int depth)
{
	const char *own = dwarf_diename(member);
	int tag = dwarf_tag(type);
	char *inner = NULL;
	char *name;

	if (tag == DW_TAG_structure_type || tag == DW_TAG_union_type)
		inner = field_in_struct(type, offset, depth + 1);
	else if (tag == DW_TAG_array_type)
		inner = field_in_array(type, offset, depth);
	if (!own)
		return inner;
	inner = drop_counter(inner);
	name = xasprintf("%s%s%s", own, inner && *inner != '[' ? "." : "", inner ? inner : "");
	free(inner);
	return name;
}

static u64
member_offset(Dwarf_Die *member)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset = 0;

	if (dwarf_attr(member, DW_AT_data_member_location, &attribute))
		dwarf_formudata(&attribute, &offset);
	return offset;
}

/* A place in bytes or other elements: it says less than a member of its own does. */
static bool
is_element(const char *name)
{
	return name[strlen(name) - 1] == ']';
}

/* Of a union the first member that covers @offset is taken, one that is no array before others. */
static char *
field_in_struct(Dwarf_Die *type, u64 offset, int depth)
{
	char *found = NULL;
	Dwarf_Die member;

	if (depth > MAX_DEPTH || dwarf_child(type, &member))
		return NULL;
	do {
		u64 start = member_offset(&member);
		Dwarf_Die inner;
		Dwarf_Word size;
		char *name;

		if (dwarf_tag(&member) != DW_TAG_member || offset < start ||
		    !plain_type(&member, &inner) || dwarf_aggregate_size(&inner, &size) ||
		    offset >= start + size)
			continue;
		name = member_name(&member, &inner, offset - start, depth);
		if (!name || (found && is_element(name))) {
			free(name);
			continue;
		}
		free(found);
		found = name;
		if (!is_element(found))
			break;
	} while (!dwarf_siblingof(&member, &member));
	return found;
}

/* Find the complete `struct @name` among the top-level DIEs of @cu. */
static bool
find_struct(Dwarf_Die *cu, const char *name, Dwarf_Die *found)
{
	if (dwarf_child(cu, found))
		return false;
	do {
		const char *own = dwarf_diename(found);

		if (dwarf_tag(found) == DW_TAG_structure_type && own && !strcmp(own, name) &&
		    !dwarf_hasattr(found, DW_AT_declaration))
			return true;
	} while (!dwarf_siblingof(found, found));
	return false;
}

static char *
find_field(const char *type, u64 offset)
{
	Dwarf_Die *cu = NULL;
	Dwarf_Die found;
	Dwarf_Addr bias;

	if (!open_self())
		return NULL;
	while ((cu = dwfl_module_nextcu(self.module, cu, &bias)))
		if (find_struct(cu, type, &found))
			return field_in_struct(&found, offset, 0);
	return NULL;
}

char *
symbolise_field(const char *type, u64 offset)
{
	const struct answer *answer = recall(type, offset);

	if (!answer)
		answer = remember(type, offset, find_field(type, offset));
	return answer->text ? xstrdup(answer->text) : NULL;
}
