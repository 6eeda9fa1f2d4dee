#include "api/conversion.h"

#include "api/disposition.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- targets -- */

const struct convert_target *conversion_target_of_to(struct api_call *call)
{
    char words[CONVERT_WORDS];
    const char *to = params_get(&call->params, "to");
    const struct convert_target *target = to ? convert_target_find(to) : NULL;
    if (target)
        return target;
    convert_target_words(NULL, words);
    if (to)
        reply_bad_parameter(call, "to", "\"%.40s\" is none of %s", to, words);
    else
        reply_bad_parameter(call, "to", "it is one of %s", words);
    return NULL;
}

const struct convert_target *conversion_target(struct api_call *call, const char *extension,
                                               const char *format)
{
    char words[CONVERT_WORDS];
    unsigned count;
    const char *to = params_get(&call->params, "to");
    const struct convert_target *said = to ? convert_target_find(to) : NULL;
    const struct convert_target *target = convert_target_of(extension, format, &count);
    if (said && convert_target_has_extension(said, extension))
        return said;
    if (!count) {
        reply_problem(call, 404, "no_conversion", "there is no conversion to \".%.20s\"", extension);
        return NULL;
    }
    convert_target_words(extension, words);
    if (to) {
        reply_bad_parameter(call, "to", "\"%.40s\" is no .%s; that is %s", to, extension, words);
        return NULL;
    }
    if (target)
        return target;
    reply_bad_parameter(call, "to", "a .%s can be any of %s: to= says which", extension, words);
    return NULL;
}

/* ------------------------------------------------------------------------------------------------------- map -- */

static bool bad_map(struct api_call *call, const char *pointer, const char *detail)
{
    struct pose_error error;
    pose_error_init(&error);
    error.status = POSE_BAD_ARGUMENT;
    strcpy(error.code, "bad_map");
    snprintf(error.field, sizeof error.field, "%s", pointer);
    snprintf(error.detail, sizeof error.detail, "map: %s", detail);
    reply_error_of(call, &error, "map");
    return false;
}

/* "/a~1b": a member's JSON pointer, cut. */
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

/* In the order of the names, so that two spellings are one answer. */
static bool read_map(struct api_call *call, struct conversion *conversion)
{
    enum { MOST_NAMES = 4096, MOST_LENGTH = 255 };
    json_error_t problem;
    const char *key, *text = params_get(&call->params, "map");
    json_t *value;
    uint32_t count = 0;
    if (!text)
        return true;
    json_t *map = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
    conversion->map = map;
    if (!map) {
        char detail[240];
        snprintf(detail, sizeof detail, "no JSON at byte %d: %s", problem.position, problem.text);
        return bad_map(call, "", detail);
    }
    if (!json_is_object(map))
        return bad_map(call, "/", "it is an object: {\"joint\": \"new name\"}");
    if (json_object_size(map) > MOST_NAMES)
        return bad_map(call, "/", "more than 4096 names");
    conversion->renames = must_alloc(json_object_size(map), sizeof *conversion->renames);
    json_object_foreach(map, key, value)
    {
        char pointer[100];
        const char *name = json_string_value(value);
        pointer_to(key, pointer);
        if (!name || !*name || !*key || strlen(name) > MOST_LENGTH ||
            strlen(name) != json_string_length(value))
            return bad_map(call, pointer, "a joint's new name is a text of 1 to 255 bytes");
        conversion->renames[count++] = (struct pose_rename){key, name};
    }
    qsort(conversion->renames, count, sizeof *conversion->renames, compare_renames);
    conversion->options.renames = conversion->renames;
    conversion->options.rename_count = count;
    return true;
}

/* ------------------------------------------------------------------------------------------------ parameters -- */

static void add_setting(struct conversion *conversion, struct pose_value setting)
{
    conversion->options.settings[conversion->options.setting_count++] = setting;
}

/* Those of targets; a target refuses what is another one's. */
static const char *const options_of_targets[] = {"mesh", "bones",   "fps",      "axes", "priority",
                                                 "loop", "ease_in", "ease_out", "game", NULL};

static bool check_options(struct api_call *call, const struct convert_target *target)
{
    /* Where a body is converted, game= may be said of it. */
    bool of_body = call->route && call->route->flags & ROUTE_BODY;
    for (const char *const *option = options_of_targets; *option; option++) {
        if (!params_get(&call->params, *option) || convert_target_takes(target, *option) ||
            (of_body && !strcmp(*option, "game")))
            continue;
        reply_bad_parameter(call, *option, "%s takes none", target->word);
        return false;
    }
    return true;
}

/* The word that holds without the parameter is left out, so that both spellings are one answer. */
static bool read_word(struct api_call *call, struct conversion *conversion, const char *name,
                      const char *const *words, const char *fallback)
{
    struct param_error error;
    int word = 0;
    if (!params_get(&call->params, name) || !convert_target_takes(conversion->target, name))
        return true;
    if (!params_choice(&call->params, name, words, &word, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    if (!fallback || strcmp(words[word], fallback) != 0)
        add_setting(conversion,
                    (struct pose_value){.kind = POSE_STRING, .key = name, .as.string = words[word]});
    return true;
}

static bool read_flag(struct api_call *call, const char *name, bool *given, bool *flag)
{
    static const char *const words[] = {"0", "1", "false", "true", NULL};
    struct param_error error;
    int word = 0;
    *given = params_get(&call->params, name);
    if (!params_choice(&call->params, name, words, &word, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    *flag = word & 1;
    return true;
}

static bool read_seconds(struct api_call *call, struct conversion *conversion, const char *name)
{
    struct param_error error;
    double seconds;
    if (!params_get(&call->params, name))
        return true;
    if (!params_number(&call->params, name, 0, 60, &seconds, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    add_setting(conversion,
                (struct pose_value){.kind = POSE_FLOAT, .key = name, .as.number = (float)seconds});
    return true;
}

static bool read_numbers(struct api_call *call, struct conversion *conversion)
{
    struct param_error error;
    double fps = 0, priority = 0;
    bool is_bvh = !strcmp(conversion->target->format, "bvh");
    if (!params_number(&call->params, "fps", is_bvh ? 1 : 0.1, 1000, &fps, &error) ||
        !params_number(&call->params, "priority", -1, 6, &priority, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    conversion->options.fps = (float)fps;
    if (!params_get(&call->params, "priority"))
        return true;
    if (priority != floor(priority)) {
        reply_bad_parameter(call, "priority", "it is a whole number from -1 to 6");
        return false;
    }
    add_setting(conversion,
                (struct pose_value){.kind = POSE_INT, .key = "priority", .as.integer = (int64_t)priority});
    return true;
}

bool conversion_read(struct api_call *call, const struct convert_target *target,
                     struct conversion *conversion)
{
    static const char *const bones[] = {"mesh", "none", NULL}, *const axes[] = {"native", "gltf", NULL},
                             *const games[] = {"mp1", "mp2", NULL};
    bool given, loop;
    *conversion = (struct conversion){.target = target};
    if (!check_options(call, target) || !read_flag(call, "strict", &given, &conversion->strict) ||
        !read_flag(call, "loop", &given, &loop))
        return false;
    if (given)
        add_setting(conversion, (struct pose_value){.kind = POSE_BOOL, .key = "loop", .as.boolean = loop});
    return read_numbers(call, conversion) && read_word(call, conversion, "bones", bones, "mesh") &&
           read_word(call, conversion, "axes", axes, "native") &&
           read_word(call, conversion, "game", games, NULL) && read_seconds(call, conversion, "ease_in") &&
           read_seconds(call, conversion, "ease_out") && read_map(call, conversion);
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
    const struct convert_options *options = &conversion->options;
    digest = digest_text(digest, conversion->target->word);
    digest = id_quick(&digest, &options->fps, sizeof options->fps);
    for (unsigned i = 0; i < options->setting_count; i++) {
        const struct pose_value *value = &options->settings[i];
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
    for (uint32_t i = 0; i < options->rename_count; i++)
        digest = digest_text(digest_text(digest, options->renames[i].from), options->renames[i].to);
    return digest;
}

bool conversion_frames_fit(struct api_call *call, const struct conversion *conversion, double duration)
{
    struct param_error error;
    double frames = duration * (double)conversion->options.fps,
           most = (double)call->service->config->max_frames;
    if (frames <= most)
        return true;
    param_fail(&error, "fps", "%.0f frames are more than max-frames, %.0f", frames, most);
    strcpy(error.limit, "max-frames");
    reply_parameter(call, &error);
    return false;
}

/* ---------------------------------------------------------------------------------------------- who takes part -- */

static bool find_item(struct api_call *call, const struct catalog *own, enum asset_kind kind,
                      const struct asset_id *id, struct ingredient *found)
{
    *found = (struct ingredient){own, own ? catalog_find(own, kind, id) : NULL};
    if (!found->item)
        *found = (struct ingredient){call->catalog, catalog_find(call->catalog, kind, id)};
    return found->item;
}

static bool read_meshes(struct api_call *call, const struct catalog *own, struct conversion_parts *parts)
{
    struct asset_id id;
    for (const char *at = params_get(&call->params, "mesh"); at;) {
        size_t length = strcspn(at, ",");
        if (parts->mesh_count == CONVERSION_MESHES) {
            reply_bad_parameter(call, "mesh", "more than %d meshes", CONVERSION_MESHES);
            return false;
        }
        if (!id_parse(at, length, &id) ||
            !find_item(call, own, ASSET_MESH, &id, &parts->meshes[parts->mesh_count++])) {
            reply_bad_parameter(call, "mesh", "there is no mesh \"%.*s\"", (int)(length < 60 ? length : 60),
                                at);
            return false;
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

/* The best one in the body itself, else of the catalogue as for any clip from elsewhere. */
static struct ingredient_skeleton automatic_skeleton(struct api_call *call, const struct ingredient *item)
{
    struct ingredient_skeleton found = {.catalog = item->catalog};
    struct catalog_item *of = (struct catalog_item *)(uintptr_t)item->item;
    found.choice = catalog_skeleton(item->catalog, of);
    if (item->catalog == call->catalog || found.choice.item)
        return found;
    struct catalog_item stranger = {.asset = of->asset, .place = {UINT32_MAX, 0}};
    atomic_init(&stranger.skeleton, INT64_MIN);
    return (struct ingredient_skeleton){call->catalog, catalog_skeleton(call->catalog, &stranger)};
}

bool conversion_parts_read(struct api_call *call, const struct catalog *own, struct conversion_parts *parts)
{
    const char *text = params_get(&call->params, "skeleton");
    struct asset_id id;
    if (!read_meshes(call, own, parts))
        return false;
    parts->automatic = !text || !strcmp(text, "auto");
    const struct ingredient *of = parts->clip.item ? &parts->clip : &parts->meshes[0];
    if (parts->automatic) {
        if (of->item)
            parts->skeleton = automatic_skeleton(call, of);
    } else if (strcmp(text, "none") != 0) {
        struct ingredient found = {0};
        if (id_parse(text, strlen(text), &id) && own && find_item(call, own, ASSET_SKELETON, &id, &found))
            parts->skeleton =
                (struct ingredient_skeleton){found.catalog, {.asset = found.item->asset, .item = found.item}};
        else if (id_parse(text, strlen(text), &id))
            parts->skeleton =
                (struct ingredient_skeleton){call->catalog, catalog_find_skeleton(call->catalog, &id)};
        if (!parts->skeleton.choice.asset) {
            reply_bad_parameter(call, "skeleton", "\"%.60s\" is neither auto, none, nor the id of a skeleton",
                                text);
            return false;
        }
    }
    if (parts->mesh_count && parts->clip.item && !parts->skeleton.choice.asset) {
        reply_bad_parameter(call, "skeleton", "a mesh needs a skeleton, and there is none for this clip");
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------- answers -- */

void conversion_warn_of_skeleton(const struct conversion *conversion,
                                 const struct ingredient_skeleton *skeleton,
                                 struct convert_warnings *warnings)
{
    if (skeleton->choice.shipped && conversion->target->on_skeleton)
        convert_warn_text(warnings, "stand_in_skeleton", POSE_NOTE,
                          "on a self-made skeleton: its proportions are not the game's");
}

void conversion_warning_codes(const struct convert_warnings *warnings, char codes[WARNING_CODES])
{
    size_t used = 0;
    codes[0] = '\0';
    for (uint32_t i = 0; i < warnings->count; i++) {
        const char *code = warnings->items[i].code;
        bool seen = false;
        for (uint32_t k = 0; k < i; k++)
            seen |= !strcmp(warnings->items[k].code, code);
        if (!seen && used + strlen(code) + 16 < WARNING_CODES)
            used += (size_t)sprintf(codes + used, "%s%s", used ? ", " : "", code);
    }
    if (warnings->is_full)
        strcpy(codes + used, ", more");
}

static void list_serious(const struct convert_warnings *warnings, char *text, size_t capacity)
{
    size_t used = 0;
    *text = '\0';
    for (uint32_t i = 0; i < warnings->count && used < capacity; i++) {
        const struct pose_warning *warning = &warnings->items[i];
        if (warning->severity == POSE_WARNING)
            used += (size_t)snprintf(text + used, capacity - used, "%s%s: %s", used ? "; " : "",
                                     warning->code, warning->message);
    }
    for (size_t length = strlen(text); !is_utf8(text); length--)
        text[length - 1] = '\0';
}

static void free_converted(struct cache_object *object)
{
    struct converted *converted = (struct converted *)object;
    pose_buffer_free(&converted->bytes);
    free(converted);
}

struct converted *converted_new(struct pose_buffer *bytes, const struct convert_warnings *warnings)
{
    struct converted *converted = calloc(1, sizeof *converted);
    if (!converted)
        return NULL;
    atomic_init(&converted->object.references, 1);
    converted->object.weight = sizeof *converted + bytes->capacity;
    converted->object.free = free_converted;
    converted->bytes = *bytes;
    *bytes = (struct pose_buffer){0};
    conversion_warning_codes(warnings, converted->codes);
    list_serious(warnings, converted->serious, sizeof converted->serious);
    return converted;
}

enum api_outcome conversion_failed(struct api_call *call, const struct pose_error *error)
{
    if (error->status != POSE_BAD_ARGUMENT || strcmp(error->field, "skeleton") != 0)
        return reply_error(call, error, NULL, NULL);
    return reply_error_of(call, error, "skeleton");
}

static void release_borrowed(void *converted)
{
    cache_unref(&((struct converted *)converted)->object);
}

void converted_put(struct converted *converted)
{
    if (converted)
        cache_unref(&converted->object);
}

static enum api_outcome reply_text(struct api_call *call, const char *media_type, struct converted *converted)
{
    struct pose_buffer body = {0};
    bool copied = pose_buffer_append(&body, converted->bytes.data, converted->bytes.size);
    converted_put(converted);
    if (!copied)
        return reply_problem(call, 503, "no_memory", "out of memory");
    return reply_body(call, media_type, &body, true);
}

enum api_outcome reply_converted(struct api_call *call, const struct conversion *conversion,
                                 struct converted *converted, const char *name)
{
    const struct convert_target *target = conversion->target;
    if (conversion->strict && converted->serious[0]) {
        enum api_outcome outcome = reply_problem(call, 422, "strict", "%s", converted->serious);
        converted_put(converted);
        return outcome;
    }
    if (converted->codes[0])
        response_header(call->response, "Posed-Warning", converted->codes);
    char extension[16];
    snprintf(extension, sizeof extension, "%.*s", (int)strcspn(target->extensions, " "), target->extensions);
    reply_attachment(call, name, target->is_pair ? "zip" : extension);
    if (target->is_text)
        return reply_text(call, target->media_type, converted);
    response_borrow(call->response, target->media_type, converted->bytes.data, converted->bytes.size,
                    release_borrowed, converted);
    return API_DONE;
}
