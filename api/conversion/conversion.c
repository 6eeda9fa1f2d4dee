#include "api/conversion/conversion.h"

#include "api/protocol/reply.h"
#include "lib/core/text.h"
#include "server/library/names.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------------------------------------- targets -- */

static bool has_extension(const struct pose_target *target, const char *extension)
{
    size_t length = strlen(extension);
    for (const char *at = target->extensions; *at; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");
        if (here == length + 1 && !strncasecmp(at + 1, extension, length))
            return true;
        at += here;
    }
    return false;
}

void target_extension(const struct pose_target *target, char extension[16])
{
    const char *first = target->extensions + 1;
    snprintf(extension, 16, "%.*s", (int)strcspn(first, " "), first);
}

const struct pose_target *target_of_extension(const char *extension, const char *format, unsigned *count)
{
    const struct pose_target *only = NULL, *own = NULL;
    *count = 0;
    for (const struct pose_target *target = pose_targets(); target->word; target++) {
        if (!has_extension(target, extension))
            continue;
        if (format && !strcmp(target->format, format))
            own = target;
        only = target;
        ++*count;
    }
    return own ? own : *count == 1 ? only : NULL;
}

const struct pose_target *mesh_target_of_extension(const char *extension)
{
    for (const struct pose_target *target = pose_mesh_targets(); target->word; target++) {
        if (has_extension(target, extension))
            return target;
    }
    return NULL;
}

const struct pose_target *target_of_word(const char *word)
{
    const struct pose_target *target = pose_target_find(word);
    return target ? target : pose_mesh_target_find(word);
}

void target_words(const char *extension, char words[TARGET_WORDS])
{
    *words = '\0';
    for (const struct pose_target *target = pose_targets(); target->word; target++) {
        if (!extension || has_extension(target, extension))
            name_list_add(words, TARGET_WORDS, target->word);
    }
    for (const struct pose_target *target = pose_mesh_targets(); !extension && target->word; target++)
        name_list_add(words, TARGET_WORDS, target->word);
}

bool target_takes(const struct pose_target *target, const char *option)
{
    return text_lists(target->options, option);
}

/* A word that is no target of the extension (NULL: of any); near are those that are. */
static void refuse_target(struct param_error *error, const char *to, const char *extension)
{
    char words[TARGET_WORDS], what[TARGET_WORDS + 96];
    struct nearest nearest;
    nearest_begin(&nearest, to, strlen(to));
    for (const struct pose_target *row = pose_targets(); row->word; row++) {
        if (!extension || has_extension(row, extension))
            nearest_offer(&nearest, row->word);
    }
    target_words(extension, words);
    if (extension)
        snprintf(what, sizeof what, "\"%.40s\" does not write .%.20s; use %s", to, extension, words);
    else
        snprintf(what, sizeof what, "\"%.40s\" is not one of %s", to, words);
    param_unknown(error, "to", what, &nearest);
}

const struct pose_target *target_of_to(const struct params *params, struct param_error *error)
{
    char words[TARGET_WORDS];
    const char *to = params_get(params, "to");
    const struct pose_target *target = to ? target_of_word(to) : NULL;
    if (to && !target)
        refuse_target(error, to, NULL);
    if (to)
        return target;
    target_words(NULL, words);
    param_fail(error, "to", "must be one of %s", words);
    return NULL;
}

const struct pose_target *clip_target_of_to(const struct params *params, struct param_error *error)
{
    const struct pose_target *target = target_of_to(params, error);
    if (!target || !target->is_mesh)
        return target;
    param_fail(error, "to", "\"%s\" is a format of meshes, not of clips", target->word);
    return NULL;
}

const struct pose_target *target_of_path(const struct params *params, const char *extension,
                                         const char *format, struct param_error *error)
{
    char words[TARGET_WORDS];
    unsigned count;
    const char *to = params_get(params, "to");
    const struct pose_target *target =
        to ? pose_target_find(to) : target_of_extension(extension, format, &count);
    if (target && (!to || has_extension(target, extension)))
        return target;
    if (to) {
        refuse_target(error, to, extension);
    } else {
        target_words(extension, words);
        param_fail(error, "to", ".%.20s is ambiguous; set to= to one of %s", extension, words);
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------------- map -- */

static bool bad_map(struct param_error *error, const char *pointer, const char *detail)
{
    param_fail(error, "map", "%s", detail);
    strcpy(error->code, "bad_map");
    snprintf(error->pointer, sizeof error->pointer, "%s", pointer);
    return false;
}

/* "/a~1b": the JSON pointer of a member, truncated if too long. */
static void pointer_to(const char *key, char pointer[100])
{
    size_t used = 0;
    pointer[used++] = '/';
    for (; *key && used + 3 < 100; key++) {
        bool escaped = *key == '~' || *key == '/';
        if (escaped)
            pointer[used++] = '~';
        pointer[used++] = escaped ? (*key == '~' ? '0' : '1') : *key;
    }
    pointer[used] = '\0';
    while (!is_utf8(pointer))
        pointer[--used] = '\0';
}

static int compare_renames(const void *a, const void *b)
{
    return strcmp(((const struct pose_rename *)a)->from, ((const struct pose_rename *)b)->from);
}

/* Sorted by name, so that two spellings of a map share one cached answer. */
static bool read_map(const struct params *params, struct conversion *conversion, struct param_error *error)
{
    enum { MAX_NAMES = 4096, MAX_LENGTH = 255 };
    json_error_t problem;
    const char *key, *text = params_get(params, "map"), *retarget = params_get(params, "retarget");
    json_t *value;
    uint32_t count = 0;
    /* With retarget=1 the map says which joint is which bone. */
    if (!text || (retarget && !strcmp(retarget, "1")))
        return true;
    json_t *map = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
    conversion->map = map;
    if (!map) {
        char detail[240];
        snprintf(detail, sizeof detail, "invalid JSON at byte %d: %s", problem.position, problem.text);
        return bad_map(error, "", detail);
    }
    if (!json_is_object(map))
        return bad_map(error, "/", "must be an object: {\"joint\": \"new name\"}");
    if (json_object_size(map) > MAX_NAMES)
        return bad_map(error, "/", "more than 4096 names");
    conversion->renames = try_alloc(json_object_size(map), sizeof *conversion->renames);
    if (!conversion->renames)
        return param_no_memory(error, "map");
    json_object_foreach(map, key, value)
    {
        char pointer[100];
        const char *name = json_string_value(value);
        pointer_to(key, pointer);
        if (!name || !*name || !*key || strlen(name) > MAX_LENGTH ||
            strlen(name) != json_string_length(value))
            return bad_map(error, pointer, "a new name must be a string of 1 to 255 bytes");
        conversion->renames[count++] = (struct pose_rename){key, name};
    }
    qsort(conversion->renames, count, sizeof *conversion->renames, compare_renames);
    conversion->rename_count = count;
    return true;
}

/* ------------------------------------------------------------------------------------------------ parameters -- */

static void add_setting(struct conversion *conversion, struct pose_value setting)
{
    struct pose_value *object = conversion->settings, *member = &object[++conversion->setting_count];
    *member = setting;
    if (conversion->setting_count == 1)
        *object = (struct pose_value){.kind = POSE_OBJECT, .first = member};
    else
        member[-1].next = member;
}

/* The options of all targets; a target refuses options that only others take. */
static const char *const options_of_targets[] = {"mesh",    "bones",    "fps",  "axes", "priority", "loop",
                                                 "ease_in", "ease_out", "game", "unit", NULL};

static bool check_options(const struct params *params, const struct pose_target *target, bool game_is_source,
                          struct param_error *error)
{
    static const char *const bodies[] = {"character", "with", NULL};
    for (const char *const *option = options_of_targets; *option; option++) {
        if (params_get(params, *option) && !target_takes(target, *option) &&
            !(game_is_source && !strcmp(*option, "game")))
            return param_fail(error, *option, "not supported by %s", target->word);
    }
    for (const char *const *body = bodies; *body; body++) {
        if (params_get(params, *body) && !target_takes(target, "mesh"))
            return param_fail(error, *body, "not supported by %s", target->word);
    }
    return true;
}

/* The default word is left out, so that both spellings share one cached answer. */
static bool read_word(const struct params *params, struct conversion *conversion, const char *name,
                      const char *const *words, const char *fallback, struct param_error *error)
{
    int word = 0;
    if (!params_get(params, name) || !target_takes(conversion->target, name))
        return true;
    if (!params_choice(params, name, words, &word, error))
        return false;
    if (!fallback || strcmp(words[word], fallback) != 0)
        add_setting(conversion,
                    (struct pose_value){.kind = POSE_STRING, .key = name, .as.string = words[word]});
    return true;
}

/* mesh=none leaves out the mesh of the bones as well. */
static bool read_bones(const struct params *params, struct conversion *conversion, struct param_error *error)
{
    static const char *const words[] = {"mesh", "none", NULL};
    const char *mesh = params_get(params, "mesh");
    if (!mesh || strcmp(mesh, "none") != 0)
        return read_word(params, conversion, "bones", words, "mesh", error);
    add_setting(conversion, (struct pose_value){.kind = POSE_STRING, .key = "bones", .as.string = "none"});
    return true;
}

static bool read_flags(const struct params *params, struct conversion *conversion, struct param_error *error)
{
    static const char *const words[] = {"0", "1", "false", "true", NULL};
    int strict = 0, loop = 0;
    if (!params_choice(params, "strict", words, &strict, error) ||
        !params_choice(params, "loop", words, &loop, error))
        return false;
    conversion->strict = strict & 1;
    if (params_get(params, "loop"))
        add_setting(conversion,
                    (struct pose_value){.kind = POSE_BOOL, .key = "loop", .as.boolean = loop & 1});
    return true;
}

static bool read_seconds(const struct params *params, struct conversion *conversion, const char *name,
                         struct param_error *error)
{
    double seconds;
    if (!params_get(params, name))
        return true;
    if (!params_number(params, name, 0, 60, &seconds, error))
        return false;
    add_setting(conversion,
                (struct pose_value){.kind = POSE_FLOAT, .key = name, .as.number = (float)seconds});
    return true;
}

static bool read_numbers(const struct params *params, struct conversion *conversion,
                         struct param_error *error)
{
    double fps = 0, priority = 0;
    /* 0.1 as a float is a little more than the 0.1 that somebody writes. */
    double least = round((double)conversion->target->min_fps * 1e6) / 1e6;
    if (!params_number(params, "fps", least, 1000, &fps, error) ||
        !params_number(params, "priority", -1, 6, &priority, error))
        return false;
    conversion->fps = (float)fps;
    if (!params_get(params, "priority"))
        return true;
    if (priority != floor(priority))
        return param_fail(error, "priority", "must be a whole number from -1 to 6");
    add_setting(conversion,
                (struct pose_value){.kind = POSE_INT, .key = "priority", .as.integer = (int64_t)priority});
    return true;
}

/* The games of the target format that several games share. game= may also concern the source, whatever the
 * target is. */
static const char *const *games_of_targets(void)
{
    static const char *const none[] = {NULL};
    for (const struct pose_target *target = pose_targets(); target->word; target++) {
        if (target->games)
            return target->games;
    }
    return none;
}

bool conversion_read(const struct params *params, const struct pose_target *target, bool game_is_source,
                     struct conversion *conversion, struct param_error *error)
{
    static const char *const axes[] = {"native", "gltf", NULL}, *const units[] = {"m", "cm", "inch", NULL};
    *conversion = (struct conversion){.target = target};
    return check_options(params, target, game_is_source, error) && read_flags(params, conversion, error) &&
           read_numbers(params, conversion, error) && read_bones(params, conversion, error) &&
           read_word(params, conversion, "axes", axes, "native", error) &&
           read_word(params, conversion, "game", games_of_targets(), NULL, error) &&
           read_word(params, conversion, "unit", units, NULL, error) &&
           up_read(params, &conversion->up, error) && read_seconds(params, conversion, "ease_in", error) &&
           read_seconds(params, conversion, "ease_out", error) && read_map(params, conversion, error);
}

void conversion_release(struct conversion *conversion)
{
    json_decref(conversion->map);
    free(conversion->renames);
    conversion->map = NULL;
    conversion->renames = NULL;
}

struct asset_id conversion_digest(struct asset_id digest, const struct conversion *conversion)
{
    digest = digest_text(digest, conversion->target->word);
    digest = id_quick(&digest, &conversion->fps, sizeof conversion->fps);
    for (unsigned i = 1; i <= conversion->setting_count; i++) {
        const struct pose_value *value = &conversion->settings[i];
        digest = digest_text(digest, value->key);
        if (value->kind == POSE_STRING)
            digest = digest_text(digest, value->as.string);
        else if (value->kind == POSE_FLOAT)
            digest = id_quick(&digest, &value->as.number, sizeof value->as.number);
        else if (value->kind == POSE_INT)
            digest = id_quick(&digest, &value->as.integer, sizeof value->as.integer);
        else
            digest = id_quick(&digest, &value->as.boolean, sizeof value->as.boolean);
    }
    if (conversion->up)
        digest = digest_text(digest, conversion->up == UP_Z ? "up=z" : "up=y");
    if (conversion->retargeting.on)
        digest = id_quick(&digest, &conversion->retargeting.carrying.digest, sizeof digest);
    for (uint32_t i = 0; i < conversion->rename_count; i++)
        digest = digest_text(digest_text(digest, conversion->renames[i].from), conversion->renames[i].to);
    return digest;
}

/* ------------------------------------------------------------------------------------------ what takes part -- */

/* Who wants no mesh of the bones wants only joints. */
static bool read_body(const struct conversion_place *place, struct conversion_parts *parts,
                      struct param_error *error)
{
    if (!body_read(&place->from, &parts->body, error))
        return false;
    const char *bones = params_get(place->from.params, "bones");
    if (parts->body.kind == BODY_UNSAID && bones && !strcmp(bones, "none"))
        parts->body.kind = BODY_BONES;
    if (parts->mesh_count + parts->body.mesh_count > CONVERSION_MESHES)
        return param_fail(error, "mesh", "more than %d meshes", CONVERSION_MESHES);
    memcpy(parts->meshes + parts->mesh_count, parts->body.meshes,
           parts->body.mesh_count * sizeof *parts->meshes);
    parts->mesh_count += parts->body.mesh_count;
    parts->body.mesh_count = 0; /* they are among the others */
    return true;
}

bool conversion_skeleton_read(const struct conversion_place *place, struct conversion_parts *parts,
                              struct param_error *error)
{
    const struct ingredient *of = parts->clip_count ? parts->clips : &parts->meshes[0];
    return skeleton_read(&place->from, of, &parts->skeleton, &parts->automatic, error);
}

bool conversion_parts_read(const struct conversion_place *place, struct conversion_parts *parts,
                           struct param_error *error)
{
    if (!read_body(place, parts, error) || !conversion_skeleton_read(place, parts, error))
        return false;
    bool needs_skeleton =
        parts->mesh_count || parts->body.kind == BODY_MANNEQUIN || parts->body.kind == BODY_CHARACTER;
    if (needs_skeleton && parts->clip_count && !parts->skeleton.choice.asset)
        return param_fail(error, "skeleton", "a mesh needs a skeleton, but the clip has none");
    return true;
}

void conversion_parts_offer_skeleton(struct conversion_parts *parts,
                                     const struct ingredient_skeleton *skeleton)
{
    if (!parts->clip_count && parts->automatic && !parts->skeleton.choice.asset)
        parts->skeleton = *skeleton;
}

bool conversion_frames_fit(const struct conversion_place *place, const struct conversion *conversion,
                           struct param_error *error)
{
    const struct conversion_parts *parts = &conversion->parts;
    double seconds = 0, most = (double)place->max_frames;
    for (uint32_t i = 0; i < parts->clip_count; i++)
        seconds += (double)parts->clips[i].item->asset->duration;
    double frames = seconds * (double)conversion->fps;
    if (!place->max_frames || frames <= most)
        return true;
    param_fail(error, "fps", "%.0f frames exceed max-frames, %.0f", frames, most);
    strcpy(error->limit, "max-frames");
    return false;
}

/* A clip of other bytes is in none of the service's archives: only skeletons of the command line and built-in ones are
 * considered. */
static bool read_retargeting(const struct choice_place *from, struct conversion *conversion,
                             struct param_error *error)
{
    const struct conversion_parts *parts = &conversion->parts;
    const struct catalog_item stranger = {.place = {UINT32_MAX, 0}};
    const bool is_common = parts->clip_count && parts->clips->catalog == from->common;
    return retargeting_read(from, is_common ? parts->clips->item : &stranger, conversion->target->format,
                            &parts->skeleton.choice, &conversion->retargeting, error);
}

bool conversion_complete(const struct conversion_place *place, struct conversion *conversion,
                         struct param_error *error)
{
    return conversion_frames_fit(place, conversion, error) &&
           conversion_parts_read(place, &conversion->parts, error) &&
           (conversion->target->is_mesh || read_retargeting(&place->from, conversion, error));
}

enum body_kind conversion_body(const struct conversion *conversion)
{
    const struct conversion_parts *parts = &conversion->parts;
    const bool plays = parts->clip_count || parts->is_mixed;
    if (!target_takes(conversion->target, "mesh"))
        return BODY_NONE;
    return parts->body.kind == BODY_UNSAID ? (plays ? BODY_AUTO : BODY_BONES) : parts->body.kind;
}

struct body_stage conversion_stage(struct service *service, const struct catalog *common,
                                   const struct conversion *conversion)
{
    const struct conversion_parts *parts = &conversion->parts;
    const struct retargeting *retargeting = &conversion->retargeting;
    return (struct body_stage){.service = service,
                               .common = common,
                               .clip = parts->clip_count ? parts->clips : NULL,
                               .skeleton =
                                   retargeting->on ? retargeting->carrying.onto : parts->skeleton.choice,
                               .is_carried = retargeting->on || parts->is_mixed};
}

struct asset_id conversion_parts_digest(const struct catalog *common, const struct conversion *conversion)
{
    const struct conversion_parts *parts = &conversion->parts;
    struct asset_id digest = {{0}};
    struct body_choice body = parts->body;
    const struct body_stage stage = conversion_stage(NULL, common, conversion);
    if (parts->skeleton.choice.asset)
        digest = id_quick(&digest, &parts->skeleton.choice.asset->id, sizeof digest);
    for (unsigned i = 0; i < parts->mesh_count; i++) {
        const struct catalog *catalog = parts->meshes[i].catalog;
        const struct asset_id reach = catalog_reach(catalog, parts->meshes[i].item->place.archive);
        digest = id_quick(&digest, &parts->meshes[i].item->asset->id, sizeof digest);
        digest = id_quick(&digest, &reach, sizeof digest);
        digest = id_quick(&digest, &parts->meshes[i].item->place.entry, sizeof(uint32_t));
    }
    body.kind = conversion_body(conversion);
    return body_digest(digest, &body, &stage);
}
