/* `posed sample`: one pose, asked of the API's own handler without a socket in between. */
#include "api/dispatch.h"
#include "server/commands.h"
#include "server/commands/library.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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
     .help = "the time in the clip, in seconds"},
    {.name = "--clip",
     .metavar = "NAME",
     .shown = "the only one",
     .kind = OPTION_TEXT,
     .member = offsetof(struct sample_options, clip),
     .help = "which clip, when FILE holds several: its name, its entry's name or its id"},
    {.name = "--skeleton",
     .metavar = "FILE",
     .shown = "the best of FILE and those that posed ships",
     .kind = OPTION_TEXT,
     .member = offsetof(struct sample_options, skeleton),
     .help = "a file with the skeleton; none: the tracks as they are"},
    {.name = "--space",
     .metavar = "local|model",
     .fallback = "local",
     .kind = OPTION_CHOICE,
     .member = offsetof(struct sample_options, space),
     .help = "whether there are matrices in model space, too"},
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
     .help = "what a time outside of the clip means"},
    {.name = NULL},
};

/* ------------------------------------------------------------------------------------------------- what is meant -- */

/* An item of an archive that came from that path. */
static bool is_from(const struct catalog *catalog, const struct catalog_item *item, const char *path)
{
    for (uint32_t i = 0; i < item->place_count; i++) {
        if (!strcmp(catalog->archives[item->places[i].archive]->root, path))
            return true;
    }
    return false;
}

/* The names of a file's clips, as many as fit on a line. */
static void list_clips(const struct catalog *catalog, const char *path, char *text, size_t capacity)
{
    const struct catalog_list *clips = &catalog->lists[ASSET_CLIP];
    size_t length = 0;
    *text = '\0';
    for (uint32_t i = 0; i < clips->count; i++) {
        if (!is_from(catalog, &clips->items[i], path))
            continue;
        const char *name = clips->items[i].asset->name;
        if (length + strlen(name) + 8 > capacity) {
            strcpy(text + length, ", ...");
            return;
        }
        length += (size_t)sprintf(text + length, "%s%s", length ? ", " : "", name);
    }
}

/* What is wrong with the file that has no clip to be sampled. */
static void explain_no_clip(const struct catalog *catalog, const char *path)
{
    for (uint32_t a = 0; a < catalog->archive_count; a++) {
        const struct index_archive *archive = catalog->archives[a];
        if (strcmp(archive->root, path))
            continue;
        if (archive->error) {
            command_broken(path, archive->error);
            return;
        }
        if (archive->entry_count == 1 && archive->entries[0]->error) {
            command_broken(path, archive->entries[0]->error);
            return;
        }
    }
    command_failed(path, "holds no clip");
}

/* By name, by the name of its entry, or by id. */
static bool is_called(const struct catalog *catalog, const struct catalog_item *item, const char *name)
{
    char id[ID_TEXT];
    id_write(&item->asset->id, id);
    const struct index_archive *archive = catalog->archives[item->place.archive];
    return !strcmp(item->asset->name, name) || !strcmp(archive->entries[item->place.entry]->name, name) ||
           !strcmp(id, name);
}

/* NULL when it is not clear; that has been said then. */
static const struct catalog_item *choose_clip(const struct catalog *catalog, const char *path,
                                              const char *name)
{
    const struct catalog_list *clips = &catalog->lists[ASSET_CLIP];
    const struct catalog_item *chosen = NULL;
    char names[600];
    uint32_t count = 0;
    for (uint32_t i = 0; i < clips->count; i++) {
        const struct catalog_item *item = &clips->items[i];
        if (!is_from(catalog, item, path) || (name && !is_called(catalog, item, name)))
            continue;
        chosen = item;
        count++;
    }
    if (count == 1)
        return chosen;
    list_clips(catalog, path, names, sizeof names);
    if (!*names)
        explain_no_clip(catalog, path);
    else if (name && count)
        command_failed(path, "holds %u clips of the name %s", count, name);
    else if (name)
        command_failed(path, "holds no clip of the name %s but %s", name, names);
    else
        command_failed(path, "holds several clips; --clip is one of %s", names);
    return NULL;
}

/* The skeleton parameter of the request. False when the file has none; that has been said then. */
static bool choose_skeleton(const struct catalog *catalog, const char *path, char text[ID_TEXT])
{
    const struct catalog_list *skeletons = &catalog->lists[ASSET_SKELETON];
    if (!path || !strcmp(path, "none")) {
        strcpy(text, path ? "none" : "auto");
        return true;
    }
    for (uint32_t i = 0; i < skeletons->count; i++) {
        if (is_from(catalog, &skeletons->items[i], path)) {
            id_write(&skeletons->items[i].asset->id, text);
            return true;
        }
    }
    for (uint32_t a = 0; a < catalog->archive_count; a++) {
        const struct index_archive *archive = catalog->archives[a];
        if (!strcmp(archive->root, path) && archive->entry_count == 1 && archive->entries[0]->error) {
            command_broken(path, archive->entries[0]->error);
            return false;
        }
    }
    command_failed(path, "holds no skeleton");
    return false;
}

/* ----------------------------------------------------------------------------------------------- the request -- */

static const char *no_header(const struct api_request *request, const char *name)
{
    (void)request;
    (void)name;
    return NULL;
}

static size_t no_header_count(const struct api_request *request, const char *name)
{
    (void)request;
    (void)name;
    return 0;
}

/* Prints the answer, or what its problem says. */
static int print_answer(const char *path, const struct api_response *response)
{
    if (response->status == 200) {
        fwrite(response->data, 1, response->size, stdout);
        putchar('\n');
        return command_finish();
    }
    json_t *problem = json_loadb(response->data, response->size, 0, NULL);
    const char *detail = json_string_value(json_object_get(problem, "detail"));
    int status = command_failed(path, "%s", detail ? detail : "it cannot be sampled");
    json_decref(problem);
    return status;
}

static int ask(struct service *service, const char *path, const struct sample_options *values,
               const struct catalog_item *clip, const char *skeleton)
{
    char id[ID_TEXT], target[96], query[256];
    id_write(&clip->asset->id, id);
    snprintf(target, sizeof target, "/v1/clips/%s/pose", id);
    snprintf(query, sizeof query, "t=%.17g&skeleton=%s&space=%s&axes=%s&wrap=%s", values->t, skeleton,
             values->space ? "model" : "local", values->axes ? "gltf" : "native",
             values->wrap ? "loop" : "clamp");
    for (char *plus = query; (plus = strchr(plus, '+'));)
        *plus = '0'; /* 1e+20: a '+' would be a blank, and an exponent may begin with zeros */
    struct api_request request = {.method = "GET",
                                  .path = target,
                                  .query = query,
                                  .body = (const uint8_t *)"",
                                  .body_fd = -1,
                                  .client = "",
                                  .client_is_loopback = true,
                                  .may_wait = true,
                                  .header = no_header,
                                  .header_count = no_header_count};
    struct api_response response;
    api_handle(service, &request, &response);
    int status = print_answer(path, &response);
    response_release(&response);
    return status;
}

static int sample(struct service *service, const char *path, const struct sample_options *values)
{
    struct catalog *catalog = service_enter(service, false, 0);
    char skeleton[ID_TEXT];
    const struct catalog_item *clip = choose_clip(catalog, path, values->clip);
    bool clear = clip && choose_skeleton(catalog, values->skeleton, skeleton);
    int status = clear ? ask(service, path, values, clip, skeleton) : COMMAND_BAD_INPUT;
    service_leave(service, catalog, false);
    return status;
}

static int run_sample(const struct command *command, int argc, char **argv)
{
    struct sample_options values;
    struct operands operands;
    struct library library;
    if (!command_parse(command, &values, argc, argv, 1, 1, &operands))
        return COMMAND_BAD_USAGE;
    char *paths[2] = {operands.items[0]};
    char *skeleton = values.skeleton ? strdup(values.skeleton) : NULL;
    size_t count = 1;
    if (skeleton && strcmp(skeleton, "none"))
        paths[count++] = skeleton;
    files_init();
    int status = COMMAND_BAD_INPUT;
    if (library_open(&library, paths, count)) {
        status = sample(library.service, paths[0], &values);
        library_close(&library);
    }
    free(skeleton);
    return status;
}

const struct command command_sample = {
    .name = "sample",
    .operands = "FILE",
    .summary = "one pose of a clip, as the API answers it",
    .description =
        "FILE is a clip, or an archive or folder of clips. What the clip needs is looked for beside it.\n",
    .options = options,
    .run = run_sample,
};
