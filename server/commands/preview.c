/* `posed preview`: a picture of a clip, made by the API's own handler. */
#include "server/commands/commands.h"
#include "server/commands/asking.h"
#include "server/commands/save.h"
#include "server/draw/picture.h"
#include "server/draw/view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct preview_options {
    double t;
    const char *size, *angle, *mesh, *background, *clip, *skeleton, *onto;
    bool retarget;
    uint64_t frames;
};

static const struct option options[] = {
    {.name = "--t",
     .metavar = "S",
     .fallback = "0",
     .kind = OPTION_NUMBER,
     .member = offsetof(struct preview_options, t),
     .help = "time in the clip, in seconds"},
    {.name = "--size",
     .metavar = "WxH",
     .fallback = "320x320",
     .kind = OPTION_TEXT,
     .member = offsetof(struct preview_options, size),
     .help = "width and height in pixels, 16 to 2048 each"},
    {.name = "--angle",
     .metavar = "A",
     .fallback = "three-quarter",
     .kind = OPTION_TEXT,
     .member = offsetof(struct preview_options, angle),
     .help = "front, side, three-quarter or top"},
    {.name = "--mesh",
     .metavar = "M",
     .fallback = "auto",
     .kind = OPTION_TEXT,
     .member = offsetof(struct preview_options, mesh),
     .help = "bones, mannequin, or auto: a character found beside IN, else the mannequin if the skeleton is "
             "a person's"},
    {.name = "--frames",
     .metavar = "N",
     .fallback = "1",
     .kind = OPTION_COUNT,
     .member = offsetof(struct preview_options, frames),
     .least = 1,
     .most = 64,
     .help = "number of poses in one sheet"},
    {.name = "--background",
     .metavar = "COLOR",
     .fallback = "transparent",
     .kind = OPTION_TEXT,
     .member = offsetof(struct preview_options, background),
     .help = "transparent, white, black, rrggbb or rrggbbaa"},
    {.name = "--clip",
     .metavar = "NAME",
     .shown = "the only one",
     .kind = OPTION_TEXT,
     .member = offsetof(struct preview_options, clip),
     .help = "the clip, if IN contains several: its name, entry name or id"},
    {.name = "--skeleton",
     .metavar = "FILE",
     .shown = "best match in IN and among the built-in ones",
     .kind = OPTION_TEXT,
     .member = offsetof(struct preview_options, skeleton),
     .help = "file with the skeleton; none: leave the tracks as they are"},
    {.name = "--retarget",
     .kind = OPTION_FLAG,
     .member = offsetof(struct preview_options, retarget),
     .help = "transfer the motion to another humanoid skeleton"},
    {.name = "--onto",
     .metavar = "FILE",
     .shown = "none",
     .kind = OPTION_TEXT,
     .member = offsetof(struct preview_options, onto),
     .help = "retarget: file with the target skeleton"},
    {.name = NULL},
};

/* "svg", "png" or "webp" after the last dot, or NULL. */
static const char *type_of(const char *path)
{
    static const char *const types[] = {"svg", "png", "webp"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++) {
        if (!strcasecmp(dot + 1, types[i]))
            return types[i];
    }
    return NULL;
}

struct drawing {
    const struct preview_options *values;
    unsigned size[2];
    const char *out, *type;
};

static bool is_angle(const char *word)
{
    size_t i = 0;
    while (view_angle_words[i] && strcmp(view_angle_words[i], word) != 0)
        i++;
    return view_angle_words[i];
}

static bool is_mesh(const char *word)
{
    return !strcmp(word, "auto") || !strcmp(word, "bones") || !strcmp(word, "mannequin");
}

static bool is_side(unsigned pixels)
{
    return pixels >= MIN_PICTURE_SIZE && pixels <= MAX_PICTURE_SIZE;
}

/* Checks values here that the handler would reject, so that messages name the option instead of its
 * parameter. */
static bool check_values(const struct preview_options *values, unsigned size[2])
{
    struct color color;
    char rest;
    if (sscanf(values->size, "%5ux%5u%c", &size[0], &size[1], &rest) != 2 || !is_side(size[0]) ||
        !is_side(size[1]))
        command_misused("--size: %s is not WxH, of %d to %d pixels each", values->size, MIN_PICTURE_SIZE,
                        MAX_PICTURE_SIZE);
    else if (!is_angle(values->angle))
        command_misused("--angle: %s is not one of front, side, three-quarter, top", values->angle);
    else if (!is_mesh(values->mesh))
        command_misused("--mesh: %s is not one of auto, bones, mannequin", values->mesh);
    else if (!color_parse(values->background, &color))
        command_misused("--background: %s is not one of transparent, white, black, rrggbb, rrggbbaa",
                        values->background);
    else if (values->retarget != (values->onto != NULL))
        command_misused("--retarget and --onto go together");
    else
        return true;
    return false;
}

/* onto NULL: on the clip's own skeleton. */
static void write_query(const struct drawing *drawing, const char *skeleton, const char *onto, char *query,
                        size_t capacity)
{
    const struct preview_options *values = drawing->values;
    const char *background = values->background + (*values->background == '#');
    int used =
        snprintf(query, capacity, "width=%u&height=%u&angle=%s&mesh=%s&background=%s&skeleton=%s",
                 drawing->size[0], drawing->size[1], values->angle, values->mesh, background, skeleton);
    if (onto)
        used += snprintf(query + used, capacity - (size_t)used, "&retarget=1&onto=%s", onto);
    if (strcmp(drawing->type, "webp") != 0)
        snprintf(query + used, capacity - (size_t)used, "&frames=%llu&t=%.17g",
                 (unsigned long long)values->frames, values->t);
    for (char *plus = query; (plus = strchr(plus, '+'));)
        *plus = '0';
}

/* Prints what the API puts into a header. */
static void tell_skeleton(const char *in, const struct api_response *response)
{
    const char *codes = response_find_header(response, "Posed-Warning");
    if (!codes)
        return;
    static const char *const words[][2] = {
        {"stand_in_skeleton", "note: shown on a built-in skeleton: its proportions are not the game's"},
        {"skeleton_elsewhere", "warning: several skeletons with other proportions know its joints as well"},
        {"no_skeleton", "note: no skeleton: the joints are drawn in a row"},
        {"retarget_guessed", "warning: some bones were found by words or by where they hang, not by name"},
        {"retarget_ignored", "warning: the clip moves joints that are not bones of a person"},
        {"retarget_missing", "warning: the clip moves bones that the other skeleton lacks"},
        {"retarget_no_feet", "warning: the clip does not move both legs, so no foot was planted"},
        {"retarget_heading", "warning: the figure begins facing backwards"},
        {"retarget_height", "warning: the file does not say where its ground is"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(codes, words[i][0]))
            command_failed(in, "%s (%s)", words[i][1], words[i][0]);
    }
}

static int draw(struct service *service, const char *in, void *user)
{
    const struct drawing *drawing = user;
    const struct preview_options *values = drawing->values;
    struct catalog *catalog = service_enter(service, false, 0);
    char skeleton[ID_TEXT], onto[ID_TEXT], id[ID_TEXT], target[96], query[320];
    const struct catalog_item *clip = asking_clip(catalog, in, values->clip);
    int status = COMMAND_BAD_INPUT;
    struct api_response response;
    if (clip && asking_skeleton(catalog, values->skeleton, skeleton) &&
        (!values->onto || asking_skeleton(catalog, values->onto, onto))) {
        id_write(&clip->asset->id, id);
        snprintf(target, sizeof target, "/v1/clips/%s/preview.%s", id, drawing->type);
        write_query(drawing, skeleton, values->onto ? onto : NULL, query, sizeof query);
        status = asking_get(service, in, target, query, &response);
        if (status == COMMAND_DONE) {
            struct pose_bytes bytes = {response.data, response.size};
            if (!save_file(drawing->out, bytes))
                status = command_failed(drawing->out, "%s", strerror(errno));
            else
                tell_skeleton(in, &response);
            response_release(&response);
        }
    }
    service_leave(service, catalog, false);
    return status;
}

static int run_preview(const struct command *command, int argc, char **argv)
{
    struct preview_options values;
    struct operands operands;
    if (!command_parse(command, &values, argc, argv, 2, 2, &operands))
        return COMMAND_BAD_USAGE;
    const char *type = type_of(operands.items[1]);
    if (!type)
        return command_misused("%s: a picture ends in .svg, .png or .webp", operands.items[1]);
    struct drawing drawing = {.values = &values, .out = operands.items[1], .type = type};
    if (!check_values(&values, drawing.size))
        return COMMAND_BAD_USAGE;
    return asking_of_file(operands.items[0], (const char *const[2]){values.skeleton, values.onto}, draw,
                          &drawing);
}

const struct command command_preview = {
    .name = "preview",
    .operands = "IN OUT.svg|png|webp",
    .summary = "draws a clip: one pose, a sheet of poses, or (WebP) the motion",
    .description = "IN is a clip, or an archive or folder of clips. Files that the clip needs are searched\n"
                   "for beside it.\n",
    .options = options,
    .reads_input = true,
    .run = run_preview,
};
