#include "api/views/clip_json.h"

#include "api/views/asset_json.h"
#include "api/views/sims3_json.h"

#include "server/library/choose.h"
#include "server/library/entry/describe.h"
#include "server/ops/base_path.h"

#include <stdio.h>

static void head(struct json_writer *json, const struct index_asset *asset, const struct index_entry *entry,
                 const char *name)
{
    jsonw_id(json, "id", &asset->id);
    jsonw_string(json, "name", name);
    jsonw_string(json, "format", entry->format);
    jsonw_integer(json, "bytes", (int64_t)entry->size);
}

static void places(struct json_writer *json, const struct catalog *catalog, const struct catalog_item *item)
{
    enum { MAX_PLACES = 100 };
    struct place_walk walk = {0};
    uint32_t uploads = 0, last = UINT32_MAX;
    jsonw_array(json, "found_in");
    for (uint32_t i = 0; i < MAX_PLACES && catalog_next_place(catalog, item, &walk); i++) {
        const struct index_archive *archive = catalog->archives[walk.place.archive];
        uploads += walk.place.archive >= catalog->path_count && walk.place.archive != last;
        last = walk.place.archive;
        if (uploads > CATALOG_MOST_UPLOADS) /* whether more are at hand is chance */
            break;
        jsonw_object(json, NULL);
        jsonw_id(json, "archive", &archive->id);
        jsonw_integer(json, "index", index_position(archive, walk.place.entry));
        jsonw_string(json, "entry", archive->entries[walk.place.entry]->name);
        jsonw_end(json);
    }
    jsonw_end(json);
    jsonw_id(json, "archive", &catalog->archives[item->place.archive]->id);
    jsonw_string(json, "entry", catalog_entry(catalog, item->place)->name);
}

static void links(struct json_writer *json, const struct index_asset *asset,
                  const struct index_archive *scope)
{
    static const struct {
        const char *key, *rest;
    } kinds[] = {{"self", ""},          {"pose", "/pose"}, {"poses", "/poses"}, {"keys", "/keys"},
                 {"events", "/events"}, {"json", ".json"}, {"glb", ".glb"},     {"preview", "/preview.png"}};
    char id[ID_TEXT], archive[ID_TEXT], target[160 + BASE_PATH_CAPACITY];
    id_write(&asset->id, id);
    if (scope)
        id_write(&scope->id, archive);
    jsonw_object(json, "links");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        bool versioned = i && i != 4;
        int used = snprintf(target, sizeof target, "%s/v1/clips/%s%s", base_path(), id, kinds[i].rest);
        if (versioned)
            used += snprintf(target + used, sizeof target - (size_t)used, "?v=%u", pose_revision());
        if (scope)
            snprintf(target + used, sizeof target - (size_t)used, "%carchive=%s", versioned ? '&' : '?',
                     archive);
        jsonw_string(json, kinds[i].key, target);
    }
    jsonw_end(json);
}

void clip_head(struct json_writer *json, const struct catalog *catalog, const struct catalog_item *item)
{
    head(json, item->asset, catalog_entry(catalog, item->place), item->asset->name);
    places(json, catalog, item);
}

/* Members that depend on what else is loaded: the skeleton that is chosen, and the links. */
static void surroundings(struct json_writer *json, const struct catalog *catalog, struct catalog_item *item,
                         const struct index_archive *scope)
{
    struct skeleton_choice skeleton = catalog_skeleton(catalog, item);
    if (skeleton.asset)
        jsonw_id(json, "skeleton", &skeleton.asset->id);
    else
        jsonw_null(json, "skeleton");
    jsonw_raw_members(json, item->asset->notes);
    links(json, item->asset, scope);
}

/* The clip whose joints and morphs are to be named. */
struct named_clip {
    const struct catalog *catalog;
    struct catalog_place place;
    const struct pose_skeleton *skeleton; /* NULL: none that has names */
};

static const char *track_name(const void *context, const struct pose_track *track)
{
    const struct named_clip *clip = context;
    if (track->channels[POSE_MORPH].count)
        return catalog_morph_name(clip->catalog, clip->place, track->id);
    for (uint32_t i = 0; clip->skeleton && i < clip->skeleton->joint_count; i++) {
        const struct pose_joint *joint = &clip->skeleton->joints[i];
        if (joint->has_id && joint->id == track->id)
            return joint->name;
    }
    return NULL;
}

/* What the clip is, where it is, and with a document its joints. */
static void members(struct json_writer *json, const struct catalog *catalog, const struct catalog_item *item,
                    const struct pose_document *document, const struct pose_skeleton *skeleton)
{
    const struct index_asset *asset = item->asset;
    clip_head(json, catalog, item);
    jsonw_raw_members(json, asset->summary);
    if (document)
        describe_clip_joints(json, &document->clips[asset->inner], track_name,
                             &(struct named_clip){catalog, item->place, skeleton});
    jsonw_integer(json, "event_count", asset->event_count);
    jsonw_time(json, "created", catalog_created(catalog, item));
    clip_names(json, catalog, item);
}

void clip_metadata(struct json_writer *json, const struct catalog *catalog, struct catalog_item *item,
                   const struct pose_document *document, const struct pose_skeleton *skeleton, bool kept,
                   const struct index_archive *scope)
{
    jsonw_object(json, NULL);
    members(json, catalog, item, document, skeleton);
    if (kept) {
        surroundings(json, catalog, item, scope);
    } else {
        jsonw_null(json, "skeleton");
        jsonw_raw_members(json, item->asset->notes);
        jsonw_raw(json, "links", "{}");
    }
    jsonw_end(json);
}

void clip_row(struct json_writer *json, const struct catalog *catalog, struct catalog_item *item,
              uint32_t versions, const struct index_archive *scope)
{
    jsonw_object(json, NULL);
    members(json, catalog, item, NULL, NULL);
    jsonw_integer(json, "versions", versions);
    surroundings(json, catalog, item, scope);
    jsonw_end(json);
}

void clip_keys(struct json_writer *json, const struct index_asset *asset, const struct index_entry *entry,
               const struct pose_document *document, bool gltf)
{
    const struct pose_clip *clip = &document->clips[asset->inner];
    jsonw_object(json, NULL);
    head(json, asset, entry, asset->own_name ? asset->own_name : asset->name);
    describe_clip(json, &(struct pose_clip_json){clip, document, gltf, POSE_JSON_ALL});
    jsonw_end(json);
}
