/* `posed pack`: writes an archive. */
#include "server/commands/commands.h"
#include "server/commands/progress.h"
#include "server/commands/report.h"
#include "server/commands/save.h"
#include "server/ops/files.h"
#include "server/ops/region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct pack_options {
    const char *format;
    const char *game;
    const char *compress;
    bool json, quiet;
};

static const struct option options[] = {
    {.name = "--format",
     .metavar = "FORMAT",
     .shown = "by OUT's extension",
     .kind = OPTION_TEXT,
     .member = offsetof(struct pack_options, format),
     .help = "far1a, far1b, far3, zip, ..."},
    {.name = "--game",
     .metavar = "GAME",
     .kind = OPTION_TEXT,
     .member = offsetof(struct pack_options, game),
     .help = "for a .pak, whose layout depends on the game: mp1, mp2, ..."},
    {.name = "--compress",
     .metavar = "METHOD",
     .shown = "the format's own",
     .kind = OPTION_TEXT,
     .member = offsetof(struct pack_options, compress),
     .help = "none; for a .package also refpack or zlib"},
    {.name = "--json",
     .kind = OPTION_FLAG,
     .member = offsetof(struct pack_options, json),
     .help = "print what was made and what failed as JSON"},
    {.name = "--quiet",
     .letter = 'q',
     .kind = OPTION_FLAG,
     .member = offsetof(struct pack_options, quiet),
     .help = "print only what failed"},
    {.name = NULL},
};

/* The files to pack, and the owners of their bytes. */
struct package {
    uint32_t count, capacity;
    struct pose_pack_item *items;
    struct file_bytes *files;
    char **names;
};

/* ------------------------------------------------------------------------------------------------- the format -- */

static bool can_be_packed(const struct pose_format *format)
{
    return format->can_write && !strcmp(format->kinds, "archive");
}

static bool has_first_extension(const struct pose_format *format, const char *name)
{
    size_t length = strlen(name), extension = strcspn(format->extensions, " ");
    return extension && length > extension &&
           !strncasecmp(name + length - extension, format->extensions, extension);
}

/* If several formats share the extension, the first that has it as its own: .far is far1a, .dat is far3. */
static const struct pose_format *format_by_extension(const char *name)
{
    for (const struct pose_format *format = pose_formats(); format->id; format++) {
        if (can_be_packed(format) && has_first_extension(format, name))
            return format;
    }
    return NULL;
}

/* NULL, with a message printed, if it is ambiguous. */
static const struct pose_format *choose_format(const struct pack_options *values, const char *out)
{
    const struct pose_format *format =
        values->format ? pose_format_find(values->format) : format_by_extension(out);
    if (format && can_be_packed(format))
        return format;
    char known[256] = "";
    for (format = pose_formats(); format->id; format++) {
        size_t length = strlen(known);
        if (can_be_packed(format))
            snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", format->id);
    }
    if (values->format)
        command_misused("--format: %s is not one of %s", values->format, known);
    else
        command_misused("the extension of %s does not name a format; --format is one of %s", out, known);
    return NULL;
}

/* -------------------------------------------------------------------------------------------------- the files -- */

static bool add_file(struct package *package, const char *path, char *name, struct pose_error *error)
{
    if (package->count == package->capacity) {
        uint32_t capacity = package->capacity = package->capacity ? package->capacity * 2 : 64;
        package->items = must_grow(package->items, capacity, sizeof *package->items);
        package->files = must_grow(package->files, capacity, sizeof *package->files);
        package->names = must_grow(package->names, capacity, sizeof *package->names);
    }
    uint32_t at = package->count;
    if (!file_map(path, &package->files[at], error)) {
        free(name);
        return false;
    }
    package->names[at] = name;
    package->items[at] = (struct pose_pack_item){.name = name, .bytes = package->files[at].bytes};
    package->count++;
    return true;
}

static bool add_folder(struct package *package, const char *path, struct pose_error *error)
{
    const struct walk_bound bound = {.others = 0xffffff};
    struct walked_folder folder;
    if (!folder_walk(path, &bound, &folder, error))
        return false;
    bool done = true;
    for (uint32_t i = 0; i < folder.file_count && done; i++) {
        char *full = path_join(path, folder.files[i].path);
        done = add_file(package, full, strdup(folder.files[i].path), error);
        free(full);
    }
    walked_release(&folder);
    return done;
}

static bool add_path(struct package *package, const char *path, struct pose_error *error)
{
    struct file_stamp stamp;
    bool is_directory;
    if (file_stat(path, &stamp, &is_directory) && is_directory)
        return add_folder(package, path, error);
    return add_file(package, path, path_base_name(path), error);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Files of the same name could not be distinguished in the archive. */
static bool names_differ(const struct package *package, struct report *report)
{
    char **sorted = must_alloc(package->count + 1, sizeof *sorted);
    const char *twice = NULL;
    memcpy(sorted, package->names, package->count * sizeof *sorted);
    qsort(sorted, package->count, sizeof *sorted, compare_names);
    for (uint32_t i = 1; i < package->count && !twice; i++)
        twice = strcmp(sorted[i - 1], sorted[i]) ? NULL : sorted[i];
    if (twice)
        report_failed(report, twice, NULL, "two files would have this name");
    free(sorted);
    return !twice;
}

static void release(struct package *package)
{
    for (uint32_t i = 0; i < package->count; i++) {
        file_release(&package->files[i]);
        free(package->names[i]);
    }
    free(package->items);
    free(package->files);
    free(package->names);
}

/* ---------------------------------------------------------------------------------------------------- packing -- */

static void write_package(const struct package *package, const char *out, const char *format,
                          const struct pack_options *values, struct report *report)
{
    struct pose_value compress = {.kind = POSE_STRING, .key = "compress", .as.string = values->compress};
    struct pose_value game = {.kind = POSE_STRING, .key = "game", .as.string = values->game};
    struct pose_value settings = {.kind = POSE_OBJECT, .first = values->compress ? &compress : NULL};
    if (values->game) {
        game.next = settings.first;
        settings.first = &game;
    }
    struct pose_buffer bytes = {0}, described = {0};
    struct pose_error error;
    progress_start("packing", 0);
    bool packed = pose_pack(format, package->items, package->count, &settings, NULL, &bytes, &error);
    progress_end();
    if (!packed) {
        report_failed(report, out, &error, NULL);
    } else if (!save_file(out, (struct pose_bytes){bytes.data, bytes.size})) {
        report_failed(report, out, NULL, strerror(errno));
    } else {
        if (report->json)
            warnings_describe(&described, out, bytes.size, NULL);
        report_made(report, &described);
    }
    pose_buffer_free(&bytes);
}

static int run_pack(const struct command *command, int argc, char **argv)
{
    struct pack_options values;
    struct operands operands;
    struct package package = {0};
    struct pose_error error;
    if (!command_parse(command, &values, argc, argv, 2, 0, &operands))
        return COMMAND_BAD_USAGE;
    const char *out = operands.items[0];
    const struct pose_format *format = choose_format(&values, out);
    if (!format)
        return COMMAND_BAD_USAGE;
    struct report report = {.json = values.json, .quiet = values.quiet};
    if (values.json && save_is_output(out))
        return command_misused("--json: standard output has the archive");
    if (values.quiet)
        progress_hide();
    files_init();
    for (size_t i = 1; i < operands.count && !report.failed; i++) {
        if (!add_path(&package, operands.items[i], &error))
            report_failed(&report, operands.items[i], &error, NULL);
    }
    if (!report.failed && names_differ(&package, &report))
        write_package(&package, out, format->id, &values, &report);
    release(&package);
    return report_end(&report, false);
}

const struct command command_pack = {
    .name = "pack",
    .operands = "OUT FILE...",
    .summary = "writes an archive",
    .description =
        "A file is packed under its base name, the files of a folder under their paths below it. The\n"
        "extension of OUT selects the format; .far is far1a.\n",
    .options = options,
    .run = run_pack,
};
