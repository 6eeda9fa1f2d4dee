/* `posed extract`: writes raw entries of an archive to a folder. */
#include "lib/core/nearest.h"
#include "server/commands/commands.h"
#include "server/commands/progress.h"
#include "server/commands/save.h"
#include "server/ops/files.h"
#include "server/ops/region.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct extract_options {
    const char *to;
};

static const struct option options[] = {
    {.name = "--to",
     .metavar = "DIR",
     .shown = "required",
     .kind = OPTION_TEXT,
     .member = offsetof(struct extract_options, to),
     .help = "destination folder; created if it does not exist"},
    {.name = NULL},
};

struct extraction {
    const char *path;
    const struct pose_archive *archive;
    int folder;
    bool *wanted;   /* [entries] */
    bool *repeated; /* [entries]: an earlier entry has the same name */
    bool failed;
};

/* ------------------------------------------------------------------------------------------------ selecting -- */

/* Selects the entries of that name, else the one of that index. */
static bool select_entry(struct extraction *work, const char *text)
{
    uint32_t count = pose_archive_count(work->archive);
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct pose_entry *entry = pose_archive_entry(work->archive, i);
        if (!entry->is_copy && !strcmp(entry->name, text))
            found = work->wanted[i] = true;
    }
    char *end;
    errno = 0;
    unsigned long long index = strtoull(text, &end, 10);
    if (!found && *text >= '0' && *text <= '9' && !*end && !errno && index < count)
        found = work->wanted[index] = true;
    return found;
}

static void tell_unknown(const struct extraction *work, const char *name)
{
    struct nearest nearest;
    char hint[NEAREST_HINT];
    nearest_begin(&nearest, name, strlen(name));
    for (uint32_t i = 0; i < pose_archive_count(work->archive); i++)
        nearest_offer(&nearest, pose_archive_entry(work->archive, i)->name);
    nearest_hint(&nearest, hint);
    command_failed(work->path, "has no entry %s%s", name, hint);
}

static bool select_entries(struct extraction *work, const struct operands *operands)
{
    for (uint32_t i = 0; operands->count == 1 && i < pose_archive_count(work->archive); i++)
        work->wanted[i] = !pose_archive_entry(work->archive, i)->is_copy;
    for (size_t i = 1; i < operands->count; i++) {
        if (!select_entry(work, operands->items[i])) {
            tell_unknown(work, operands->items[i]);
            return false;
        }
    }
    return true;
}

static int compare_names(const void *a, const void *b, void *user)
{
    const struct pose_archive *archive = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = strcmp(pose_archive_entry(archive, x)->name, pose_archive_entry(archive, y)->name);
    return order ? order : x < y ? -1 : 1;
}

static void mark_repeated(struct extraction *work)
{
    uint32_t count = pose_archive_count(work->archive);
    uint32_t *order = must_alloc(count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare_names, (void *)(uintptr_t)work->archive);
    for (uint32_t i = 1; i < count; i++)
        work->repeated[order[i]] = !strcmp(pose_archive_entry(work->archive, order[i - 1])->name,
                                           pose_archive_entry(work->archive, order[i])->name);
    free(order);
}

/* ------------------------------------------------------------------------------------------------- extracting -- */

/* "walk.anim", or "walk (12).anim" if an earlier entry has that name. From malloc. */
static char *file_name(const struct extraction *work, uint32_t index)
{
    const char *name = pose_archive_entry(work->archive, index)->name;
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    int stem = dot ? (int)(dot - name) : (int)strlen(name);
    char *text = NULL;
    int length = work->repeated[index]
                     ? asprintf(&text, "%.*s (%" PRIu32 ")%s", stem, name, index, name + stem)
                     : asprintf(&text, "%s", name);
    if (length < 0)
        abort();
    return text;
}

static void extract_entry(struct extraction *work, uint32_t index)
{
    const struct pose_entry *entry = pose_archive_entry(work->archive, index);
    struct pose_buffer bytes = {0};
    struct pose_error error;
    char *label = NULL;
    if (asprintf(&label, "%s: %s", work->path, entry->name) < 0)
        abort();
    if (!pose_archive_read(work->archive, index, &bytes, &error)) {
        command_broken(label, &error);
        work->failed |= !entry->skipped;
    } else {
        char *name = file_name(work, index);
        if (!save_below(work->folder, name, (struct pose_bytes){bytes.data, bytes.size})) {
            command_failed(label, "%s",
                           errno == EINVAL ? "the name leads out of the folder" : strerror(errno));
            work->failed = true;
        }
        free(name);
    }
    pose_buffer_free(&bytes);
    free(label);
}

static int extract_all(struct extraction *work, const struct operands *operands, const char *to)
{
    uint32_t count = pose_archive_count(work->archive);
    work->wanted = must_alloc(count + 1, sizeof *work->wanted);
    work->repeated = must_alloc(count + 1, sizeof *work->repeated);
    if (!select_entries(work, operands)) {
        work->failed = true;
    } else if ((work->folder = save_folder(to)) < 0) {
        command_failed(to, "%s", strerror(errno));
        work->failed = true;
    } else {
        mark_repeated(work);
        progress_start("extracting", count);
        for (uint32_t i = 0; i < count; i++, progress_step()) {
            if (work->wanted[i])
                extract_entry(work, i);
        }
        progress_end();
        close(work->folder);
    }
    free(work->wanted);
    free(work->repeated);
    return work->failed ? COMMAND_BAD_INPUT : COMMAND_DONE;
}

static int run_extract(const struct command *command, int argc, char **argv)
{
    struct extract_options values;
    struct operands operands;
    struct file_bytes file;
    struct pose_error error;
    if (!command_parse(command, &values, argc, argv, 1, 0, &operands))
        return COMMAND_BAD_USAGE;
    if (!values.to)
        return command_misused("extract needs --to DIR");
    const char *path = operands.items[0];
    files_init();
    if (!file_map(path, &file, &error))
        return command_broken(path, &error);
    struct pose_source source = {.name = path, .bytes = file.bytes};
    struct pose_archive *archive = pose_archive_open(&source, NULL, &error);
    int status =
        archive ? extract_all(&(struct extraction){.path = path, .archive = archive}, &operands, values.to)
                : command_broken(path, &error);
    pose_archive_close(archive);
    file_release(&file);
    return status;
}

const struct command command_extract = {
    .name = "extract",
    .operands = "ARCHIVE [ENTRY...]",
    .summary = "extracts raw entries of an archive",
    .description =
        "Each ENTRY is a name in the archive, or an index as `posed ls` shows it; without any, all entries\n"
        "are extracted. Nothing is ever written outside DIR. If a name repeats, the later file has the\n"
        "entry's index in its name; if a .pak repeats a resource, only the first is extracted.\n",
    .options = options,
    .reads_input = true,
    .run = run_extract,
};
