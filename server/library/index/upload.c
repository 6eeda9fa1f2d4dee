#include "server/library/index/upload.h"

#include "server/library/index/archive.h"
#include "server/library/index/link.h"
#include "server/library/index/making.h"
#include "server/library/index/nested.h"
#include "server/library/index/pack.h"
#include "server/library/index/refusal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The container of a multipart upload is presented as a folder, with id and size computed from its parts. */
static void become_folder(struct index_archive *archive, const struct upload_source *source)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < nested_own_count(archive); i++)
        bytes += archive->entries[i]->size;
    archive->id = source->id;
    archive->bytes = bytes;
    archive->format = "folder";
}

/* The name of the container or file as the decoder sees it. */
static const char *decoded_name(const struct upload_source *source)
{
    return source->has_parts ? "parts.zip" : source->name;
}

/* What the row of the upload says about it. */
static void complete(struct index_archive *archive, const struct upload_source *source)
{
    const char *own_name = region_text(&archive->region, source->name);
    archive->name = own_name ? own_name : archive->name;
    archive->forced_format = region_text(&archive->region, source->format);
    archive->forced_game = region_text(&archive->region, source->game);
    if (archive->region.failed)
        archive_no_memory(archive);
    if (source->has_parts)
        become_folder(archive, source);
    archive_seal(archive);
}

struct index_archive *index_upload(const struct upload_source *source,
                                   const struct index_neighbours *neighbours,
                                   const struct index_options *options)
{
    struct index_archive *archive =
        index_bytes(decoded_name(source), source->bytes, source->has_parts ? NULL : source->format,
                    source->game, neighbours, options);
    complete(archive, source);
    return archive;
}

/* ----------------------------------------------------------------------------------------------- from records -- */

/* The archive with empty slots, as index_bytes opens it. */
static struct index_archive *reopen(const struct upload_source *source, bool is_container,
                                    const struct index_options *options)
{
    struct file_bytes map = {.bytes = source->bytes};
    const char *name = decoded_name(source);
    if (is_container) {
        const struct index_hints hints = {
            .format = source->has_parts ? NULL : source->format, .game = source->game, .id = &source->id};
        return archive_of_container("", name, "", &hints, &map, &options->pose);
    }
    const struct file_stamp stamp = {.size = source->bytes.size};
    struct index_archive *archive = archive_of_file(name, &stamp, source->bytes, &source->id);
    archive->map = map;
    return archive;
}

struct index_archive *index_upload_recall(const struct upload_source *source, struct pose_bytes packed,
                                          const struct index_options *options)
{
    struct index_archive *archive = reopen(source, index_packed_is_container(packed), options);
    archive->source = "upload";
    if (!archive->error && index_unpack_archive(packed, archive)) {
        archive_finish(archive);
        index_linked_before(archive);
        complete(archive, source);
        if (!archive->error)
            return archive;
    }
    index_archive_unref(archive);
    return NULL;
}

/* ------------------------------------------------------------------------------------------- what is kept -- */

struct kept_document {
    const struct index_entry *entry;
    struct pose_document *document;
};

/* Documents decoded by many threads, in the order of completion. */
struct keeping {
    pthread_mutex_t lock;
    size_t bytes, count, capacity;
    struct kept_document *documents;
};

static void keep(void *user, const struct index_entry *entry, struct pose_document *document)
{
    struct keeping *keeping = user;
    pthread_mutex_lock(&keeping->lock);
    bool has_room = keeping->bytes + document->size <= MAX_KEPT;
    if (has_room && keeping->count == keeping->capacity) {
        size_t capacity = keeping->capacity ? 2 * keeping->capacity : 16;
        struct kept_document *larger = reallocarray(keeping->documents, capacity, sizeof *larger);
        has_room = larger;
        keeping->documents = larger ? larger : keeping->documents;
        keeping->capacity = larger ? capacity : keeping->capacity;
    }
    if (has_room) {
        keeping->bytes += document->size;
        keeping->documents[keeping->count++] = (struct kept_document){entry, document};
    }
    pthread_mutex_unlock(&keeping->lock);
    if (!has_room)
        pose_document_free(document);
}

static int compare_kept(const void *a, const void *b)
{
    const struct kept_document *x = a, *y = b;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* Assigns each document to its entry; frees those whose entry no longer exists. */
static void hand_over(struct keeping *keeping, struct index_archive *archive)
{
    archive->kept = REGION_NEW(&archive->region, struct pose_document *, archive->entry_count);
    if (keeping->count)
        qsort(keeping->documents, keeping->count, sizeof *keeping->documents, compare_kept);
    for (uint32_t e = 0; archive->kept && e < archive->entry_count; e++) {
        struct kept_document key = {.entry = archive->entries[e]};
        struct kept_document *found =
            keeping->count ? bsearch(&key, keeping->documents, keeping->count, sizeof key, compare_kept)
                           : NULL;
        archive->kept[e] = found ? found->document : NULL;
        if (found)
            found->document = NULL;
    }
    for (size_t i = 0; i < keeping->count; i++)
        pose_document_free(keeping->documents[i].document);
    free(keeping->documents);
}

struct index_archive *index_upload_kept(const struct upload_source *source,
                                        const struct index_neighbours *neighbours,
                                        const struct index_options *options)
{
    struct keeping keeping = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct index_options keeps = *options;
    keeps.keep = keep;
    keeps.keep_user = &keeping;
    struct index_archive *archive = index_upload(source, neighbours, &keeps);
    hand_over(&keeping, archive);
    pthread_mutex_destroy(&keeping.lock);
    return archive;
}

/* ------------------------------------------------------------------------------------------------ verdict -- */

static void unknown(struct pose_error *error, const char *detail)
{
    pose_error_init(error);
    error->status = POSE_UNKNOWN_FORMAT;
    strcpy(error->code, "unknown_format");
    strcpy(error->detail, detail);
}

static bool refuse_entry(const struct index_entry *entry, bool is_part, struct index_refusal *refusal)
{
    refusal->error = *entry->error;
    refusal->format = entry->format;
    refusal->entry = is_part ? entry->name : NULL;
    return false;
}

/* One sound file among the parts is enough; otherwise the first broken one is reported. */
static bool judge_parts(const struct index_archive *archive, struct index_refusal *refusal)
{
    const struct index_entry *broken = NULL;
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        const struct index_entry *entry = archive->entries[i];
        if (entry->format && !entry->error)
            return true;
        if (entry->error && !broken)
            broken = entry;
    }
    if (broken)
        return refuse_entry(broken, true, refusal);
    unknown(&refusal->error, "none of the files is of a known format");
    return false;
}

bool index_verdict(const struct index_archive *archive, struct index_refusal *refusal)
{
    *refusal = (struct index_refusal){.format = archive->format};
    if (archive->error) {
        refusal->error = *archive->error;
        return false;
    }
    if (archive->archive)
        return strcmp(archive->format, "folder") || judge_parts(archive, refusal);
    const struct index_entry *only = archive->entry_count == 1 ? archive->entries[0] : NULL;
    refusal->format = only ? only->format : NULL;
    if (only && only->error)
        return refuse_entry(only, false, refusal);
    if (only && only->format)
        return true;
    unknown(&refusal->error,
            "the bytes are of no known format, and no name or format tells what they were meant to be");
    return false;
}

bool index_keepable(const struct index_archive *archive, struct index_refusal *refusal)
{
    const struct index_entry *over = NULL;
    if (!index_verdict(archive, refusal))
        return false;
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        const struct index_entry *entry = archive->entries[i];
        if (entry->asset_count)
            return true;
        if (!over && entry->error && entry->error->status == POSE_OVER_LIMIT)
            over = entry;
    }
    return !over || refuse_entry(over, true, refusal);
}
