#include "api/conversion/conversion.h"

#include "api/protocol/disposition.h"

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
