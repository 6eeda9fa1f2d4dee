#include "api/choices/retargeting.h"

#include "lib/core/error.h"
#include "server/library/choose.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = 4096, MAX_PAIRS = 256 };

/* ------------------------------------------------------------------------------------------------- skeletons -- */

/* Whether skeletons of that format belong to the game of the target. */
static bool is_family_of(const char *word, const char *format)
{
    const struct pose_target *target = pose_target_find(word);
    const struct pose_format *own = target && target->is_game ? pose_format_find(target->format) : NULL;
    const struct pose_format *other = pose_format_find(format);
    return own && other && other->family && !strcmp(own->family, other->family);
}

/* A skeleton with its location relative to the clip. */
struct candidate {
    const struct catalog_item *item;
    bool own; /* in the clip's archive */
    unsigned adulthood;
};

/* The order of skeleton=auto: the clip's own archive, a grown person's, the fewest other joints, the smallest id. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
    if (a->own != b->own)
        return a->own;
    if (a->adulthood != b->adulthood)
        return a->adulthood > b->adulthood;
    const struct index_asset *one = a->item->asset, *other = b->item->asset;
    if (one->joint_count != other->joint_count)
        return one->joint_count < other->joint_count;
    return id_compare(&one->id, &other->id) < 0;
}

struct choosing {
    const struct catalog *catalog;
    const struct catalog_item *clip;
    const char *target;
    struct candidate best;
    bool elsewhere; /* another skeleton with an equally good name has a different rest pose */
};

static void consider(struct choosing *choosing, const struct catalog_item *item)
{
    const struct index_entry *entry = item ? catalog_entry(choosing->catalog, item->place) : NULL;
    struct candidate *best = &choosing->best;
    if (!item || !entry->format || !item->asset->is_person || !is_family_of(choosing->target, entry->format))
        return;
    const struct candidate candidate = {.item = item,
                                        .own = item->place.archive == choosing->clip->place.archive,
                                        .adulthood = pose_adulthood(item->asset->name)};
    bool is_equal = best->item && candidate.own == best->own && candidate.adulthood == best->adulthood;
    bool better = !best->item || is_better(&candidate, best);
    if (is_equal)
        choosing->elsewhere |= item->asset->rest != best->item->asset->rest;
    else if (better)
        choosing->elsewhere = false;
    if (better)
        *best = candidate;
}

/* A person of the target's game: of an upload that has the clip, or of the PATHs. Uploads do not reach into each other. */
static const struct catalog_item *find_loaded(const struct catalog *catalog, const struct catalog_item *clip,
                                              const char *target, bool *elsewhere)
{
    struct choosing choosing = {.catalog = catalog, .clip = clip, .target = target};
    const struct catalog_item *item;
    uint32_t next = 0;
    const uint32_t own = clip->place.archive;
    while ((item = catalog_next_of_paths(catalog, ASSET_SKELETON, &next)))
        consider(&choosing, item);
    const struct index_archive *archive = own >= catalog->path_count ? catalog_archive(catalog, own) : NULL;
    for (uint32_t e = 0; archive && e < archive->entry_count; e++) {
        for (uint32_t i = 0; i < archive->entries[e]->asset_count; i++) {
            const struct index_asset *asset = &archive->entries[e]->assets[i];
            if (asset->kind == ASSET_SKELETON)
                consider(&choosing, catalog_find_at(catalog, ASSET_SKELETON, &asset->id,
                                                    (struct catalog_place){own, e}));
        }
    }
    *elsewhere = choosing.elsewhere;
    return choosing.best.item;
}

static bool choose_target(const struct choice_place *from, const struct catalog_item *clip,
                          const char *target, struct retargeting *r, struct param_error *error)
{
    const char *text = params_get(from->params, "onto");
    struct asset_id id;
    struct skeleton_choice *onto = &r->carrying.onto;
    r->automatic = !text || !strcmp(text, "auto");
    if (!r->automatic) {
        if (id_parse(text, strlen(text), &id))
            *onto = catalog_find_skeleton(from->common, &id);
        if (!onto->asset)
            param_fail(error, "onto", "\"%.60s\" is neither auto nor the id of a skeleton", text);
        return onto->asset;
    }
    bool elsewhere = false;
    const struct catalog_item *item = target ? find_loaded(from->common, clip, target, &elsewhere) : NULL;
    if (item) {
        *onto = (struct skeleton_choice){.asset = item->asset, .item = item, .elsewhere = elsewhere};
        return true;
    }
    for (uint32_t i = 0; target && i < from->common->shipped_count; i++) {
        const struct shipped_skeleton *shipped = &from->common->shipped[i];
        if (!is_family_of(target, shipped->document->format))
            continue;
        *onto = (struct skeleton_choice){.asset = &shipped->asset, .shipped = shipped->document};
        return true;
    }
    return param_fail(error, "onto", "required: name the target skeleton");
}

/* ------------------------------------------------------------------------------------------------------ maps -- */

static bool no_memory(struct pose_error *error)
{
    pose_error_init(error);
    return error_no_memory(error);
}

static bool bad_map(struct pose_error *error, const char *name, const char *detail)
{
    pose_error_init(error);
    error->status = POSE_BAD_ARGUMENT;
    snprintf(error->code, sizeof error->code, "bad_map");
    snprintf(error->field, sizeof error->field, "%s", name);
    snprintf(error->detail, sizeof error->detail, "%s: %s", name, detail);
    return false;
}

/* Reads lines of bones or, for the target, of pairs with source joints. */
static bool read_lines(int which, struct retargeting *r, struct pose_error *error)
{
    static const char *const names[2] = {"map", "map_onto"};
    json_t *map = r->maps[which], *value;
    const char *key;
    uint32_t bones = 0;
    r->bones[which] = try_alloc(json_object_size(map) + 1, sizeof *r->bones[which]);
    if (!which)
        r->pairs = try_alloc(json_object_size(map) + 1, sizeof *r->pairs);
    if (!r->bones[which] || (!which && !r->pairs))
        return no_memory(error);
    json_object_foreach(map, key, value)
    {
        const char *bone = json_string_value(value);
        if (!*key || (!bone && !json_is_null(value)) ||
            (bone && (!*bone || strlen(bone) != json_string_length(value))))
            return bad_map(error, names[which], "must be the name of a bone, or null");
        if (!bone || which || pose_is_bone(bone))
            r->bones[which][bones++] = (struct pose_bone_map){key, bone};
        else
            r->pairs[r->carrying.pair_count++] = (struct pose_joint_pair){key, bone};
    }
    if (r->carrying.pair_count > MAX_PAIRS)
        return bad_map(error, names[which], "more than 256 joint pairs");
    if (which) {
        r->carrying.map_onto = r->bones[1];
        r->carrying.map_onto_count = bones;
    } else {
        r->carrying.map = r->bones[0];
        r->carrying.map_count = bones;
        r->carrying.pairs = r->pairs;
    }
    return true;
}

static bool read_map(int which, const char *name, struct retargeting *r, struct pose_error *error)
{
    json_error_t problem;
    const char *text = r->texts[which];
    char detail[240];
    if (!text)
        return true;
    r->maps[which] = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
    if (!r->maps[which]) {
        snprintf(detail, sizeof detail, "invalid JSON at byte %d: %.160s", problem.position, problem.text);
        return bad_map(error, name, detail);
    }
    if (!json_is_object((json_t *)r->maps[which]))
        return bad_map(error, name, "must be an object: {\"joint\": \"bone\"}");
    if (json_object_size(r->maps[which]) > MAX_LINES)
        return bad_map(error, name, "more than 4096 members");
    return read_lines(which, r, error);
}

/* ---------------------------------------------------------------------------------------------- parameters -- */

/* The other parameters are only valid with retarget=1, except "map", which conversions also have. */
static bool check_alone(const struct params *params, bool map_is_free, struct param_error *error)
{
    static const char *const names[] = {"onto", "map_onto", "ik", "travel", "heading", "tolerance", "map"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (params_get(params, names[i]) && !(map_is_free && !strcmp(names[i], "map")))
            return param_fail(error, names[i], "requires retarget=1");
    }
    return true;
}

static bool read_words(const struct params *params, struct retargeting *r, struct param_error *error)
{
    static const char *const iks[] = {"feet", "none", NULL}, *const travels[] = {"keep", "remove", NULL},
                             *const headings[] = {"keep", "first", NULL};
    int ik = 0, travel = 0, heading = 0;
    if (!params_choice(params, "ik", iks, &ik, error) ||
        !params_choice(params, "travel", travels, &travel, error) ||
        !params_choice(params, "heading", headings, &heading, error) ||
        !params_number(params, "tolerance", 0, 5, &r->tolerance, error))
        return false;
    r->carrying.flags = (ik ? 0u : POSE_RETARGET_FEET) | (travel ? POSE_RETARGET_REMOVE_TRAVEL : 0u) |
                        (heading ? POSE_RETARGET_FACE_FORWARD : 0u);
    return true;
}

static struct asset_id digest_of(const struct retargeting *r)
{
    const struct {
        struct asset_id onto;
        double tolerance;
        uint64_t flags;
        uint64_t said; /* what retargeting_warning depends on */
    } fixed = {r->carrying.onto.asset->id, r->tolerance, r->carrying.flags,
               (uint64_t)r->automatic | (uint64_t)r->carrying.onto.elsewhere << 1};
    struct asset_id digest = id_quick(NULL, &fixed, sizeof fixed);
    for (int i = 0; i < 2; i++) {
        if (r->texts[i])
            digest = digest_text(id_quick(&digest, &i, sizeof i), r->texts[i]);
    }
    return digest;
}

bool retargeting_read(const struct choice_place *from, const struct catalog_item *clip, const char *target,
                      const struct skeleton_choice *source, struct retargeting *r, struct param_error *error)
{
    static const char *const flags[] = {"0", "1", NULL};
    int on = 0;
    *r = (struct retargeting){.tolerance = 0.05};
    if (!params_choice(from->params, "retarget", flags, &on, error))
        return false;
    if (!on)
        return check_alone(from->params, target != NULL, error);
    r->on = true;
    if (!source->asset)
        return param_fail(error, "skeleton", "the clip's own skeleton is unknown; name it by its id");
    if (!read_words(from->params, r, error) || !choose_target(from, clip, target, r, error))
        return false;
    r->texts[0] = params_get(from->params, "map");
    r->texts[1] = params_get(from->params, "map_onto");
    r->carrying.digest = digest_of(r);
    return true;
}

bool retargeting_warning(const struct retargeting *r, struct pose_warning *warning)
{
    if (!r->on || !skeleton_warning(&r->carrying.onto, warning))
        return false;
    if (!r->carrying.onto.shipped)
        return true;
    /* The user named the skeleton with onto, so this is no surprise. */
    warning->message = "retargeted to a built-in stand-in skeleton, whose proportions are not the game's";
    warning->severity = POSE_WARNING;
    return r->automatic;
}

bool retargeting_open(struct retargeting *r, struct pose_error *error)
{
    return !r->on || (read_map(0, "map", r, error) && read_map(1, "map_onto", r, error));
}

void retargeting_release(struct retargeting *r)
{
    for (int i = 0; i < 2; i++) {
        json_decref(r->maps[i]);
        free(r->bones[i]);
        r->maps[i] = NULL;
        r->bones[i] = NULL;
    }
    free(r->pairs);
    r->pairs = NULL;
}

const struct carrying *retargeting_carrying(const struct retargeting *r)
{
    return r->on ? &r->carrying : NULL;
}

/* -------------------------------------------------------------------------------------------------- answers -- */

enum api_outcome retargeting_failed(struct api_call *call, const struct pose_error *error)
{
    if (error->status == POSE_BAD_ARGUMENT &&
        (!strcmp(error->field, "map") || !strcmp(error->field, "map_onto")))
        return reply_error_of(call, error, !strcmp(error->field, "map") ? "map" : "map_onto");
    return reply_error(call, error, NULL, NULL);
}

void retargeting_twin(struct api_call *call, const char *path, const struct skeleton_choice *source,
                      const struct retargeting *r)
{
    reply_twin(call, path, source->asset ? &source->asset->id : NULL,
               r->on && r->automatic ? &r->carrying.onto.asset->id : NULL);
}
