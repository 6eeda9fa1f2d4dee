#include "server/library/entry/entry.h"

#include "server/library/entry/assets.h"
#include "server/library/entry/tighten.h"
#include "server/library/texts.h"

#include <string.h>

void index_entry_ref(struct index_entry *entry)
{
    atomic_fetch_add_explicit(&entry->references, 1, memory_order_relaxed);
}

static void drop_assets(struct index_entry *entry)
{
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        text_drop(entry->assets[i].words);
        text_drop(entry->assets[i].events);
        if (entry->is_tight)
            entry_drop_shared(&entry->assets[i]);
    }
    entry->asset_count = 0;
}

void index_entry_unref(struct index_entry *entry)
{
    if (atomic_fetch_sub_explicit(&entry->references, 1, memory_order_acq_rel) != 1)
        return;
    drop_assets(entry);
    struct region region = entry->region;
    region_release(&region);
}

/* The library's own string for the format, in static storage, unlike that of a request. */
static const char *format_known(const char *id)
{
    const struct pose_format *format = id ? pose_format_find(id) : NULL;
    return format ? format->id : id;
}

struct entry_facts entry_facts_of(const struct pose_archive *container, uint32_t index)
{
    const struct pose_entry *row = pose_archive_entry(container, index);
    return (struct entry_facts){.name = row->name,
                                .size = row->size,
                                .kind = row->kind,
                                .format = row->format,
                                .game = row->game,
                                .skipped = row->skipped,
                                .is_copy = row->is_copy,
                                .error = row->error};
}

static const struct pose_error no_memory = {
    .status = POSE_NO_MEMORY, .code = "no_memory", .detail = "out of memory", .offset = POSE_NO_OFFSET};

static struct index_entry *new_entry(const struct entry_facts *facts)
{
    struct region region;
    region_init(&region);
    struct index_entry *entry = REGION_NEW(&region, struct index_entry, 1);
    atomic_init(&entry->references, 1);
    /* The sizes from here on depend on files or clients. */
    region.may_fail = true;
    const char *name = region_text(&region, facts->name);
    entry->name = name ? name : "";
    entry->size = facts->size;
    entry->kind = facts->kind ? facts->kind : "other";
    entry->format = format_known(facts->format);
    entry->game = region_text(&region, facts->game);
    entry->stamp = facts->stamp;
    entry->is_copy = facts->is_copy;
    entry->region = region;
    if (region.failed)
        entry->error = &no_memory;
    return entry;
}

static void set_error(struct index_entry *entry, const struct pose_error *error)
{
    struct pose_error *copy = REGION_NEW(&entry->region, struct pose_error, 1);
    if (copy)
        *copy = *error;
    entry->error = copy ? copy : &no_memory;
}

struct index_entry *index_entry_plain(const struct entry_facts *facts)
{
    struct index_entry *entry = new_entry(facts);
    if (facts->error) {
        set_error(entry, facts->error);
    } else if (facts->skipped) {
        struct pose_error error;
        pose_error_init(&error);
        error.status = POSE_UNSUPPORTED;
        strncpy(error.code, facts->skipped, sizeof error.code - 1);
        const char *why = "the entry is not readable: ";
        strncpy(error.detail, why, sizeof error.detail - 1);
        strncat(error.detail, facts->skipped, sizeof error.detail - strlen(error.detail) - 1);
        set_error(entry, &error);
    }
    return entry;
}

/* "clip" for "clip skeleton": the kind of an entry of that format that cannot be decoded. */
static const char *first_kind(const char *format_id)
{
    static const char *const kinds[] = {"clip", "skeleton", "mesh", "events", "character", "image"};
    const struct pose_format *format = pose_format_find(format_id);
    for (size_t i = 0; format && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!strncmp(format->kinds, kinds[i], strlen(kinds[i])))
            return kinds[i];
    }
    return "other";
}

static const char *kind_of_document(const struct pose_document *document)
{
    if (document->clip_count)
        return "clip";
    if (document->skeleton_count)
        return "skeleton";
    if (document->mesh_count)
        return "mesh";
    if (document->character_count)
        return "character";
    if (document->image_count)
        return "image";
    return document->event_count ? "events" : first_kind(document->format);
}

/* Keeps the facts that linking needs. */
static void take_facts(struct index_entry *entry, const struct pose_document *document)
{
    struct pose_buffer facts = {0};
    if (pose_facts(document, &facts) && facts.size) {
        uint8_t *copy = REGION_NEW(&entry->region, uint8_t, facts.size);
        if (copy) {
            memcpy(copy, facts.data, facts.size);
            entry->facts = (struct pose_bytes){copy, facts.size};
        }
    }
    pose_buffer_free(&facts);
}

/* Describes a document as an entry. If out of memory, the entry has an error and no assets. */
static bool describe(struct index_entry *entry, const struct entry_facts *facts,
                     const struct pose_document *document, struct pose_bytes bytes,
                     const struct companion_finder *finder)
{
    index_add_assets(entry, document);
    bool done = !entry->region.failed && index_give_ids(entry, facts->game, document, bytes, finder);
    if (done)
        take_facts(entry, document);
    if (done && !entry->region.failed && !finder->no_memory)
        return true;
    drop_assets(entry);
    entry->error = &no_memory;
    return false;
}

static _Atomic uint64_t decodes;

uint64_t index_decodes(void)
{
    return atomic_load_explicit(&decodes, memory_order_relaxed);
}

struct pose_document *index_pose_decode(const struct pose_source *source, const struct pose_options *options,
                                        struct pose_error *error)
{
    atomic_fetch_add_explicit(&decodes, 1, memory_order_relaxed);
    return pose_decode(source, options, error);
}

struct index_entry *index_entry_decode(const struct entry_facts *facts, struct pose_bytes bytes,
                                       struct companion_finder *finder, const struct index_options *options)
{
    struct index_entry *entry = new_entry(facts);
    struct pose_source source = {.name = facts->name,
                                 .bytes = bytes,
                                 .format = facts->format,
                                 .game = facts->game,
                                 .find = finder_find,
                                 .user = finder};
    struct pose_error error;
    struct pose_document *document = index_pose_decode(&source, &options->pose, &error);
    entry->wants_companions = finder->asked;
    entry->beside = finder->beside;
    entry->size = bytes.size;
    if (document) {
        entry->format = document->format;
        entry->kind = kind_of_document(document);
        bool done = describe(entry, facts, document, bytes, finder);
        if (done && options->keep)
            options->keep(options->keep_user, entry, document);
        else
            pose_document_free(document);
    } else if (error.status != POSE_UNKNOWN_FORMAT) {
        set_error(entry, &error);
        entry->format = facts->format ? format_known(facts->format) : pose_detect(&source);
        if (!facts->kind && entry->format)
            entry->kind = first_kind(entry->format);
    }
    return options->keep ? entry : index_entry_tighten(entry, options->spills);
}
