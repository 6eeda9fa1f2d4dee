#include "server/library/index/nested.h"

#include "server/library/index/refusal.h"

#include "lib/core/error.h"
#include <stdlib.h>
#include <string.h>

struct index_nested *nested_open(uint32_t entry, const char *name, struct pose_buffer *bytes,
                                 const struct pose_options *options, struct pose_error *error)
{
    struct pose_source source = {.name = name, .bytes = {bytes->data, bytes->size}};
    struct pose_archive *archive = pose_archive_open(&source, options, error);
    if (!archive)
        return NULL;
    struct index_nested *nested = must_alloc(1, sizeof *nested);
    *nested = (struct index_nested){
        .entry = entry, .count = pose_archive_count(archive), .bytes = *bytes, .archive = archive};
    *bytes = (struct pose_buffer){0};
    return nested;
}

static void close_one(struct index_nested *nested)
{
    pose_archive_close(nested->archive);
    pose_buffer_free(&nested->bytes);
    nested->archive = NULL;
}

void nested_free(struct index_nested *nested)
{
    if (nested)
        close_one(nested);
    free(nested);
}

static char *inner_name(struct region *region, const char *outer, const char *inner)
{
    size_t length = strlen(outer), size = length + strlen(inner) + 2;
    char *name = region_alloc(region, size, 1);
    if (!name)
        return NULL;
    memcpy(name, outer, length);
    name[length] = '/';
    memcpy(name + length + 1, inner, strlen(inner));
    return name;
}

bool nested_attach(struct index_archive *archive, struct index_nested *nested)
{
    uint32_t before = archive->entry_count, count = before + nested->count;
    struct region *region = &archive->region;
    struct index_nested **list =
        reallocarray(archive->nested, (size_t)archive->nested_count + 1, sizeof(struct index_nested *));
    if (!list)
        return false;
    archive->nested = list;
    struct region names = {.may_fail = true};
    nested->first = before;
    /* Capacity doubles, so that the total cost stays linear. */
    if (count > archive->entry_capacity) {
        uint32_t capacity = count > UINT32_MAX / 2 ? count : count * 2;
        struct index_entry **larger = REGION_NEW(region, struct index_entry *, capacity);
        if (!larger)
            return false;
        archive->entry_capacity = capacity;
        memcpy(larger, archive->entries, before * sizeof *larger);
        archive->entries = larger;
    }
    const char *outer = archive->entries[nested->entry]->name;
    for (uint32_t i = 0; i < nested->count; i++) {
        struct entry_facts facts = entry_facts_of(nested->archive, i);
        const char *name = inner_name(&names, outer, facts.name);
        facts.name = name ? name : "";
        archive->entries[before + i] = index_entry_plain(&facts);
        if (!name || archive->entries[before + i]->region.failed)
            archive_no_memory(archive);
    }
    region_release(&names);
    archive->entry_count = count;
    archive->nested[archive->nested_count++] = nested;
    return true;
}

uint32_t nested_own_count(const struct index_archive *archive)
{
    return archive->nested_count ? archive->nested[0]->first : archive->entry_count;
}

/* The nested container of an entry. The list is sorted by entry. */
static struct index_nested *find(const struct index_archive *archive, uint32_t entry)
{
    uint32_t low = 0, high = archive->nested_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (archive->nested[middle]->first <= entry)
            low = middle;
        else
            high = middle;
    }
    return archive->nested[low];
}

unsigned nested_level(const struct index_archive *archive, uint32_t entry)
{
    const uint32_t own = nested_own_count(archive);
    return entry < own ? 0 : find(archive, entry)->entry < own ? 1 : 2;
}

bool nested_may_open(const struct index_archive *archive, uint32_t entry)
{
    const unsigned level = nested_level(archive, entry);
    return !level || (level == 1 && strcmp(pose_archive_format(find(archive, entry)->archive), "zip") != 0);
}

struct entry_facts nested_facts(const struct index_archive *archive, uint32_t entry)
{
    const struct index_nested *nested = find(archive, entry);
    struct entry_facts facts = entry_facts_of(nested->archive, entry - nested->first);
    facts.name = archive->entries[entry]->name;
    return facts;
}

/* Copies borrowed memory, so that the buffer owns it. */
static bool own(struct pose_buffer *buffer, struct pose_error *error)
{
    if (buffer->capacity || !buffer->size)
        return true;
    uint8_t *copy = malloc(buffer->size);
    if (!copy) {
        pose_error_init(error);
        return error_no_memory(error);
    }
    memcpy(copy, buffer->data, buffer->size);
    *buffer = (struct pose_buffer){.data = copy, .size = buffer->size, .capacity = buffer->size};
    return true;
}

bool nested_read(const struct index_archive *archive, uint32_t entry, const struct pose_stop *stop,
                 struct pose_buffer *out, struct pose_error *error)
{
    const struct index_nested *nested = find(archive, entry);
    uint32_t inner = entry - nested->first;
    if (nested->archive)
        return pose_archive_read_until(nested->archive, inner, stop, out, error);
    /* Recursion ends after one step: nested_may_open allows two levels. */
    struct pose_buffer bytes = {0};
    const bool is_own = nested->entry < nested_own_count(archive);
    if (!(is_own ? pose_archive_read_until(archive->archive, nested->entry, stop, &bytes, error)
                 : nested_read(archive, nested->entry, stop, &bytes, error)))
        return false;
    struct pose_source source = {.name = archive->entries[nested->entry]->name,
                                 .bytes = {bytes.data, bytes.size}};
    struct pose_archive *opened = pose_archive_open(&source, &(struct pose_options){.stop = stop}, error);
    bool done = opened && pose_archive_read_until(opened, inner, stop, out, error) && own(out, error);
    pose_archive_close(opened);
    pose_buffer_free(&bytes);
    return done;
}

/* Whether keeping it open costs more than its directory: it was unpacked, or is a single stream. One of the second level
 * may borrow bytes that the first one owns, and closes with it. */
static bool is_heavy(const struct index_archive *archive, const struct index_nested *nested)
{
    return nested->bytes.capacity || nested->entry >= nested_own_count(archive) ||
           (nested->archive && pose_archive_is_stream(nested->archive));
}

void nested_close(struct index_archive *archive)
{
    for (uint32_t i = archive->nested_count; i-- > 0;) { /* borrowers first */
        if (is_heavy(archive, archive->nested[i]))
            close_one(archive->nested[i]);
    }
}

void nested_release(struct index_archive *archive)
{
    for (uint32_t i = archive->nested_count; i-- > 0;) /* borrowers first */
        nested_free(archive->nested[i]);
    free(archive->nested);
    archive->nested = NULL;
    archive->nested_count = 0;
}
