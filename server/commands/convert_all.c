/* Converts everything in an archive or a folder on all processors, and continues after broken files. */
#include "server/commands/convert.h"
#include "server/commands/progress.h"
#include "server/commands/save.h"
#include "server/library/names.h"
#include "server/ops/parallel.h"
#include "server/library/unique_names.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A clip at one of its locations, which becomes one file. */
struct task {
    const struct catalog_item *item; /* as it is at that location: with the skeleton beside it there */
    struct catalog_place place;
    char *name;                   /* in the output folder, without extension, from malloc */
    char *key_file;               /* name of a pair's second file, without extension; NULL: as in the clip */
    char *said;                   /* the error or the warnings, from malloc; NULL: none */
    bool failed, is_note;         /* is_note: none of the warnings is serious */
    struct pose_buffer described; /* for a report in JSON */
};

struct work {
    const struct job *job;
    const struct pose_target *target;
    int folder;
    size_t count, capacity;
    struct task *tasks;
};

/* ------------------------------------------------------------------------------------------------------- names -- */

/* Whether IN is several archives, so that each needs a folder of its own. */
static bool has_several(const struct job *job)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < job->place.from.own->archive_count; a++)
        count += job_has_archive(job, a);
    return count > 1;
}

static char *print(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *print(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    va_end(arguments);
    return text;
}

/* In a folder of the archive's name, where there are several. */
static char *name_of(const struct work *work, const struct catalog_item *item, struct catalog_place place)
{
    const struct index_archive *archive = work->job->place.from.own->archives[place.archive];
    bool in_folder =
        has_several(work->job) && strcmp(archive->format, "folder") && strcmp(archive->format, "file");
    char *name = conversion_file_name(archive->entries[place.entry], item->asset->name);
    if (!name)
        abort();
    if (!in_folder)
        return name;
    char *whole = print("%s/%s", archive->name, name);
    free(name);
    return whole;
}

static void add_task(struct work *work, const struct catalog_item *item, struct catalog_place place)
{
    if (work->count == work->capacity) {
        work->capacity = work->capacity ? 2 * work->capacity : 64;
        work->tasks = must_grow(work->tasks, work->capacity, sizeof *work->tasks);
    }
    work->tasks[work->count++] =
        (struct task){.item = item, .place = place, .name = name_of(work, item, place)};
}

static void list_tasks(struct work *work)
{
    const struct catalog *source = work->job->place.from.own;
    struct catalog_item *item;
    uint32_t next = 0;
    while ((item = catalog_next(source, ASSET_CLIP, &next))) {
        struct place_walk walk = {0};
        while (catalog_next_place(source, item, &walk)) {
            if (job_has_archive(work->job, walk.place.archive))
                add_task(work, catalog_item_at(item, walk.place), walk.place);
        }
    }
}

/* Writes a task's folder below the output folder, with a trailing slash; returns its length. */
static int folder_length(const struct task *task)
{
    return (int)(name_base(task->name) - task->name);
}

static void name_key_file(void *user, size_t index)
{
    struct work *work = user;
    struct task *task = &work->tasks[index];
    struct pose_document *document = job_decode(work->job, task->place);
    if (!document)
        return; /* the conversion reports it */
    const struct index_asset *asset = task->item->asset;
    char file[POSE_SECOND_NAME];
    pose_second_name(work->target, &document->clips[asset->inner], asset->name, file);
    task->key_file = print("%.*s%s", folder_length(task), task->name, name_make_safe(file));
    job_document_free(work->job, task->place, document);
}

/* Gives every file a unique name, in the order of the tasks and before any is written, so that names do
 * not depend on the threads' timing. */
static void name_files(struct work *work)
{
    char ***names = must_alloc(work->count + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < work->count; i++)
        names[i] = &work->tasks[i].name;
    if (!names_make_unique(names, work->count))
        abort();
    if (work->target->second) {
        parallel_for(work->count, work->job->place.service->index_options.threads, name_key_file, work);
        for (size_t i = 0; i < work->count; i++) {
            if (work->tasks[i].key_file)
                names[count++] = &work->tasks[i].key_file;
        }
        if (!names_make_unique(names, count))
            abort();
    }
    free(names);
}

/* -------------------------------------------------------------------------------------------------- converting -- */

static bool save_bytes(const struct work *work, const char *path, const struct pose_buffer *bytes)
{
    return save_below(work->folder, path, (struct pose_bytes){bytes->data, bytes->size});
}

static bool save(const struct work *work, struct task *task, const struct conversion_result *made)
{
    char extension[16];
    target_extension(work->target, extension);
    char *path = print("%s.%s", task->name, extension);
    if (work->job->report->json)
        warnings_describe(&task->described, path, made->bytes.size, &made->warnings);
    bool done = save_bytes(work, path, &made->bytes);
    free(path);
    for (uint32_t i = 0; i < made->beside_count && done; i++) {
        path = print("%.*s%s", folder_length(task), task->name, made->beside[i].name);
        done = save_bytes(work, path, &made->beside[i].bytes);
        free(path);
    }
    return done;
}

static void convert_task(void *user, size_t index)
{
    struct work *work = user;
    struct task *task = &work->tasks[index];
    const struct ingredient clip = {work->job->place.from.own, task->item};
    struct conversion_parts parts = {.clip_count = 1, .clips = &clip};
    struct conversion_result result;
    char detail[CONVERSION_DETAIL], shown[JOB_REFUSAL], codes[WARNING_CODES];
    const struct conversion_file file = {.name = name_base(task->name),
                                         .key_file = task->key_file ? name_base(task->key_file) : NULL,
                                         .unzipped = true};
    bool done = conversion_make_one(&work->job->place, work->target, &parts, &file, &result, detail);
    if (!done) {
        task->said = strdup(job_refusal(work->job, detail, shown));
    } else if (!save(work, task, &result)) {
        task->said = strdup(errno == EINVAL ? "the name leads out of the folder" : strerror(errno));
        done = false;
    } else {
        warnings_codes(&result.warnings, codes);
        task->is_note = !warnings_serious(&result.warnings);
        if (*codes)
            task->said = print("%s: %s", task->is_note ? "note" : "warning", codes);
    }
    task->failed = !done;
    conversion_result_release(&result);
    progress_step();
}

/* --------------------------------------------------------------------------------------------------- the end -- */

/* Entries that the archive marks as deleted are reported but are not failures. */
static bool is_skipped(const struct index_archive *archive, uint32_t entry)
{
    return archive->archive && entry < pose_archive_count(archive->archive) &&
           pose_archive_entry(archive->archive, entry)->skipped;
}

/* Reports entries that could not be read, and archives that could not be opened. */
static void tell_broken(const struct job *job)
{
    for (uint32_t a = 0; a < job->place.from.own->archive_count; a++) {
        const struct index_archive *archive = job->place.from.own->archives[a];
        if (!job_has_archive(job, a))
            continue;
        if (archive->error)
            report_failed(job->report, archive->path ? archive->path : job->in, archive->error, NULL);
        for (uint32_t e = 0; e < archive->entry_count; e++) {
            if (!archive->entries[e]->error)
                continue;
            char *label = print("%s: %s", job->in, archive->entries[e]->name);
            if (is_skipped(archive, e))
                report_skipped(job->report, label, archive->entries[e]->error);
            else
                report_failed(job->report, label, archive->entries[e]->error, NULL);
            free(label);
        }
    }
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Notes are the same for most files of an archive: one line for each kind, with the number of files. */
static void tell_notes(const struct work *work)
{
    char **notes = must_alloc(work->count + 1, sizeof *notes);
    size_t count = 0;
    for (size_t i = 0; i < work->count; i++) {
        if (work->tasks[i].said && !work->tasks[i].failed && work->tasks[i].is_note)
            notes[count++] = work->tasks[i].said;
    }
    qsort(notes, count, sizeof *notes, compare_texts);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && !strcmp(notes[i], notes[next]);)
            next++;
        command_failed(NULL, "%s (%zu %s)", notes[i], next - i, next - i == 1 ? "file" : "files");
    }
    free(notes);
}

static int tell(const struct work *work)
{
    struct report *report = work->job->report;
    bool lines = !report->json && !report->quiet;
    tell_broken(work->job);
    for (size_t i = 0; i < work->count; i++) {
        struct task *task = &work->tasks[i];
        if (task->failed) {
            report_failed(report, task->name, NULL, task->said ? task->said : "out of memory");
            continue;
        }
        report_made(report, &task->described);
        if (task->said && !task->is_note && lines)
            command_failed(task->name, "%s", task->said);
    }
    if (lines)
        tell_notes(work);
    if (!work->count && !report->failed)
        report_failed(report, work->job->in, NULL, "holds no clip");
    return COMMAND_DONE;
}

int convert_all(const struct job *job, const struct pose_target *target, const char *folder)
{
    struct work work = {.job = job, .target = target};
    int status = COMMAND_BAD_USAGE;
    list_tasks(&work);
    if (!work.count || job_allows(job, target, &status)) {
        work.folder = save_folder(folder);
        if (work.folder < 0) {
            status = command_failed(folder, "%s", strerror(errno));
        } else {
            name_files(&work);
            progress_start("converting", work.count);
            parallel_for(work.count, job->place.service->index_options.threads, convert_task, &work);
            progress_end();
            status = tell(&work);
            close(work.folder);
        }
    }
    for (size_t i = 0; i < work.count; i++) {
        free(work.tasks[i].name);
        free(work.tasks[i].key_file);
        free(work.tasks[i].said);
        pose_buffer_free(&work.tasks[i].described);
    }
    free(work.tasks);
    return status;
}
