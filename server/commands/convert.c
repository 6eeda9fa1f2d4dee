/* `posed convert`: a file, clips of an archive, or all of them, in another format. */
#include "api/conversion.h"
#include "server/commands.h"
#include "server/commands/asking.h"
#include "server/commands/conversion_job.h"
#include "server/commands/library.h"
#include "server/commands/save.h"
#include "server/index_upload.h"
#include "server/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct convert_values {
    const char *from, *to, *skeleton, *mesh, *clip, *map;
    const char *fps, *priority, *ease_in, *ease_out, *game, *bones, *axes;
    bool strict, loop, no_loop;
};

#define TEXT(name_, metavar_, member_, shown_, help_)                                                        \
    {                                                                                                        \
        .name = name_, .metavar = metavar_, .shown = shown_, .kind = OPTION_TEXT,                            \
        .member = offsetof(struct convert_values, member_), .help = help_                                    \
    }
#define FLAG(name_, member_, help_)                                                                          \
    {                                                                                                        \
        .name = name_, .kind = OPTION_FLAG, .member = offsetof(struct convert_values, member_),              \
        .help = help_                                                                                        \
    }

static const struct option options[] = {
    TEXT("--from", "F", from, "as its bytes say", "the format of IN, whatever its bytes say"),
    TEXT("--to", "F", to, "by OUT's extension",
         "glb, gltf, bvh, json, sl-anim, tso-anim, prime-anim, sims3-clip, sims1-cmx or sims1-bcf"),
    TEXT("--skeleton", "FILE", skeleton, "the best of IN and those that posed ships",
         "a file with the skeleton; none: the tracks as they are"),
    TEXT("--mesh", "FILE", mesh, "the bones", "glb, gltf: a file with the mesh, or several in a folder"),
    TEXT("--clip", "NAME,...", clip, "the only one",
         "which clips: names, names of their entries, or ids; several go into one glb or gltf"),
    TEXT("--map", "FILE", map, "no other names", "a JSON object of joints and their new names"),
    TEXT("--fps", "N", fps, "the keys as they are", "keys on every frame of that rate"),
    FLAG("--strict", strict, "what the target cannot hold is an error and no warning"),
    TEXT("--bones", "mesh|none", bones, "mesh", "glb, gltf: whether there is a small mesh of the bones"),
    TEXT("--axes", "native|gltf", axes, "native", "json: keys as stored, or in metres, +Y up, +Z forward"),
    TEXT("--priority", "N", priority, "the clip's, else 2", "sl-anim: -1 to 6"),
    FLAG("--loop", loop, "games: the clip loops"),
    FLAG("--no-loop", no_loop, "games: it does not"),
    TEXT("--ease-in", "S", ease_in, "the clip's, else 0.3", "sl-anim: seconds"),
    TEXT("--ease-out", "S", ease_out, "the clip's, else 0.3", "sl-anim: seconds"),
    TEXT("--game", "mp1|mp2", game, "the clip's, else mp1", "prime-anim: the game that it is for"),
    {.name = NULL},
};

/* --------------------------------------------------------------------------------------------------- the target -- */

static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot && dot[1] ? dot + 1 : "";
}

static bool has_target_extension(const char *path)
{
    const char *extension = extension_of(path);
    unsigned count;
    convert_target_of(extension, NULL, &count);
    return count || !strcasecmp(extension, "zip");
}

/* The target by OUT's extension, of several the one that is the clip's own format. NULL when that is not clear, which has
 * been said then. */
static const struct convert_target *target_of(const char *out, const char *format)
{
    const char *extension = extension_of(out);
    char words[CONVERT_WORDS];
    unsigned count;
    const struct convert_target *target = convert_target_of(extension, format, &count);
    if (target)
        return target;
    convert_target_words(count ? extension : NULL, words);
    if (count)
        command_misused("%s: --to says which it is of %s", out, words);
    else
        command_misused("%s: its extension tells no format; --to is one of %s", out, words);
    return NULL;
}

/* The format that the clip was before it became glTF or JSON, in room; NULL when it does not say. */
static const char *origin_of(const struct job *job, const struct catalog_item *item, char room[40])
{
    struct pose_error error;
    struct pose_document *document =
        index_decode(job->source->archives[item->place.archive], item->place.entry, job->common->archives,
                     job->common->path_count, &job->service->index_options.pose, &error);
    const char *origin = document ? document->clips[item->asset->inner].origin : NULL;
    if (origin)
        snprintf(room, 40, "%s", origin);
    pose_document_free(document);
    return origin ? room : NULL;
}

/* ------------------------------------------------------------------------------------------------ what is meant -- */

struct choice {
    const struct catalog_item **clips; /* [count], from malloc */
    uint32_t count;
    uint32_t all; /* clips of IN, chosen or not */
};

static bool add_called(const struct job *job, const char *name, struct choice *choice)
{
    const struct catalog_list *clips = &job->source->lists[ASSET_CLIP];
    uint32_t found = 0;
    for (uint32_t i = 0; i < clips->count; i++) {
        if (!job_has(job, &clips->items[i]) ||
            !catalog_is_called(job->source, &clips->items[i], name, strlen(name)))
            continue;
        choice->clips[choice->count] = &clips->items[i];
        found++;
    }
    choice->count += found > 0;
    if (found > 1)
        command_failed(job->in, "holds %u clips of the name %s", found, name);
    return found == 1;
}

/* Looks the names up; false when one is not there or not clear, which has been said then. */
static bool choose_named(const struct job *job, const char *names, struct choice *choice)
{
    char *text = strdup(names), *rest = NULL;
    bool done = true;
    choice->clips = must_alloc(strlen(names) + 1, sizeof *choice->clips);
    for (char *name = strtok_r(text, ",", &rest); name && done; name = strtok_r(NULL, ",", &rest)) {
        uint32_t before = choice->count;
        done = add_called(job, name, choice);
        if (!done && choice->count == before)
            command_failed(job->in, "holds no clip of the name %s", name);
    }
    free(text);
    return done;
}

static void choose_all(const struct job *job, struct choice *choice)
{
    const struct catalog_list *clips = &job->source->lists[ASSET_CLIP];
    choice->clips = must_alloc(clips->count + 1, sizeof *choice->clips);
    for (uint32_t i = 0; i < clips->count; i++) {
        if (job_has(job, &clips->items[i]))
            choice->clips[choice->count++] = &clips->items[i];
    }
}

/* The first error of IN's files; false when there is none. */
static bool tell_broken(const struct job *job)
{
    for (uint32_t a = 0; a < job->source->archive_count; a++) {
        const struct index_archive *archive = job->source->archives[a];
        if (!job_has_archive(job, a))
            continue;
        const struct pose_error *error = archive->error;
        for (uint32_t e = 0; e < archive->entry_count && !error; e++)
            error = archive->entries[e]->error;
        if (error) {
            command_broken(job->in, error);
            return true;
        }
    }
    return false;
}

static void list_names(const struct choice *choice, char *text, size_t capacity)
{
    *text = '\0';
    for (uint32_t i = 0; i < choice->count && name_list_add(text, capacity, choice->clips[i]->asset->name);
         i++)
        ;
}

/* Of a file without clips glTF takes the skeleton and the meshes. */
static bool take_model(const struct job *job, struct conversion_parts *parts)
{
    const struct catalog_list *skeletons = &job->source->lists[ASSET_SKELETON],
                              *meshes = &job->source->lists[ASSET_MESH];
    for (uint32_t i = 0; i < meshes->count && parts->mesh_count < CONVERSION_MESHES; i++) {
        if (job_has(job, &meshes->items[i]))
            parts->meshes[parts->mesh_count++] = (struct ingredient){job->source, &meshes->items[i]};
    }
    for (uint32_t i = 0; i < skeletons->count && !parts->skeleton.choice.asset; i++) {
        if (job_has(job, &skeletons->items[i]))
            parts->skeleton = (struct ingredient_skeleton){
                job->source, {.asset = skeletons->items[i].asset, .item = &skeletons->items[i]}};
    }
    return parts->mesh_count || parts->skeleton.choice.asset;
}

/* ----------------------------------------------------------------------------------------------------- one file -- */

static void tell_warnings(const char *in, const struct convert_warnings *warnings)
{
    for (uint32_t i = 0; i < warnings->count; i++)
        command_failed(in, "%s: %s (%s)", warnings->items[i].severity == POSE_WARNING ? "warning" : "note",
                       warnings->items[i].message, warnings->items[i].code);
}

static bool save(const char *out, const struct pose_buffer *bytes)
{
    if (save_file(out, (struct pose_bytes){bytes->data, bytes->size}))
        return true;
    command_failed(out, "%s", strerror(errno));
    return false;
}

/* The second file of a pair goes beside the first. */
static bool save_pair(const char *out, const struct convert_pair *pair)
{
    char *second = NULL;
    if (asprintf(&second, "%.*s%s", (int)(name_base(out) - out), out, pair->names[1]) < 0)
        abort();
    bool done = save(second, &pair->bytes[1]) && save(out, &pair->bytes[0]);
    free(second);
    return done;
}

static char *stem_of(const char *path)
{
    const char *base = name_base(path);
    char *stem = strndup(base, name_stem(base));
    if (!stem)
        abort();
    return stem;
}

static bool is_stream(const char *out)
{
    struct stat status;
    return save_is_output(out) ||
           (!stat(out, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

static int convert_one(const struct job *job, const struct convert_target *target,
                       const struct choice *choice, const struct conversion_parts *parts, const char *out)
{
    struct job_result result;
    bool zipped = is_stream(out) || !strcasecmp(extension_of(out), "zip");
    char *name =
        is_stream(out) ? strdup(choice->count ? choice->clips[0]->asset->name : "skeleton") : stem_of(out);
    bool done = job_convert(job, target, choice->clips, choice->count, parts, name, zipped, &result);
    int status = COMMAND_BAD_INPUT;
    if (done) {
        tell_warnings(job->in, &result.warnings);
        done = result.is_pair ? save_pair(out, &result.pair) : save(out, &result.bytes);
        status = done ? COMMAND_DONE : COMMAND_BAD_INPUT;
    } else if (result.misused && strncmp(result.detail, "map: ", 5) != 0) {
        status = command_misused("%s", result.detail);
    } else if (result.misused) {
        command_failed(job->map, "%s", result.detail + 5);
    } else {
        command_failed(job->in, "%s", result.detail);
    }
    job_result_release(&result);
    free(name);
    return status;
}

static int convert_chosen(const struct job *job, const struct convert_values *values, struct choice *choice,
                          const char *out)
{
    struct conversion_parts parts = {0};
    char names[600];
    char origin[40];
    const char *format = choice->count ? catalog_entry(job->source, choice->clips[0]->place)->format : NULL;
    if (format && (!strcmp(format, "gltf") || !strcmp(format, "json")))
        format = origin_of(job, choice->clips[0], origin);
    const struct convert_target *target =
        values->to ? convert_target_find(values->to) : target_of(out, format);
    if (!target)
        return COMMAND_BAD_USAGE;
    bool is_gltf = !strcmp(target->format, "gltf");
    if (!choice->count && !(is_gltf && take_model(job, &parts)))
        return tell_broken(job) ? COMMAND_BAD_INPUT : command_failed(job->in, "holds no clip");
    if (choice->count <= 1 || (is_gltf && values->clip))
        return convert_one(job, target, choice, &parts, out);
    if (values->clip)
        return command_misused("--clip: a file of this format holds one clip");
    list_names(choice, names, sizeof names);
    return command_failed(job->in, "holds several clips; --clip is one of %s", names);
}

/* ---------------------------------------------------------------------------------------------------- everything -- */

static bool is_folder(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* A folder that is there or looks like one; or no name of a file, for what is an archive. */
static bool means_folder(const struct job *job, const char *out)
{
    if (is_stream(out) || has_target_extension(out))
        return is_folder(out);
    if (is_folder(out) || out[strlen(out) - 1] == '/')
        return true;
    struct stat status;
    if (!stat(out, &status))
        return false;
    for (uint32_t a = 0; a < job->source->archive_count; a++) {
        if (job_has_archive(job, a) && strcmp(job->source->archives[a]->format, "file") != 0)
            return true;
    }
    return false;
}

static int convert_job(const struct job *job, const struct convert_values *values, const char *out)
{
    struct choice choice = {0};
    int status = COMMAND_BAD_INPUT;
    if (means_folder(job, out) && !values->clip) {
        const struct convert_target *target = values->to ? convert_target_find(values->to) : NULL;
        return target ? convert_all(job, target, out)
                      : command_misused("%s is a folder: --to says what goes into it", out);
    }
    bool chosen = true;
    if (values->clip)
        chosen = choose_named(job, values->clip, &choice);
    else
        choose_all(job, &choice);
    if (chosen)
        status = convert_chosen(job, values, &choice, out);
    free(choice.clips);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- arguments -- */

struct arguments {
    struct params params;
    char skeleton[ID_TEXT];
    char *meshes; /* ids, comma-separated, from malloc */
    char *map;    /* from malloc */
};

static void add_param(struct arguments *arguments, const char *name, const char *value)
{
    if (value)
        arguments->params.items[arguments->params.count++] = (struct param){name, value};
}

/* The ids of all meshes of a file. */
static bool find_meshes(const struct catalog *catalog, const char *path, struct arguments *arguments)
{
    const struct catalog_list *meshes = &catalog->lists[ASSET_MESH];
    arguments->meshes = must_alloc((size_t)meshes->count + 1, ID_TEXT);
    char *at = arguments->meshes;
    for (uint32_t i = 0; i < meshes->count; i++) {
        if (!asking_is_from(catalog, &meshes->items[i], path))
            continue;
        if (at != arguments->meshes)
            *at++ = ',';
        id_write(&meshes->items[i].asset->id, at);
        at += strlen(at);
    }
    if (!*arguments->meshes)
        command_failed(path, "holds no mesh");
    return *arguments->meshes;
}

static bool read_map(const char *path, struct arguments *arguments)
{
    struct file_bytes file;
    struct pose_error error;
    if (!file_map(path, &file, &error)) {
        command_broken(path, &error);
        return false;
    }
    arguments->map = must_alloc(file.bytes.size + 1, 1);
    if (file.bytes.size)
        memcpy(arguments->map, file.bytes.data, file.bytes.size);
    file_release(&file);
    return true;
}

static bool read_arguments(const struct catalog *catalog, const struct convert_values *values,
                           struct arguments *arguments)
{
    *arguments = (struct arguments){0};
    if (values->skeleton && !asking_skeleton(catalog, values->skeleton, arguments->skeleton))
        return false;
    if ((values->mesh && !find_meshes(catalog, values->mesh, arguments)) ||
        (values->map && !read_map(values->map, arguments)))
        return false;
    add_param(arguments, "skeleton", values->skeleton ? arguments->skeleton : NULL);
    add_param(arguments, "mesh", arguments->meshes);
    add_param(arguments, "map", arguments->map);
    add_param(arguments, "fps", values->fps);
    add_param(arguments, "strict", values->strict ? "1" : NULL);
    add_param(arguments, "bones", values->bones);
    add_param(arguments, "axes", values->axes);
    add_param(arguments, "priority", values->priority);
    add_param(arguments, "loop", values->loop ? "1" : values->no_loop ? "0" : NULL);
    add_param(arguments, "ease_in", values->ease_in);
    add_param(arguments, "ease_out", values->ease_out);
    add_param(arguments, "game", values->game);
    return true;
}

/* IN alone, read as what --from says. */
static int convert_forced(struct job *job, const struct convert_values *values, const char *out)
{
    struct file_bytes file;
    struct pose_error error;
    if (!file_map(job->in, &file, &error))
        return command_broken(job->in, &error);
    struct index_neighbours neighbours = {job->common->archives, job->common->path_count};
    struct upload_source source = {.name = job->in, .bytes = file.bytes, .format = values->from};
    struct index_archive *archive = index_upload(&source, &neighbours, &job->service->index_options);
    struct index_refusal refusal;
    int status = COMMAND_BAD_INPUT;
    if (index_verdict(archive, &refusal)) {
        job->source = catalog_new(&archive, 1, 0, 0, job->service->shipped, job->service->shipped_count);
        status = convert_job(job, values, out);
        catalog_unref(job->source);
    } else {
        command_broken(job->in, &refusal.error);
    }
    index_archive_unref(archive);
    file_release(&file);
    return status;
}

static int convert(struct service *service, const struct convert_values *values, const char *in,
                   const char *out)
{
    struct catalog *catalog = service_enter(service, false, 0);
    struct arguments arguments;
    int status = COMMAND_BAD_INPUT;
    if (read_arguments(catalog, values, &arguments)) {
        struct job job = {.service = service,
                          .common = catalog,
                          .source = catalog,
                          .in = in,
                          .map = values->map,
                          .params = &arguments.params};
        status = values->from ? convert_forced(&job, values, out) : convert_job(&job, values, out);
    }
    free(arguments.meshes);
    free(arguments.map);
    service_leave(service, catalog, false);
    return status;
}

static bool check_values(const struct convert_values *values)
{
    char words[CONVERT_WORDS];
    if (values->to && !convert_target_find(values->to)) {
        convert_target_words(NULL, words);
        command_misused("--to: %s is none of %s", values->to, words);
        return false;
    }
    if (values->from && !pose_format_find(values->from)) {
        command_misused("--from: there is no format %s", values->from);
        return false;
    }
    if (values->loop && values->no_loop) {
        command_misused("--loop and --no-loop exclude each other");
        return false;
    }
    return true;
}

static int run_convert(const struct command *command, int argc, char **argv)
{
    struct convert_values values;
    struct operands operands;
    struct library library;
    if (!command_parse(command, &values, argc, argv, 2, 2, &operands) || !check_values(&values))
        return COMMAND_BAD_USAGE;
    char *paths[4] = {operands.items[0]}, *more[2] = {NULL, NULL};
    size_t count = 1;
    if (values.skeleton && strcmp(values.skeleton, "none") != 0)
        paths[count++] = more[0] = strdup(values.skeleton);
    if (values.mesh)
        paths[count++] = more[1] = strdup(values.mesh);
    files_init();
    int status = COMMAND_BAD_INPUT;
    if (library_open(&library, paths, count)) {
        status = convert(library.service, &values, paths[0], operands.items[1]);
        library_close(&library);
    }
    free(more[0]);
    free(more[1]);
    return status;
}

const struct command command_convert = {
    .name = "convert",
    .operands = "IN OUT",
    .summary = "a clip, several, or all of an archive in another format",
    .description =
        "IN is a clip, or an archive or folder of clips. What a clip needs is looked for beside it. OUT is "
        "a\n"
        "file (- is standard output), or a folder for everything in IN. What the target cannot hold is said\n"
        "on standard error. A skill of The Sims is two files, the second beside OUT; a ZIP when OUT is "
        "one.\n",
    .options = options,
    .run = run_convert,
};
