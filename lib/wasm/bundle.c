#include "lib/wasm/bundle.h"

#include "lib/core/error.h"
#include "lib/core/names.h"
#include "lib/wasm/host.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_FILES = 4096, MOST_DEPTH = 2 };

static bool ask(void *user)
{
    (void)user;
    return local_ask();
}

static const struct pose_stop stop = {.ask = ask};

/* The module's memory ends at 512 MiB: files, what they unpack to, and their values share it. */
const struct pose_options bundle_options = {
    .limits = {.memory = (size_t)192 << 20, .entries = 20000, .unpacked = 64 << 20, .output = 64 << 20},
    .stop = &stop};

bool bundle_add(struct bundle *bundle, char *name, struct pose_buffer *bytes, unsigned depth,
                struct pose_error *error)
{
    struct bundle_file *files = bundle->files;
    if (bundle->file_count == MOST_FILES)
        error_limit(error, "files", "more than %d files at once", MOST_FILES);
    else if (bundle->file_count == bundle->file_capacity) {
        uint32_t capacity = bundle->file_capacity ? 2 * bundle->file_capacity : 16;
        files = realloc(bundle->files, capacity * sizeof *files);
        bundle->files = files ? files : bundle->files;
        bundle->file_capacity = files ? capacity : bundle->file_capacity;
        if (!files)
            error_no_memory(error);
    }
    if (bundle->file_count >= bundle->file_capacity || bundle->file_count == MOST_FILES) {
        free(name);
        pose_buffer_free(bytes);
        return false;
    }
    bundle->files[bundle->file_count++] = (struct bundle_file){.name = name, .bytes = *bytes, .depth = depth};
    *bytes = (struct pose_buffer){0};
    return true;
}

const char *bundle_name(const struct bundle *bundle, const struct bundle_asset *asset)
{
    const struct bundle_file *file = &bundle->files[asset->file];
    return asset->entry < 0 ? file->name : pose_archive_entry(file->archive, (uint32_t)asset->entry)->name;
}

/* ---------------------------------------------------------------------------------------------- companions -- */

static void forget_kept(struct bundle *bundle)
{
    for (uint32_t i = 0; i < bundle->kept_count; i++)
        pose_buffer_free(&bundle->kept[i]);
    bundle->kept_count = 0;
}

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

struct search {
    struct bundle *bundle;
    const struct bundle_asset *beside;
};

static bool find_in_archive(struct bundle *bundle, const struct pose_archive *archive, const char *name,
                            struct pose_bytes *bytes)
{
    for (uint32_t i = 0; archive && i < pose_archive_count(archive); i++) {
        const struct pose_entry *row = pose_archive_entry(archive, i);
        struct pose_error error;
        if (!row->name || row->error || row->skipped || strcasecmp(base_of(row->name), base_of(name)) != 0 ||
            bundle->kept_count == sizeof bundle->kept / sizeof *bundle->kept)
            continue;
        struct pose_buffer *kept = &bundle->kept[bundle->kept_count];
        *kept = (struct pose_buffer){0};
        pose_error_init(&error);
        if (!pose_archive_read(archive, i, kept, &error))
            return false;
        bundle->kept_count++;
        *bytes = (struct pose_bytes){kept->data, kept->size};
        return true;
    }
    return false;
}

/* In the archive of the file, else among all that were given together. */
static bool find(void *user, const char *name, struct pose_bytes *bytes)
{
    const struct search *search = user;
    struct bundle *bundle = search->bundle;
    if (search->beside->entry >= 0 &&
        find_in_archive(bundle, bundle->files[search->beside->file].archive, name, bytes))
        return true;
    for (uint32_t i = 0; i < bundle->file_count; i++) {
        const struct bundle_file *file = &bundle->files[i];
        if (i == search->beside->file || file->archive || strcasecmp(base_of(file->name), base_of(name)) != 0)
            continue;
        *bytes = (struct pose_bytes){file->bytes.data, file->bytes.size};
        return true;
    }
    return false;
}

/* ----------------------------------------------------------------------------------------------- documents -- */

static struct pose_document *decode(struct bundle *bundle, const struct bundle_asset *place, const char *name,
                                    struct pose_bytes bytes, struct pose_error *error)
{
    struct search search = {bundle, place};
    const struct bundle_file *file = &bundle->files[place->file];
    const struct pose_entry *row =
        place->entry < 0 ? NULL : pose_archive_entry(file->archive, (uint32_t)place->entry);
    const struct pose_source source = {.name = name,
                                       .bytes = bytes,
                                       .format = row ? row->format : NULL,
                                       .game = row ? row->game : NULL,
                                       .find = find,
                                       .user = &search};
    forget_kept(bundle);
    struct pose_document *document = pose_decode(&source, &bundle_options, error);
    forget_kept(bundle);
    return document;
}

struct pose_document *bundle_load(struct bundle *bundle, const struct bundle_asset *asset,
                                  struct pose_error *error)
{
    const struct bundle_file *file = &bundle->files[asset->file];
    struct pose_buffer bytes = {0};
    if (asset->entry < 0)
        return decode(bundle, asset, file->name, (struct pose_bytes){file->bytes.data, file->bytes.size},
                      error);
    if (!pose_archive_read(file->archive, (uint32_t)asset->entry, &bytes, error))
        return NULL;
    struct pose_document *document =
        decode(bundle, asset, bundle_name(bundle, asset), (struct pose_bytes){bytes.data, bytes.size}, error);
    pose_buffer_free(&bytes);
    return document;
}

static bool is_archive(const struct pose_source *source)
{
    const char *id = pose_detect(source);
    const struct pose_format *format = id ? pose_format_find(id) : NULL;
    return format && strstr(format->kinds, "archive");
}

/* ------------------------------------------------------------------------------------------------- entries -- */

/* An archive in an archive becomes a file of its own. */
static void keep_nested(struct bundle *bundle, const struct bundle_asset *place, struct pose_buffer *bytes,
                        struct pose_error *error)
{
    unsigned depth = bundle->files[place->file].depth + 1;
    if (depth > MOST_DEPTH) {
        error_set(error, POSE_UNSUPPORTED, "nested_too_deep",
                  "archives in archives in archives are not opened");
        return;
    }
    struct pose_buffer copy = {0};
    char *name = strdup(bundle_name(bundle, place));
    if (!name || !pose_buffer_append(&copy, bytes->data, bytes->size)) {
        free(name);
        error_no_memory(error);
        return;
    }
    bundle_add(bundle, name, &copy, depth, error);
}

static void scan_entry(struct bundle *bundle, const struct bundle_asset *place, struct pose_buffer *bytes,
                       struct pose_error *error)
{
    const char *name = bundle_name(bundle, place);
    const struct pose_source source = {.name = name, .bytes = {bytes->data, bytes->size}};
    const struct pose_entry *row =
        pose_archive_entry(bundle->files[place->file].archive, (uint32_t)place->entry);
    if (!row->format && is_archive(&source)) {
        keep_nested(bundle, place, bytes, error);
        return;
    }
    struct pose_document *document = decode(bundle, place, name, source.bytes, error);
    if (document)
        describe_document(bundle, document, place);
    pose_document_free(document);
}

static void scan_archive(struct bundle *bundle, uint32_t file)
{
    const struct pose_archive *archive = bundle->files[file].archive;
    jsonw_warnings(&bundle->warnings,
                   pose_archive_warning_count(archive) ? pose_archive_warning(archive, 0) : NULL,
                   pose_archive_warning_count(archive) ? 1 : 0);
    for (uint32_t i = 0; i < pose_archive_count(archive) && !local_ask(); i++) {
        const struct pose_entry *row = pose_archive_entry(archive, i);
        const struct bundle_asset place = {.file = file, .entry = i};
        struct pose_buffer bytes = {0};
        struct pose_error error;
        pose_error_init(&error);
        if (row->skipped || row->is_copy)
            continue;
        if (row->error)
            error = *row->error;
        else if (pose_archive_read(archive, i, &bytes, &error))
            scan_entry(bundle, &place, &bytes, &error);
        pose_buffer_free(&bytes);
        if (error.status != POSE_OK && error.status != POSE_UNKNOWN_FORMAT)
            describe_rejected(bundle, row->name, &error);
    }
}

static bool scan_file(struct bundle *bundle, uint32_t index, struct pose_error *error)
{
    const struct bundle_file *file = &bundle->files[index];
    const struct bundle_asset place = {.file = index, .entry = -1};
    const struct pose_source source = {.name = file->name, .bytes = {file->bytes.data, file->bytes.size}};
    if (is_archive(&source)) {
        struct pose_archive *archive = pose_archive_open(&source, &bundle_options, error);
        if (!archive)
            return false;
        bundle->files[index].archive = archive;
        bundle->format = pose_archive_format(archive);
        bundle->decoded++;
        scan_archive(bundle, index);
        return true;
    }
    struct pose_document *document = bundle_load(bundle, &place, error);
    if (!document)
        return false;
    bundle->format = pose_format_find(document->format)->id;
    bundle->decoded++;
    describe_document(bundle, document, &place);
    pose_document_free(document);
    return true;
}

/* ------------------------------------------------------------------------------------------------ the whole -- */

static void begin_list(struct json_writer *json, struct pose_buffer *text)
{
    jsonw_init(json, text);
    jsonw_array(json, NULL);
}

bool bundle_scan(struct bundle *bundle, struct pose_error *error)
{
    for (unsigned kind = 0; kind < BUNDLE_KINDS; kind++)
        begin_list(&bundle->lists[kind].json, &bundle->lists[kind].text);
    begin_list(&bundle->rejected, &bundle->rejected_text);
    begin_list(&bundle->warnings, &bundle->warnings_text);
    /* The list grows by the archives that are found in archives. */
    for (uint32_t i = 0; i < bundle->file_count; i++) {
        struct pose_error local;
        pose_error_init(&local);
        if (scan_file(bundle, i, &local))
            continue;
        describe_rejected(bundle, bundle->files[i].name, &local);
        if (error->status == POSE_OK || error->status == POSE_UNKNOWN_FORMAT)
            *error = local;
    }
    if (!bundle->decoded && error->status == POSE_OK)
        error_set(error, POSE_BAD_ARGUMENT, "no_files", "no files were given");
    return bundle->decoded;
}

void bundle_free(struct bundle *bundle)
{
    forget_kept(bundle);
    for (unsigned kind = 0; kind < BUNDLE_KINDS; kind++) {
        pose_buffer_free(&bundle->lists[kind].text);
        free(bundle->lists[kind].assets);
    }
    pose_buffer_free(&bundle->rejected_text);
    pose_buffer_free(&bundle->warnings_text);
    for (uint32_t i = 0; i < bundle->file_count; i++) {
        pose_archive_close(bundle->files[i].archive);
        pose_buffer_free(&bundle->files[i].bytes);
        free(bundle->files[i].name);
    }
    free(bundle->files);
    *bundle = (struct bundle){0};
}
