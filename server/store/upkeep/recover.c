#include "server/store/upkeep/recover.h"

#include "server/ops/region.h"
#include "server/store/note.h"
#include "server/store/set.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------- lists -- */

static int compare_ids(const void *a, const void *b)
{
    return id_compare(a, b);
}

static int compare_ages(const void *a, const void *b)
{
    const struct upload_row *x = a, *y = b;
    if (x->created_ms != y->created_ms)
        return x->created_ms < y->created_ms ? -1 : 1;
    return id_compare(&x->id, &y->id);
}

/* A row, of which there may be a million: what notes and blobs are compared with. */
struct listed {
    struct asset_id id; /* must be first: compare_ids */
    struct blob_hash blob;
    bool is_waiting;
};

struct work {
    const struct recovery *recovery;
    struct recovered *found;
    struct store_error *error;
    struct region region;   /* texts of adopted and unnoted */
    struct set listed;      /* the rows, as they were at first */
    struct set held;        /* hashes of the rows, as they are at last */
    struct set noted;       /* ids of notes that are valid, or from a newer version */
    struct set broken;      /* ids of readable notes that are neither */
    struct set named;       /* hashes in notes without a row, whatever the state of their bytes */
    struct set adopted;     /* rows made from valid notes */
    struct set unlike;      /* ids of notes that are valid, but whose row says otherwise whether it waits */
    struct set unnoted;     /* rows without a note, or whose note is one of these */
    size_t next;            /* of adopted */
    bool is_away;           /* what is far away does not answer: error says so */
    bool cannot_tell_named; /* a note could not be read, so not all names are known */
};

static void release(struct work *work)
{
    free(work->listed.items);
    free(work->held.items);
    free(work->noted.items);
    free(work->broken.items);
    free(work->named.items);
    free(work->adopted.items);
    free(work->unlike.items);
    free(work->unnoted.items);
    region_release(&work->region);
}

/* Adds a copy of the row with its own texts. */
static void add_row(struct work *work, struct set *set, const struct upload_row *row)
{
    struct upload_row *copy = set_add(set, row);
    copy->name = region_text(&work->region, row->name);
    copy->format = region_text(&work->region, row->format);
    copy->game = region_text(&work->region, row->game);
    copy->uploader = region_text(&work->region, row->uploader);
}

/* ------------------------------------------------------------------------------------------------ reports -- */

__attribute__((format(printf, 2, 3))) static void tell(const struct work *work, const char *format, ...)
{
    char line[640];
    va_list arguments;
    if (!work->recovery->report)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    work->recovery->report(work->recovery->user, line);
}

static void tell_row(const struct work *work, const struct upload_row *row, const char *what)
{
    char hash[HASH_TEXT];
    hash_write(&row->blob, hash);
    tell(work, "%.200s (blob %s): %s", row->name, hash, what);
}

/* -------------------------------------------------------------------------------------------------- notes -- */

/* Whether the bytes match the hash in the note. */
static bool has_sound_bytes(struct work *work, struct upload_row *row)
{
    struct blobs *blobs = work->recovery->blobs;
    struct store_error error;
    struct pose_error why;
    struct blob *blob = blobs->open(blobs, &row->blob, 0, BLOB_IN_MEMORY, &error);
    if (!blob && error.status == STORE_AWAY) {
        work->is_away = true;
        *work->error = error;
        return false;
    }
    if (!blob) {
        bool is_missing = error.status == STORE_MISSING;
        work->found->missing += is_missing;
        work->found->unread += !is_missing;
        tell_row(work, row, is_missing ? "its bytes are missing" : error.detail);
        return false;
    }
    row->bytes = blob->bytes.size;
    bool is_sound = blob_check(blob, &why);
    blob_release(blob);
    if (!is_sound) {
        work->found->damaged++;
        tell_row(work, row, "its bytes are damaged");
    }
    return is_sound;
}

/*
 * If a note and the row disagree on the bytes, the note wins: it must be the newer one. Whether it waits is what the row
 * says: of a publication the note is written first, and without the row nobody was told that it is done.
 */
static void take_note(struct work *work, struct upload_row *row)
{
    const struct listed *listed = set_find(&work->listed, &row->id, compare_ids);
    if (listed && !memcmp(&listed->blob, &row->blob, sizeof row->blob)) {
        if (listed->is_waiting != row->is_waiting)
            set_add(&work->unlike, &row->id);
        return;
    }
    set_add(&work->named, &row->blob);
    if (work->recovery->adopts && has_sound_bytes(work, row)) {
        add_row(work, &work->adopted, row);
        if (!work->recovery->is_anew)
            tell_row(work, row, "was not in the catalogue, and is now");
    }
}

static bool visit_note(void *user, const char *name, const char *text, size_t size)
{
    struct work *work = user;
    struct region region = {0};
    struct upload_row row;
    struct asset_id id;
    if (!id_parse(name, strlen(name), &id))
        return true; /* not our file */
    enum note_state state = text ? note_read(text, size, &region, &row) : NOTE_FOREIGN;
    if (state == NOTE_WHOLE && !id_equal(&row.id, &id))
        state = NOTE_BROKEN;
    /* An unreadable note is rewritten from its row, if there is one; those of a newer version are left
     * alone. */
    bool is_noted = state != NOTE_BROKEN && text;
    if (is_noted || state == NOTE_BROKEN)
        set_add(is_noted ? &work->noted : &work->broken, &id);
    if (state == NOTE_FOREIGN) {
        work->cannot_tell_named = true;
        work->found->unread++;
        tell(work, "notes/%s cannot be read, or is of a newer posed", name);
    }
    if (state == NOTE_WHOLE)
        take_note(work, &row);
    region_release(&region);
    return !work->is_away;
}

static bool next_adopted(void *user, struct upload_row *row)
{
    struct work *work = user;
    if (work->next == work->adopted.count)
        return false;
    memcpy(row, set_at(&work->adopted, work->next++), sizeof *row);
    return true;
}

/* In order of arrival. */
static bool adopt(struct work *work)
{
    struct store_catalog *catalog = work->recovery->catalog;
    set_sort(&work->adopted, compare_ages);
    if (work->adopted.count && !catalog->add_all(catalog, next_adopted, work, work->error))
        return false;
    work->found->adopted += work->adopted.count;
    return true;
}

/* --------------------------------------------------------------------------------------------------- rows -- */

static bool visit_row(void *user, const struct upload_row *row)
{
    struct work *work = user;
    if (!set_has(&work->noted, &row->id, compare_ids) || set_has(&work->unlike, &row->id, compare_ids))
        add_row(work, &work->unnoted, row);
    return true;
}

static bool lacks_bytes(const struct recovery *recovery, const struct upload_row *row)
{
    struct store_error why;
    struct blob *blob = recovery->blobs->open(recovery->blobs, &row->blob, 0, BLOB_AT_REST, &why);
    const bool is_gone = !blob && why.status == STORE_MISSING;
    blob_release(blob);
    return is_gone;
}

/* The bytes decide: they are the last thing that is removed of an upload. */
static bool mend_row(struct work *work, const struct upload_row *row)
{
    const struct recovery *recovery = work->recovery;
    const bool is_noted = set_has(&work->noted, &row->id, compare_ids);
    struct store_error why;
    if (!is_noted && lacks_bytes(recovery, row)) {
        work->found->forgotten++;
        tell_row(work, row, "has neither bytes nor note: it was deleted, and the catalogue is older");
        return recovery->catalog->remove(recovery->catalog, &row->id, work->error);
    }
    bool done = note_keep(recovery->blobs, row, &why);
    work->found->noted += done;
    tell_row(work, row,
             !done      ? why.detail
             : is_noted ? "its note told of a change that was not finished; what the catalogue says stands"
                        : "its note was missing or broken, and is whole now");
    if (done || !recovery->is_last)
        return true; /* without a note it is still kept, because of its row */
    *work->error = why;
    return false;
}

static bool mend_rows(struct work *work)
{
    struct store_catalog *catalog = work->recovery->catalog;
    set_sort(&work->noted, compare_ids);
    set_sort(&work->unlike, compare_ids);
    bool done = catalog->each(catalog, visit_row, work, work->error);
    for (size_t i = 0; i < work->unnoted.count && done; i++)
        done = mend_row(work, set_at(&work->unnoted, i));
    return done;
}

/* ------------------------------------------------------------------------------------------------- strays -- */

static void lose(struct work *work, const char *folder, const char *name)
{
    struct blobs *blobs = work->recovery->blobs;
    struct store_error error;
    bool done = blobs->lose(blobs, folder, name, &error);
    work->found->lost += done;
    if (done)
        tell(work, "%s/%s belongs to no upload: it is in lost/ for a day", folder, name);
    else
        tell(work, "%s", error.detail);
}

static bool lose_notes(struct work *work)
{
    struct store_catalog *catalog = work->recovery->catalog;
    for (size_t i = 0; i < work->broken.count; i++) {
        const struct asset_id *id = set_at(&work->broken, i);
        struct upload_row row;
        bool is_listed;
        char name[ID_TEXT];
        if (!catalog->find(catalog, id, &row, NULL, &is_listed, work->error))
            return false;
        id_write(id, name);
        if (!is_listed)
            lose(work, "notes", name);
    }
    return true;
}

static bool hold_row(void *user, const struct upload_row *row)
{
    struct work *work = user;
    set_add(&work->held, &row->blob);
    return true;
}

static bool visit_blob(void *user, const struct blob_hash *hash)
{
    struct work *work = user;
    char name[HASH_TEXT];
    if (set_has(&work->named, hash, set_compare_hashes) || set_has(&work->held, hash, set_compare_hashes))
        return true;
    hash_write(hash, name);
    lose(work, "blobs", name);
    return true;
}

static bool lose_strays(struct work *work)
{
    struct blobs *blobs = work->recovery->blobs;
    struct store_catalog *catalog = work->recovery->catalog;
    if (!lose_notes(work))
        return false;
    /* An unreadable note may refer to any of the blobs. */
    if (work->cannot_tell_named)
        return true;
    if (!catalog->each(catalog, hold_row, work, work->error))
        return false;
    set_sort(&work->named, set_compare_hashes);
    set_sort(&work->held, set_compare_hashes);
    return blobs->each(blobs, visit_blob, work, work->error);
}

static bool list_row(void *user, const struct upload_row *row)
{
    struct work *work = user;
    const struct listed listed = {row->id, row->blob, row->is_waiting};
    set_add(&work->listed, &listed);
    return true;
}

static bool list_rows(struct work *work)
{
    struct store_catalog *catalog = work->recovery->catalog;
    bool done = catalog->each(catalog, list_row, work, work->error);
    set_sort(&work->listed, compare_ids);
    return done;
}

bool recover(const struct recovery *recovery, struct recovered *found, struct store_error *error)
{
    struct blobs *blobs = recovery->blobs;
    struct work work = {.recovery = recovery,
                        .found = found,
                        .error = error,
                        .listed.size = sizeof(struct listed),
                        .held.size = sizeof(struct blob_hash),
                        .noted.size = sizeof(struct asset_id),
                        .broken.size = sizeof(struct asset_id),
                        .named.size = sizeof(struct blob_hash),
                        .adopted.size = sizeof(struct upload_row),
                        .unlike.size = sizeof(struct asset_id),
                        .unnoted.size = sizeof(struct upload_row)};
    *found = (struct recovered){0};
    bool done = list_rows(&work) && blobs->each_note(blobs, visit_note, &work, error) && !work.is_away &&
                adopt(&work) && mend_rows(&work) && (!recovery->loses || lose_strays(&work));
    release(&work);
    return done;
}
