/* `posed sample`: one pose, made by the API's own handler without a socket. */
#include "server/commands/commands.h"
#include "server/commands/asking.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct sample_options {
    double t;
    const char *clip;
    const char *skeleton;
    int space, axes, wrap; /* words of the metavar */
};

static const struct option options[] = {
    {.name = "--t",
     .metavar = "S",
     .fallback = "0",
     .kind = OPTION_NUMBER,
     .member = offsetof(struct sample_options, t),
     .help = "time in the clip, in seconds"},
    {.name = "--clip",
     .metavar = "NAME",
     .shown = "the only one",
     .kind = OPTION_TEXT,
     .member = offsetof(struct sample_options, clip),
     .help = "the clip, if FILE contains several: its name, entry name or id"},
    {.name = "--skeleton",
     .metavar = "FILE",
     .shown = "best match in FILE and among the built-in ones",
     .kind = OPTION_TEXT,
     .member = offsetof(struct sample_options, skeleton),
     .help = "file with the skeleton; none: leave the tracks as they are"},
    {.name = "--space",
     .metavar = "local|model",
     .fallback = "local",
     .kind = OPTION_CHOICE,
     .member = offsetof(struct sample_options, space),
     .help = "model: add matrices in model space"},
    {.name = "--axes",
     .metavar = "native|gltf",
     .fallback = "gltf",
     .kind = OPTION_CHOICE,
     .member = offsetof(struct sample_options, axes),
     .help = "values as stored, or in metres, +Y up, +Z forward"},
    {.name = "--wrap",
     .metavar = "clamp|loop",
     .fallback = "clamp",
     .kind = OPTION_CHOICE,
     .member = offsetof(struct sample_options, wrap),
     .help = "how to treat times outside the clip"},
    {.name = NULL},
};

/* As it came, for programs; one value per line where a person looks. */
static void print_json(struct pose_bytes text)
{
    json_t *value = isatty(STDOUT_FILENO) ? json_loadb((const char *)text.data, text.size, 0, NULL) : NULL;
    if (!value || json_dumpf(value, stdout, JSON_INDENT(2)))
        fwrite(text.data, 1, text.size, stdout);
    putchar('\n');
    json_decref(value);
}

static int ask(struct service *service, const char *path, const struct sample_options *values,
               const struct catalog_item *clip, const char *skeleton)
{
    char id[ID_TEXT], target[96], query[256];
    struct api_response response;
    id_write(&clip->asset->id, id);
    snprintf(target, sizeof target, "/v1/clips/%s/pose", id);
    snprintf(query, sizeof query, "t=%.17g&skeleton=%s&space=%s&axes=%s&wrap=%s", values->t, skeleton,
             values->space ? "model" : "local", values->axes ? "gltf" : "native",
             values->wrap ? "loop" : "clamp");
    for (char *plus = query; (plus = strchr(plus, '+'));)
        *plus = '0'; /* 1e+20: a '+' would be decoded as a blank, and an exponent may begin with zeros */
    int status = asking_get(service, path, target, query, &response);
    if (status != COMMAND_DONE)
        return status;
    print_json((struct pose_bytes){response.data, response.size});
    response_release(&response);
    return command_finish();
}

static int sample(struct service *service, const char *path, void *user)
{
    const struct sample_options *values = user;
    struct catalog *catalog = service_enter(service, false, 0);
    char skeleton[ID_TEXT];
    const struct catalog_item *clip = asking_clip(catalog, path, values->clip);
    bool clear = clip && asking_skeleton(catalog, values->skeleton, skeleton);
    int status = clear ? ask(service, path, values, clip, skeleton) : COMMAND_BAD_INPUT;
    service_leave(service, catalog, false);
    return status;
}

static int run_sample(const struct command *command, int argc, char **argv)
{
    struct sample_options values;
    struct operands operands;
    if (!command_parse(command, &values, argc, argv, 1, 1, &operands))
        return COMMAND_BAD_USAGE;
    return asking_of_file(operands.items[0], (const char *const[2]){values.skeleton}, sample, &values);
}

const struct command command_sample = {
    .name = "sample",
    .operands = "FILE",
    .summary = "prints one pose of a clip, as the API does",
    .description =
        "FILE is a clip, or an archive or folder of clips. Files that the clip needs are searched\n"
        "for beside it.\n",
    .options = options,
    .reads_input = true,
    .run = run_sample,
};
