/* Converts one clip, or several into one file: selects the clips, finds the format by the file's name, and
 * writes the file. */
#include "server/commands/convert.h"
#include "server/commands/save.h"
#include "server/library/called.h"
#include "server/library/names.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* --------------------------------------------------------------------------------------------------- the target -- */

const char *convert_extension(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot && dot[1] ? dot + 1 : "";
}

bool convert_has_extension(const char *path)
{
    const char *extension = convert_extension(path);
    unsigned count;
    target_of_extension(extension, NULL, &count);
    return count || mesh_target_of_extension(extension) || !strcasecmp(extension, "zip");
}

/* The target for OUT's extension; if there are several, the clip's own format. NULL, with a message
 * printed, if it is ambiguous. */
static const struct pose_target *target_of(const char *out, const char *format)
{
    const char *extension = convert_extension(out);
    char words[TARGET_WORDS];
    unsigned count;
    const struct pose_target *target = target_of_extension(extension, format, &count);
    if (!count)
        target = mesh_target_of_extension(extension);
    if (target)
        return target;
    target_words(count ? extension : NULL, words);
    if (count)
        command_misused("%s: --to says which it is of %s", out, words);
    else if (*extension)
        command_misused("%s: no format ends in .%s; --to is one of %s", out, extension, words);
    else
        command_misused("%s has no extension; --to is one of %s", out, words);
    return NULL;
}

/* The format that the clip had before it became glTF or JSON, in room; NULL if unknown. */
static const char *origin_of(const struct job *job, const struct catalog_item *item, char room[40])
{
    struct pose_document *document = job_decode(job, item->place);
    const char *origin = document ? document->clips[item->asset->inner].origin : NULL;
    if (origin)
        snprintf(room, 40, "%s", origin);
    job_document_free(job, item->place, document);
    return origin ? room : NULL;
}

/* ------------------------------------------------------------------------------------------------ what is meant -- */

static int fail(const struct job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(const struct job *job, const char *format, ...)
{
    char detail[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    report_failed(job->report, job->in, NULL, detail);
    return COMMAND_BAD_INPUT;
}

struct choice {
    uint32_t count;
    struct ingredient *clips; /* from malloc */
};

static bool is_mine(const void *user, const struct catalog_item *item)
{
    return job_has(user, item);
}

/* Where names are looked for: in IN. */
static struct called_in in_of(const struct job *job)
{
    return (struct called_in){job->place.from.own, is_mine, job};
}

static bool add_called(const struct job *job, const char *name, struct choice *choice)
{
    const struct called_in in = in_of(job);
    const struct catalog_item *clip = NULL;
    char hint[NEAREST_HINT];
    const uint32_t found = called_find(&in, name, strlen(name), &clip);
    if (found == 1) {
        choice->clips[choice->count++] = (struct ingredient){job->place.from.own, clip};
    } else if (found) {
        fail(job, "holds %u clips of the name %s", found, name);
    } else {
        called_hint(&in, name, hint);
        fail(job, "holds no clip of the name %s%s", name, hint);
    }
    return found == 1;
}

/* Finds the clips by name; false, with a message printed, if one is missing or ambiguous. */
static bool choose_named(const struct job *job, const char *names, struct choice *choice)
{
    char *text = strdup(names), *rest = NULL;
    bool done = true;
    choice->clips = must_alloc(strlen(names) + 1, sizeof *choice->clips);
    for (char *name = strtok_r(text, ",", &rest); name && done; name = strtok_r(NULL, ",", &rest))
        done = add_called(job, name, choice);
    free(text);
    return done;
}

static void choose_all(const struct job *job, struct choice *choice)
{
    const struct catalog *source = job->place.from.own;
    const struct called_in in = in_of(job);
    const struct catalog_item *clip;
    uint32_t next = 0;
    choice->clips = must_alloc(source->lists[ASSET_CLIP].present + 1, sizeof *choice->clips);
    while ((clip = called_next(&in, ASSET_CLIP, &next)))
        choice->clips[choice->count++] = (struct ingredient){source, clip};
}

/* Reports the first error of IN's files; false if there is none. */
static bool tell_broken(const struct job *job)
{
    for (uint32_t a = 0; a < job->place.from.own->archive_count; a++) {
        const struct index_archive *archive = job->place.from.own->archives[a];
        if (!job_has_archive(job, a))
            continue;
        const struct pose_error *error = archive->error;
        for (uint32_t e = 0; e < archive->entry_count && !error; e++)
            error = archive->entries[e]->error;
        if (error) {
            report_failed(job->report, job->in, error, NULL);
            return true;
        }
    }
    return false;
}

static void list_names(const struct choice *choice, char *text, size_t capacity)
{
    *text = '\0';
    for (uint32_t i = 0;
         i < choice->count && name_list_add(text, capacity, choice->clips[i].item->asset->name); i++)
        ;
}

/* If a file has no clips, a scene uses its skeleton and meshes. */
static bool take_model(const struct job *job, struct conversion_parts *parts)
{
    const struct catalog *source = job->place.from.own;
    const struct called_in in = in_of(job);
    const struct catalog_item *item;
    uint32_t next = 0;
    while (parts->mesh_count < CONVERSION_MESHES && (item = called_next(&in, ASSET_MESH, &next)))
        parts->meshes[parts->mesh_count++] = (struct ingredient){source, item};
    next = 0;
    item = parts->skeleton.choice.asset ? NULL : called_next(&in, ASSET_SKELETON, &next);
    if (item)
        parts->skeleton = (struct ingredient_skeleton){source, {.asset = item->asset, .item = item}};
    return parts->mesh_count || parts->skeleton.choice.asset;
}

/* ----------------------------------------------------------------------------------------------------- one file -- */

static bool save(const struct job *job, const char *out, const struct pose_buffer *bytes)
{
    if (save_file(out, (struct pose_bytes){bytes->data, bytes->size}))
        return true;
    report_failed(job->report, out, NULL, strerror(errno));
    return false;
}

/* What belongs to the file is saved beside it, and before it. */
static bool save_made(const struct job *job, const char *out, const struct conversion_result *made)
{
    bool done = true;
    for (uint32_t i = 0; i < made->beside_count && done; i++) {
        char *path = NULL;
        if (asprintf(&path, "%.*s%s", (int)(name_base(out) - out), out, made->beside[i].name) < 0)
            abort();
        done = save(job, path, &made->beside[i].bytes);
        free(path);
    }
    return done && save(job, out, &made->bytes);
}

static char *stem_of(const char *path)
{
    const char *base = name_base(path);
    char *stem = strndup(base, name_stem(base));
    if (!stem)
        abort();
    return stem;
}

bool convert_is_stream(const char *out)
{
    struct stat status;
    return save_is_output(out) ||
           (!stat(out, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

static void report_one(const struct job *job, const struct conversion_result *made, const char *out)
{
    struct pose_buffer text = {0};
    if (job->report->json)
        warnings_describe(&text, out, made->bytes.size, &made->warnings);
    report_made(job->report, &text);
    report_warnings(job->report, job->in, &made->warnings);
}

static int write_one(const struct job *job, const struct pose_target *target,
                     const struct conversion_parts *parts, const char *out)
{
    struct conversion_result result;
    char detail[CONVERSION_DETAIL], shown[JOB_REFUSAL];
    int status = COMMAND_BAD_INPUT;
    if (!job_allows(job, target, &status))
        return status;
    char *name = convert_is_stream(out)
                     ? strdup(parts->clip_count ? parts->clips[0].item->asset->name : "skeleton")
                     : stem_of(out);
    const struct conversion_file file = {
        .name = name, .unzipped = !convert_is_stream(out) && strcasecmp(convert_extension(out), "zip") != 0};
    if (!conversion_make_one(&job->place, target, parts, &file, &result, detail)) {
        report_failed(job->report, job->in, NULL, job_refusal(job, detail, shown));
    } else if (save_made(job, out, &result)) {
        report_one(job, &result, out);
        status = COMMAND_DONE;
    }
    conversion_result_release(&result);
    free(name);
    return status;
}

/* The only mesh of IN. */
static int convert_mesh(const struct job *job, const struct pose_target *target, const char *out)
{
    struct conversion_parts parts = {0};
    char names[600] = "";
    take_model(job, &parts);
    if (parts.mesh_count == 1)
        return write_one(job, target, &parts, out);
    if (!parts.mesh_count)
        return tell_broken(job) ? COMMAND_BAD_INPUT : fail(job, "holds no mesh");
    for (unsigned i = 0; i < parts.mesh_count; i++)
        name_list_add(names, sizeof names, parts.meshes[i].item->asset->name);
    return fail(job, "holds several meshes (%s): a file of this format holds one", names);
}

static int convert_chosen(const struct job *job, const struct choice *choice, const char *to, bool named,
                          const char *out)
{
    struct conversion_parts parts = {.clip_count = choice->count, .clips = choice->clips};
    char names[600];
    char origin[40];
    const char *format =
        choice->count ? catalog_entry(job->place.from.own, choice->clips[0].item->place)->format : NULL;
    if (format && (!strcmp(format, "gltf") || !strcmp(format, "json")))
        format = origin_of(job, choice->clips[0].item, origin);
    const struct pose_target *target = to ? target_of_word(to) : target_of(out, format);
    if (!target)
        return COMMAND_BAD_USAGE;
    if (target->is_mesh)
        return convert_mesh(job, target, out);
    if (!choice->count && !(target->is_scene && take_model(job, &parts)))
        return tell_broken(job) ? COMMAND_BAD_INPUT : fail(job, "holds no clip");
    if (choice->count <= 1 || (target->is_scene && named))
        return write_one(job, target, &parts, out);
    if (named)
        return command_misused("--clip: a file of this format holds one clip");
    list_names(choice, names, sizeof names);
    return fail(job, "holds several clips; --clip is one of %s; or give a folder as OUT to convert all",
                names);
}

int convert_one(const struct job *job, const char *names, const char *to, const char *out)
{
    struct choice choice = {0};
    bool chosen = true;
    if (names)
        chosen = choose_named(job, names, &choice);
    else
        choose_all(job, &choice);
    int status = chosen ? convert_chosen(job, &choice, to, names != NULL, out) : COMMAND_BAD_INPUT;
    free(choice.clips);
    return status;
}
