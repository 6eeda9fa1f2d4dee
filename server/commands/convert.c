/* `posed convert`: converts a file, some clips of an archive, or all of them to another format. */
#include "lib/core/nearest.h"
#include "server/commands/commands.h"
#include "server/commands/asking.h"
#include "server/commands/convert.h"
#include "server/commands/library.h"
#include "server/commands/progress.h"
#include "server/commands/save.h"
#include "server/library/snapshot/own_catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct convert_values {
    const char *from, *to, *skeleton, *mesh, *clip, *map;
    const char *onto, *map_onto, *ik, *travel, *heading, *tolerance;
    const char *fps, *priority, *ease_in, *ease_out, *game, *bones, *axes, *unit, *up;
    bool strict, loop, no_loop, retarget, json, quiet;
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

/* Filled in from the library's table before the options are parsed. */
static char to_help[TARGET_WORDS];

static const struct option options[] = {
    TEXT("--from", "F", from, "detected", "format of IN; skips detection"),
    TEXT("--to", "TARGET", to, "by OUT's extension", to_help),
    TEXT("--skeleton", "FILE", skeleton, "best match in IN and among the built-in ones",
         "file with the skeleton; none: leave the tracks as they are"),
    TEXT("--mesh", "FILE|M", mesh, "auto",
         "glb, gltf: file with the mesh, or a folder of several; bones, mannequin or none; auto: a character "
         "found beside IN, else the mannequin if the skeleton is a person's"),
    TEXT("--clip", "NAME,...", clip, "the only one",
         "clips to convert: names, entry names or ids; several go into one glb or gltf"),
    TEXT("--map", "FILE", map, "none", "JSON object from joint names to new names; with --retarget to bones"),
    FLAG("--retarget", retarget, "transfer the motion to another humanoid skeleton"),
    TEXT("--onto", "FILE", onto, "one beside IN, else a built-in one",
         "retarget: file with the target skeleton"),
    TEXT("--map-onto", "FILE", map_onto, "by joint names",
         "retarget: JSON object from its joint names to bones"),
    TEXT("--ik", "feet|none", ik, "feet", "retarget: feet: bend the legs to keep planted feet planted"),
    TEXT("--travel", "keep|remove", travel, "keep",
         "retarget: keep or remove the way travelled from start to end"),
    TEXT("--heading", "keep|first", heading, "keep",
         "retarget: first: turn the figure to face forward at the start"),
    TEXT("--tolerance", "DEG", tolerance, "0.05",
         "retarget: leave out keys that matter less, 0 to 5 degrees"),
    TEXT("--fps", "N", fps, "the clip's own keys", "a key on every frame at this rate"),
    FLAG("--strict", strict, "fail instead of warning if the target cannot hold everything"),
    TEXT("--bones", "mesh|none", bones, "mesh", "glb, gltf: whether to add a small mesh of the bones"),
    TEXT("--axes", "native|gltf", axes, "native", "json: keys as stored, or in metres, +Y up, +Z forward"),
    TEXT("--priority", "N", priority, "the clip's, else 2", "sl-anim: -1 to 6"),
    FLAG("--loop", loop, "games: the clip loops"),
    FLAG("--no-loop", no_loop, "games: the clip does not loop"),
    TEXT("--ease-in", "S", ease_in, "the clip's, else 0.3", "sl-anim: seconds"),
    TEXT("--ease-out", "S", ease_out, "the clip's, else 0.3", "sl-anim: seconds"),
    TEXT("--game", "mp1|mp2", game, "the clip's, else mp1", "prime-anim: the game to write for"),
    TEXT("--unit", "m|cm|inch", unit, "m",
         "bvh: unit of lengths; always inches under a root named hip or mPelvis"),
    TEXT("--up", "y|z|auto", up, "auto",
         "which way is up if IN is a bvh; auto: from the hips to the head at rest"),
    FLAG("--json", json, "print what was made and what failed as JSON"),
    {.name = "--quiet",
     .letter = 'q',
     .kind = OPTION_FLAG,
     .member = offsetof(struct convert_values, quiet),
     .help = "print only what failed"},
    {.name = NULL},
};

/* ----------------------------------------------------------------------------------------------- one, or everything -- */

bool job_has_archive(const struct job *job, uint32_t archive)
{
    const char *root = job->place.from.own->archives[archive]->root;
    return job->place.from.own != job->place.from.common || (root && !strcmp(root, job->in));
}

bool job_has(const struct job *job, const struct catalog_item *item)
{
    struct place_walk walk = {0};
    while (catalog_next_place(job->place.from.own, item, &walk)) {
        if (job_has_archive(job, walk.place.archive))
            return true;
    }
    return false;
}

struct pose_document *job_decode(const struct job *job, struct catalog_place place)
{
    const struct choice_place *from = &job->place.from;
    struct pose_error error;
    return index_decode(from->own->archives[place.archive], place.entry, from->common->archives,
                        from->common->path_count, &job->place.service->index_options.pose, &error);
}

void job_document_free(const struct job *job, struct catalog_place place, struct pose_document *document)
{
    index_document_free(job->place.from.own->archives[place.archive], place.entry, document);
}

const char *job_refusal(const struct job *job, const char *detail, char shown[JOB_REFUSAL])
{
    char name[32];
    const size_t length = strcspn(detail, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, detail);
    const char *value = params_get(job->place.from.params, name);
    const bool is_option = detail[length] && (value || !strcmp(name, "onto"));
    const bool is_negated = value && !strcmp(name, "loop") && !strcmp(value, "0");
    snprintf(shown, JOB_REFUSAL, "%s%s", is_negated ? "--no-" : is_option ? "--" : "", detail);
    for (size_t i = 0; is_option && i < length + 2; i++)
        shown[i] = shown[i] == '_' ? '-' : shown[i];
    return shown;
}

bool job_allows(const struct job *job, const struct pose_target *target, int *status)
{
    struct conversion conversion;
    struct param_error error;
    char detail[CONVERSION_DETAIL], shown[JOB_REFUSAL];
    bool done = conversion_read(job->place.from.params, target, false, &conversion, &error);
    conversion_release(&conversion);
    if (!done && !strcmp(error.name, "map"))
        *status = command_failed(job->map, "%s", error.detail);
    else if (!done) {
        snprintf(detail, sizeof detail, "%s: %s", error.name, error.detail);
        *status = command_misused("%s", job_refusal(job, detail, shown));
    }
    return done;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* Whether OUT is a folder: it exists or looks like one, or IN is an archive and OUT does not look like a
 * file. */
static bool means_folder(const struct job *job, const char *out)
{
    if (convert_is_stream(out) || convert_has_extension(out))
        return is_folder(out);
    if (is_folder(out) || out[strlen(out) - 1] == '/')
        return true;
    struct stat status;
    if (!stat(out, &status))
        return false;
    for (uint32_t a = 0; a < job->place.from.own->archive_count; a++) {
        if (job_has_archive(job, a) && strcmp(job->place.from.own->archives[a]->format, "file") != 0)
            return true;
    }
    return false;
}

/* OUT names neither a format nor, by what it is or how it ends, only a folder. */
static int tell_no_target(const char *out)
{
    char words[TARGET_WORDS];
    const char *extension = convert_extension(out);
    target_words(NULL, words);
    if (!is_folder(out) && *extension)
        return command_misused("%s: no format ends in .%s; --to is one of %s", out, extension, words);
    return command_misused("%s is a folder: --to says what goes into it, one of %s", out, words);
}

static int convert_job(const struct job *job, const struct convert_values *values, const char *out)
{
    if (means_folder(job, out) && !values->clip) {
        const struct pose_target *target = values->to ? pose_target_find(values->to) : NULL;
        return target ? convert_all(job, target, out) : tell_no_target(out);
    }
    return convert_one(job, values->clip, values->to, out);
}

/* ----------------------------------------------------------------------------------------------------- arguments -- */

struct arguments {
    struct params params;
    char skeleton[ID_TEXT], onto[ID_TEXT];
    char *meshes;         /* ids, comma-separated, from malloc */
    char *map, *map_onto; /* from malloc */
};

static void add_param(struct arguments *arguments, const char *name, const char *value)
{
    if (value)
        arguments->params.items[arguments->params.count++] = (struct param){name, value};
}

/* Whether --mesh is a word of mesh= and not a file. */
static bool is_word(const char *mesh)
{
    static const char *const words[] = {"auto", "bones", "mannequin", "none"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!strcmp(mesh, words[i]))
            return true;
    }
    return false;
}

/* The ids of all meshes of a file. */
static bool find_meshes(const struct catalog *catalog, const char *path, struct arguments *arguments)
{
    const struct catalog_item *mesh;
    uint32_t next = 0;
    arguments->meshes = must_alloc((size_t)catalog->lists[ASSET_MESH].present + 1, ID_TEXT);
    char *at = arguments->meshes;
    while ((mesh = catalog_next(catalog, ASSET_MESH, &next))) {
        if (!asking_is_from(catalog, mesh, path))
            continue;
        if (at != arguments->meshes)
            *at++ = ',';
        id_write(&mesh->asset->id, at);
        at += strlen(at);
    }
    if (!*arguments->meshes)
        command_failed(path, "holds no mesh");
    return *arguments->meshes;
}

/* The text of a file, from malloc; NULL with a message printed. */
static char *read_text(const char *path)
{
    struct file_bytes file;
    struct pose_error error;
    if (!file_map(path, &file, &error)) {
        command_broken(path, &error);
        return NULL;
    }
    char *text = must_alloc(file.bytes.size + 1, 1);
    if (file.bytes.size)
        memcpy(text, file.bytes.data, file.bytes.size);
    file_release(&file);
    return text;
}

static void add_retargeting(struct arguments *arguments, const struct convert_values *values)
{
    add_param(arguments, "retarget", values->retarget ? "1" : NULL);
    add_param(arguments, "onto", values->onto ? arguments->onto : NULL);
    add_param(arguments, "map_onto", arguments->map_onto);
    add_param(arguments, "ik", values->ik);
    add_param(arguments, "travel", values->travel);
    add_param(arguments, "heading", values->heading);
    add_param(arguments, "tolerance", values->tolerance);
}

static bool read_arguments(const struct catalog *catalog, const struct convert_values *values,
                           struct arguments *arguments)
{
    *arguments = (struct arguments){0};
    if (values->skeleton && !asking_skeleton(catalog, values->skeleton, arguments->skeleton))
        return false;
    if (values->onto && !asking_skeleton(catalog, values->onto, arguments->onto))
        return false;
    const bool has_file = values->mesh && !is_word(values->mesh);
    if ((has_file && !find_meshes(catalog, values->mesh, arguments)) ||
        (values->map && !(arguments->map = read_text(values->map))) ||
        (values->map_onto && !(arguments->map_onto = read_text(values->map_onto))))
        return false;
    add_param(arguments, "skeleton", values->skeleton ? arguments->skeleton : NULL);
    add_param(arguments, "mesh", has_file ? arguments->meshes : values->mesh);
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
    add_param(arguments, "unit", values->unit);
    add_param(arguments, "up", values->up);
    add_retargeting(arguments, values);
    return true;
}

/* Converts IN alone, read as the format of --from. */
static int convert_forced(struct job *job, const struct convert_values *values, const char *out)
{
    struct file_bytes file;
    struct pose_error error;
    if (!file_map(job->in, &file, &error))
        return command_broken(job->in, &error);
    const struct upload_source source = {.name = job->in, .bytes = file.bytes, .format = values->from};
    const struct own_setting setting = {.service = job->place.service,
                                        .common = job->place.from.common,
                                        .options = job->place.service->index_options,
                                        .keeps = true};
    struct own_catalog own;
    int status;
    if (own_catalog_open(&own, &source, &setting)) {
        job->place.from.own = own.catalog;
        status = convert_job(job, values, out);
    } else {
        status = command_broken(job->in, &own.refusal.error);
    }
    own_catalog_close(&own);
    file_release(&file);
    return status;
}

static int convert(struct service *service, const struct convert_values *values, const char *in,
                   const char *out)
{
    struct catalog *catalog = service_enter(service, false, 0);
    struct arguments arguments;
    struct report report = {.json = values->json, .quiet = values->quiet};
    int status = COMMAND_BAD_INPUT;
    if (read_arguments(catalog, values, &arguments)) {
        struct job job = {.place = {.service = service,
                                    .from = {&arguments.params, catalog, catalog},
                                    .options = service->index_options.pose},
                          .in = in,
                          .map = values->map,
                          .report = &report};
        status = values->from ? convert_forced(&job, values, out) : convert_job(&job, values, out);
        bool with_counts = means_folder(&job, out) && !values->clip;
        if (status != COMMAND_BAD_USAGE)
            status = report_end(&report, with_counts) == COMMAND_DONE ? status : COMMAND_BAD_INPUT;
    }
    free(arguments.meshes);
    free(arguments.map);
    free(arguments.map_onto);
    service_leave(service, catalog, false);
    return status;
}

/* Checks options that require --retarget. */
static bool check_alone(const struct convert_values *values)
{
    const char *const given[][2] = {{"--onto", values->onto},       {"--map-onto", values->map_onto},
                                    {"--ik", values->ik},           {"--travel", values->travel},
                                    {"--heading", values->heading}, {"--tolerance", values->tolerance}};
    for (size_t i = 0; i < sizeof given / sizeof *given && !values->retarget; i++) {
        if (given[i][1]) {
            command_misused("%s goes with --retarget", given[i][0]);
            return false;
        }
    }
    return true;
}

static bool check_values(const struct convert_values *values, const char *out)
{
    char words[TARGET_WORDS], hint[NEAREST_HINT];
    struct nearest nearest;
    if (!check_alone(values))
        return false;
    if (values->to && !target_of_word(values->to)) {
        target_words(NULL, words);
        nearest_begin(&nearest, values->to, strlen(values->to));
        for (const struct pose_target *target = pose_targets(); target->word; target++)
            nearest_offer(&nearest, target->word);
        for (const struct pose_target *target = pose_mesh_targets(); target->word; target++)
            nearest_offer(&nearest, target->word);
        nearest_hint(&nearest, hint);
        command_misused("--to: %s is not one of %s%s", values->to, words, hint);
        return false;
    }
    if (values->from && !pose_format_find(values->from)) {
        nearest_begin(&nearest, values->from, strlen(values->from));
        for (const struct pose_format *format = pose_formats(); format->id; format++)
            nearest_offer(&nearest, format->id);
        nearest_hint(&nearest, hint);
        command_misused("--from: there is no format %s%s", values->from, hint);
        return false;
    }
    if (values->json && save_is_output(out)) {
        command_misused("--json: standard output has the converted file");
        return false;
    }
    if (values->loop && values->no_loop) {
        command_misused("--loop and --no-loop exclude each other");
        return false;
    }
    return true;
}

static void list_targets(void)
{
    target_words(NULL, to_help);
}

static int run_convert(const struct command *command, int argc, char **argv)
{
    struct convert_values values;
    struct operands operands;
    struct library library;
    if (!command_parse(command, &values, argc, argv, 2, 2, &operands) ||
        !check_values(&values, operands.items[1]))
        return COMMAND_BAD_USAGE;
    const char *mesh = values.mesh && !is_word(values.mesh) ? values.mesh : NULL;
    const char *const others[] = {values.skeleton, mesh, values.onto};
    char *paths[4] = {operands.items[0]};
    size_t count = 1;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i] && strcmp(others[i], "none") != 0)
            paths[count++] = strdup(others[i]);
    }
    files_init();
    if (values.quiet)
        progress_hide();
    int status = COMMAND_BAD_INPUT;
    if (library_open(&library, paths, count)) {
        status = convert(library.service, &values, paths[0], operands.items[1]);
        library_close(&library);
    }
    for (size_t i = 1; i < count; i++)
        free(paths[i]);
    return status;
}

const struct command command_convert = {
    .name = "convert",
    .operands = "IN OUT",
    .summary = "converts a clip, or several, or a whole archive",
    .description =
        "IN is a clip, or an archive or folder of clips. Files that a clip needs are searched\n"
        "for beside it. OUT is a file (- is standard output), or a folder for everything in IN. What the\n"
        "target cannot hold is reported on standard error. A skill of The Sims is two files, the second\n"
        "beside OUT, or a ZIP of both if OUT ends in .zip. A mesh for a game comes\n"
        "with its textures and what puts it on.\n",
    .options = options,
    .prepare = list_targets,
    .reads_input = true,
    .run = run_convert,
};
