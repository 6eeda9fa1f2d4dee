#include "server/library/index/archive.h"

#include "server/library/entry/entry.h"
#include "server/library/index/folder.h"
#include "server/library/index/name_slots.h"
#include "server/library/index/nested.h"
#include "server/library/index/refusal.h"
#include "lib/core/error.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void index_archive_ref(struct index_archive *archive)
{
    atomic_fetch_add_explicit(&archive->references, 1, memory_order_relaxed);
}

/* From this many entries on, freed memory is returned to the system, since it consists of many small
 * blocks. */
enum { WORTH_TRIMMING = 10000 };

static atomic_uint_fast64_t weighed_count, weighed_bytes;

struct index_weights index_weights(void)
{
    return (struct index_weights){atomic_load(&weighed_count), atomic_load(&weighed_bytes)};
}

size_t index_memory(const struct index_archive *archive)
{
    enum { DIRECTORY_ROW = 64 }; /* of a container */
    size_t size = sizeof *archive->blob + region_size(&archive->region);
    if (archive->archive)
        size += (size_t)pose_archive_count(archive->archive) * DIRECTORY_ROW;
    for (uint32_t e = 0; e < archive->entry_count; e++)
        size += region_size(&archive->entries[e]->region);
    return size;
}

void index_weigh(struct index_archive *archive)
{
    if (archive->weight)
        return;
    archive->weight = index_memory(archive);
    atomic_fetch_add(&weighed_count, 1);
    atomic_fetch_add(&weighed_bytes, archive->weight);
}

static void discount(const struct index_archive *archive)
{
    if (!archive->weight)
        return;
    atomic_fetch_sub(&weighed_count, 1);
    atomic_fetch_sub(&weighed_bytes, archive->weight);
}

void index_archive_unref(struct index_archive *archive)
{
    if (!archive || atomic_fetch_sub_explicit(&archive->references, 1, memory_order_acq_rel) != 1)
        return;
    uint32_t freed = archive->folder ? folder_release(archive) : archive->entry_count;
    for (uint32_t i = 0; !archive->folder && i < archive->entry_count; i++) {
        if (archive->kept)
            pose_document_free(archive->kept[i]);
        if (archive->entries[i])
            index_entry_unref(archive->entries[i]);
    }
    nested_release(archive);
    pose_archive_close(archive->archive);
    if (archive->map.mapped)
        file_release(&archive->map);
    discount(archive);
    blob_release(archive->blob);
    bool is_large = freed > WORTH_TRIMMING;
    struct region region = archive->region;
    region_release(&region);
    if (is_large)
        malloc_trim(0);
}

/* --------------------------------------------------------------------------------------------- finishing -- */

void archive_finish(struct index_archive *archive)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        if (archive->entries[i])
            archive->entries[kept++] = archive->entries[i];
    }
    archive->entry_count = kept;
    if (archive->folder) {
        if (!folder_sort_names(archive))
            archive_no_memory(archive);
        return;
    }
    archive->names = REGION_NEW(&archive->region, struct name_slot, kept);
    archive->name_count = archive->names ? kept : 0;
    if (archive->names)
        name_slots_fill(archive, archive->names);
    else
        archive_no_memory(archive);
}

/* ----------------------------------------------------------------------------------------------- sealing -- */

/* A digest of everything that lists show, except the time. */
static struct asset_id digest_of(const struct index_archive *archive)
{
    struct asset_id digest = id_quick(NULL, &archive->id, sizeof archive->id);
    digest = id_quick(&digest, archive->name, strlen(archive->name));
    if (archive->folder)
        return id_quick(&digest, archive->folder->content, sizeof archive->folder->content);
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        const struct index_entry *entry = archive->entries[e];
        digest = id_quick(&digest, entry->name, strlen(entry->name));
        digest = id_quick(&digest, &entry->content, sizeof entry->content);
        if (entry->error)
            digest = id_quick(&digest, entry->error->detail, strlen(entry->error->detail));
    }
    return digest;
}

uint64_t index_bytes_of(const struct index_archive *archive)
{
    uint64_t bytes = archive->folder ? archive->folder->bytes : archive->bytes;
    for (uint32_t i = 0; !archive->folder && !archive->bytes && i < archive->entry_count; i++)
        bytes += archive->entries[i]->size;
    return bytes;
}

static void set_created(struct index_archive *archive, int64_t created_ms)
{
    archive->created_ms = created_ms;
    archive->digest = id_quick(&archive->digest, &created_ms, sizeof created_ms);
}

void index_set_standing(struct index_archive *archive, const struct index_standing *standing)
{
    set_created(archive, standing->created_ms);
    archive->expires_ms = standing->expires_ms;
    archive->uploader = region_text(&archive->region, standing->uploader);
    atomic_store(&archive->is_waiting, standing->is_waiting);
    if (archive->uploader)
        archive->digest = id_quick(&archive->digest, archive->uploader, strlen(archive->uploader));
    if (archive->expires_ms)
        archive->digest = id_quick(&archive->digest, &archive->expires_ms, sizeof archive->expires_ms);
}

struct index_standing index_standing_of(const struct index_archive *archive)
{
    return (struct index_standing){.created_ms = archive->created_ms,
                                   .expires_ms = archive->expires_ms,
                                   .uploader = archive->uploader,
                                   .is_waiting = atomic_load(&archive->is_waiting)};
}

bool archive_is_sealed(const struct index_archive *archive)
{
    static const struct asset_id none;
    return !id_equal(&archive->digest, &none);
}

bool index_wants_companions(const struct index_archive *archive)
{
    if (archive->folder)
        return archive->folder->wanting;
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        if (archive->entries[i]->wants_companions)
            return true;
    }
    return false;
}

void archive_seal(struct index_archive *archive)
{
    enum { NS_PER_MS = 1000000 };
    if (archive_is_sealed(archive))
        return;
    if (archive->folder && !folder_seal(archive))
        return;
    int64_t newest = archive->folder ? archive->folder->newest_ns : archive->stamp.modified_ns;
    for (uint32_t e = 0; !archive->folder && e < archive->entry_count; e++) {
        const int64_t modified_ns = archive->entries[e]->stamp.modified_ns;
        newest = modified_ns > newest ? modified_ns : newest;
    }
    archive->has_wanting = index_wants_companions(archive);
    archive->digest = digest_of(archive);
    set_created(archive, newest / NS_PER_MS);
}

/* ----------------------------------------------------------------------------------------------- reading -- */

static bool changed(const char *name, struct pose_error *error)
{
    pose_error_init(error);
    error->status = POSE_BAD_ARGUMENT;
    snprintf(error->code, sizeof error->code, "changed");
    snprintf(error->detail, sizeof error->detail, "%s changed on disk since it was indexed", name);
    return false;
}

static bool read_file(const char *path, const struct file_stamp *stamp, struct pose_buffer *out,
                      struct pose_error *error)
{
    struct file_bytes file;
    if (!file_read(path, 0, &file, error))
        return false;
    if (!stamp_equal(&file.stamp, stamp)) {
        file_release(&file);
        return changed(path, error);
    }
    /* The bytes are from malloc, as required for a buffer without an allocator. */
    union {
        const uint8_t *view;
        uint8_t *data;
    } bytes = {.view = file.bytes.data};
    *out = (struct pose_buffer){
        .data = bytes.data, .size = file.bytes.size, .capacity = file.bytes.size ? file.bytes.size : 1};
    return true;
}

/* A buffer of capacity 0 is not freed. */
static void borrow(struct pose_buffer *out, const struct pose_bytes *bytes)
{
    union {
        const uint8_t *view;
        uint8_t *data;
    } whole = {.view = bytes->data};
    *out = (struct pose_buffer){.data = whole.data, .size = bytes->size};
}

void index_rest(struct index_archive *archive)
{
    struct blob *blob = archive->blob;
    /* A container's directory points into its bytes; what waits for companions is indexed again. */
    if (!blob || !blob->rest || archive->archive || index_wants_companions(archive))
        return;
    if (blob->bytes.data)
        archive->blob_offset = (size_t)(archive->map.bytes.data - blob->bytes.data);
    archive->map.bytes.data = NULL;
    blob->rest(blob);
}

static bool is_at_rest(const struct index_archive *archive)
{
    return archive->blob && archive->map.bytes.size && !archive->map.bytes.data;
}

/* Cuts the archive's bytes out of those of its blob. */
static bool read_rested(const struct index_archive *archive, struct pose_buffer *out,
                        struct pose_error *error)
{
    const size_t offset = archive->blob_offset, size = archive->map.bytes.size;
    if (!archive->blob->read(archive->blob, out, error))
        return false;
    if (offset > out->size || size > out->size - offset) {
        pose_buffer_free(out);
        return changed(archive->name, error);
    }
    if (offset)
        memmove(out->data, out->data + offset, size);
    out->size = size;
    return true;
}

bool index_read(const struct index_archive *archive, uint32_t entry, struct pose_buffer *out,
                struct pose_error *error)
{
    return index_read_until(archive, entry, NULL, out, error);
}

bool index_read_until(const struct index_archive *archive, uint32_t entry, const struct pose_stop *stop,
                      struct pose_buffer *out, struct pose_error *error)
{
    *out = (struct pose_buffer){0};
    const struct index_entry *item = archive->entries[entry];
    if (is_at_rest(archive))
        return read_rested(archive, out, error);
    if (archive->blob && !blob_check(archive->blob, error))
        return false;
    if (archive->archive) {
        struct file_stamp now;
        bool is_directory;
        if (archive->map.mapped &&
            (!file_stat(archive->path, &now, &is_directory) || !stamp_equal(&now, &archive->stamp)))
            return changed(archive->path, error);
        if (entry >= nested_own_count(archive))
            return nested_read(archive, entry, stop, out, error);
        return pose_archive_read_until(archive->archive, entry, stop, out, error);
    }
    if (archive->map.bytes.data) {
        borrow(out, &archive->map.bytes);
        return true;
    }
    if (!strcmp(archive->format, "file"))
        return read_file(archive->path, &archive->stamp, out, error);
    char *path = path_join(archive->path, item->name);
    bool done = read_file(path, &item->stamp, out, error);
    free(path);
    return done;
}

struct entry_facts container_facts(const struct index_archive *archive, uint32_t entry)
{
    return entry < nested_own_count(archive) ? entry_facts_of(archive->archive, entry)
                                             : nested_facts(archive, entry);
}

bool container_wants_decoding(const struct entry_facts *facts)
{
    /* A type that the archive names but no codec reads: listed, but not broken. */
    const struct pose_format *format = facts->format ? pose_format_find(facts->format) : NULL;
    if (facts->format && (!format || !format->can_read))
        return false;
    return !facts->error && !facts->skipped && !facts->is_copy &&
           (!facts->kind || strcmp(facts->kind, "other"));
}

/* -------------------------------------------------------------------------------------------- companions -- */

static bool grow_found(struct companion_finder *finder)
{
    uint32_t count = finder->found_count + 1;
    struct pose_buffer *found = reallocarray(finder->found, count, sizeof *found);
    if (found)
        finder->found = found;
    char **names = found ? reallocarray(finder->found_names, count, sizeof *names) : NULL;
    if (names)
        finder->found_names = names;
    return names;
}

/* Takes over the bytes. */
static bool keep_found(struct companion_finder *finder, struct pose_buffer buffer, const char *name)
{
    char *copy = strdup(name);
    if (!copy || !grow_found(finder)) {
        free(copy);
        pose_buffer_free(&buffer);
        finder->no_memory = true;
        return false;
    }
    finder->found[finder->found_count] = buffer;
    finder->found_names[finder->found_count++] = copy;
    return true;
}

static bool take(struct companion_finder *finder, const struct index_archive *archive, int64_t entry,
                 const char *name)
{
    struct pose_buffer buffer;
    struct pose_error error;
    if (entry < 0)
        return false;
    if (index_read(archive, (uint32_t)entry, &buffer, &error))
        return keep_found(finder, buffer, name);
    finder->no_memory |= error.status == POSE_NO_MEMORY;
    return false;
}

/* Looks on disk in the folder of a loose file; an upload has no folder. */
static bool take_beside(struct companion_finder *finder, const char *name)
{
    const struct index_archive *own = finder->own;
    if (own->map.bytes.data || own->blob || strcmp(own->format, "file") != 0)
        return false;
    const char *slash = strrchr(own->path, '/');
    char *folder = slash ? strndup(own->path, (size_t)(slash - own->path) + 1) : strdup(".");
    char *path = folder ? file_beside(folder, name) : NULL;
    struct file_stamp stamp;
    struct pose_buffer buffer;
    struct pose_error error;
    bool is_directory, done = path && file_stat(path, &stamp, &is_directory) &&
                              read_file(path, &stamp, &buffer, &error) && keep_found(finder, buffer, name);
    if (done) {
        const uint64_t parts[3] = {stamp.size, (uint64_t)stamp.modified_ns, stamp.inode};
        finder->beside = id_quick(&finder->beside, parts, sizeof parts);
    }
    free(path);
    free(folder);
    return done;
}

bool finder_find(void *user, const char *name, struct pose_bytes *bytes)
{
    struct companion_finder *finder = user;
    finder->asked = true;
    for (uint32_t i = 0; i < finder->found_count; i++) {
        if (!strcmp(finder->found_names[i], name)) {
            *bytes = (struct pose_bytes){finder->found[i].data, finder->found[i].size};
            return true;
        }
    }
    const struct index_archive *own = finder->own;
    const char *beside = own->entries[finder->entry] ? own->entries[finder->entry]->name : NULL;
    bool found = (own->names && take(finder, own, name_slots_find(own, name, beside, finder->entry), name)) ||
                 take_beside(finder, name);
    for (uint32_t i = 0; i < finder->other_count && !found; i++) {
        const struct index_archive *other = finder->others[i];
        found =
            other != own && other->names && take(finder, other, name_slots_find(other, name, NULL, -1), name);
    }
    if (found) {
        const struct pose_buffer *last = &finder->found[finder->found_count - 1];
        *bytes = (struct pose_bytes){last->data, last->size};
    }
    return found;
}

void finder_release(struct companion_finder *finder)
{
    for (uint32_t i = 0; i < finder->found_count; i++) {
        pose_buffer_free(&finder->found[i]);
        free(finder->found_names[i]);
    }
    free(finder->found);
    free(finder->found_names);
    finder->found = NULL;
    finder->found_names = NULL;
    finder->found_count = 0;
}

struct pose_document *index_decode(const struct index_archive *archive, uint32_t entry,
                                   struct index_archive *const *others, uint32_t other_count,
                                   const struct pose_options *options, struct pose_error *error)
{
    if (archive->kept && archive->kept[entry])
        return archive->kept[entry];
    return index_decode_anew(archive, entry, others, other_count, options, error);
}

struct pose_document *index_decode_anew(const struct index_archive *archive, uint32_t entry,
                                        struct index_archive *const *others, uint32_t other_count,
                                        const struct pose_options *options, struct pose_error *error)
{
    const struct index_entry *item = archive->entries[entry];
    struct pose_buffer bytes;
    if (!index_read_until(archive, entry, options ? options->stop : NULL, &bytes, error))
        return NULL;
    struct companion_finder finder = {
        .own = archive, .entry = entry, .others = others, .other_count = other_count};
    struct pose_source source = {.name = item->name,
                                 .bytes = {bytes.data, bytes.size},
                                 .format = item->format,
                                 .game = item->game,
                                 .find = finder_find,
                                 .user = &finder};
    struct pose_document *document = index_pose_decode(&source, options, error);
    bool same = !memcmp(&finder.beside, &item->beside, sizeof item->beside);
    if (document && finder.no_memory) {
        pose_document_free(document);
        document = NULL;
        pose_error_init(error);
        error_no_memory(error);
    }
    finder_release(&finder);
    pose_buffer_free(&bytes);
    if (!same) {
        pose_document_free(document);
        changed(item->name, error);
        return NULL;
    }
    return document;
}

void index_document_free(const struct index_archive *archive, uint32_t entry, struct pose_document *document)
{
    if (document && (!archive->kept || archive->kept[entry] != document))
        pose_document_free(document);
}
