/* Whether a skeleton is a person's, and how well a clip fits another skeleton. */
#include "api/handlers/assets.h"
#include "api/handlers/handlers.h"
#include "api/poses/pose_request.h"
#include "api/views/asset_json.h"
#include "server/library/rows/rows.h"

#include <string.h>

enum { MOMENTS = 1000 };

/* ---------------------------------------------------------------------------------------------- a person's JSON -- */

static const char *joint_name(const struct pose_skeleton *skeleton, uint32_t joint)
{
    const char *name = skeleton->joints[joint].name;
    return name ? name : "";
}

static void put_bones(struct json_writer *json, const struct pose_skeleton *skeleton,
                      const struct pose_humanoid_report *report)
{
    static const char *const hows[] = {"table", "word", "tree", "user"};
    jsonw_object(json, "mapped");
    for (uint32_t i = 0; i < report->bone_count; i++) {
        jsonw_object(json, report->bones[i].name);
        jsonw_string(json, "joint", joint_name(skeleton, report->bones[i].joint));
        jsonw_string(json, "how", hows[report->bones[i].how]);
        jsonw_end(json);
    }
    jsonw_end(json);
    jsonw_array(json, "missing");
    for (uint32_t i = 0; i < report->missing_count; i++)
        jsonw_string(json, NULL, report->missing[i]);
    jsonw_end(json);
}

static bool is_mapped(const struct pose_humanoid_report *report, uint32_t joint)
{
    bool found = report->carrier == joint;
    for (uint32_t i = 0; i < report->bone_count && !found; i++)
        found = report->bones[i].joint == joint;
    return found;
}

static void put_unmapped(struct json_writer *json, const struct pose_skeleton *skeleton,
                         const struct pose_humanoid_report *report)
{
    jsonw_array(json, "unmapped");
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        if (!is_mapped(report, i))
            jsonw_string(json, NULL, joint_name(skeleton, i));
    }
    jsonw_end(json);
}

static void put_sides(struct json_writer *json, const char *name, const double sides[2])
{
    jsonw_object(json, name);
    jsonw_number(json, "left", (float)sides[0]);
    jsonw_number(json, "right", (float)sides[1]);
    jsonw_end(json);
}

/* Writes members into an open object. */
static void put_person(struct json_writer *json, const struct asset_id *id,
                       const struct pose_skeleton *skeleton, const struct pose_humanoid *humanoid)
{
    const struct pose_humanoid_report *report = pose_humanoid_report(humanoid);
    jsonw_id(json, "skeleton", id);
    if (report->family)
        jsonw_string(json, "family", report->family);
    else
        jsonw_null(json, "family");
    jsonw_number(json, "quality", (float)report->quality);
    jsonw_integer(json, "required", report->required);
    put_bones(json, skeleton, report);
    put_unmapped(json, skeleton, report);
    jsonw_string(json, "carrier", joint_name(skeleton, report->carrier));
    jsonw_number(json, "hip_height", (float)report->hip_height);
    jsonw_number(json, "ankle_height", (float)report->mean_ankle);
    put_sides(json, "arm_alignment", report->arm_alignment);
    put_sides(json, "leg_lean", report->leg_lean);
}

/* -------------------------------------------------------------------------------------------------- skeletons -- */

static enum api_outcome reply_person(struct api_call *call, const struct found_asset *found)
{
    const struct pose_skeleton *skeleton = &found->document->skeletons[found->inner];
    struct pose_error error;
    struct pose_humanoid *humanoid =
        pose_humanoid_new(skeleton, NULL, 0, &call->service->index_options.pose, &error);
    if (!humanoid)
        return reply_error(call, &error, NULL, NULL);
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    put_person(&json, &found->asset->id, skeleton, humanoid);
    jsonw_end(&json);
    pose_humanoid_free(humanoid);
    return reply_json(call, &body);
}

enum api_outcome handle_skeleton_humanoid(struct api_call *call)
{
    struct found_asset found = asset_find(call, ASSET_SKELETON);
    enum api_outcome outcome;
    if (!found.asset || reply_cached(call, digest_begin(call, &found.asset->id), FRESH_CONTENT, true))
        return API_DONE;
    if (!asset_open(call, &found, &outcome))
        return outcome;
    outcome = reply_person(call, &found);
    asset_close(&found);
    return outcome;
}

/* -------------------------------------------------------------------------------------------------- everybody -- */

/* At most so many skeletons are examined, and so many people reported. */
enum { MAX_LOOKED_AT = 1000, MAX_PEOPLE = 500 };

struct crowd {
    struct api_call *call;
    struct json_writer *json;
    uint32_t count;
    const struct index_asset *skeletons[MAX_PEOPLE]; /* of the people reported */
    bool no_memory;
    struct asset_id ids[2][MAX_LOOKED_AT]; /* of the first skeletons and characters */
    uint32_t id_counts[2];
};

static void put_somebody(struct crowd *crowd, const struct index_asset *asset,
                         const struct catalog_item *item, const char *format,
                         const struct pose_skeleton *skeleton)
{
    struct pose_error error;
    struct json_writer *json = crowd->json;
    struct pose_humanoid *humanoid =
        pose_humanoid_new(skeleton, NULL, 0, &crowd->call->service->index_options.pose, &error);
    crowd->no_memory |= !humanoid && error.status == POSE_NO_MEMORY;
    if (!humanoid)
        return;
    const struct pose_humanoid_report *report = pose_humanoid_report(humanoid);
    crowd->skeletons[crowd->count++] = asset;
    jsonw_object(json, NULL);
    jsonw_id(json, "skeleton", &asset->id);
    jsonw_string(json, "name", asset->name);
    jsonw_string(json, "format", format);
    if (item)
        jsonw_id(json, "archive", &crowd->call->catalog->archives[item->place.archive]->id);
    else
        jsonw_null(json, "archive");
    jsonw_string(json, "family", report->family);
    jsonw_number(json, "quality", (float)report->quality);
    jsonw_number(json, "hip_height", (float)report->hip_height);
    jsonw_end(json);
    pose_humanoid_free(humanoid);
}

static void put_skeletons(struct crowd *crowd)
{
    const struct catalog *catalog = crowd->call->catalog;
    const struct asset_id *ids = crowd->ids[0];
    jsonw_array(crowd->json, "items");
    for (uint32_t i = 0; i < catalog->shipped_count; i++) {
        const struct shipped_skeleton *shipped = &catalog->shipped[i];
        put_somebody(crowd, &shipped->asset, NULL, shipped->document->format,
                     &shipped->document->skeletons[0]);
    }
    for (uint32_t i = 0; i < crowd->id_counts[0] && crowd->count < MAX_PEOPLE; i++) {
        const struct catalog_item *item = catalog_find(catalog, ASSET_SKELETON, &ids[i]);
        struct fetch fetch = {.may_wait = true};
        struct decoded *decoded = item && item->asset->is_person
                                      ? document_get(crowd->call->service, catalog, item->place, &fetch)
                                      : NULL;
        if (!decoded)
            continue;
        put_somebody(crowd, item->asset, item, decoded->document->format,
                     &decoded->document->skeletons[item->asset->inner]);
        document_put(decoded);
    }
    jsonw_end(crowd->json);
}

/* Writes the characters that use one of the skeletons. */
static void put_characters(struct crowd *crowd)
{
    const struct asset_id *ids = crowd->ids[1];
    uint32_t told = 0;
    jsonw_array(crowd->json, "characters");
    for (uint32_t i = 0; i < crowd->id_counts[1] && told < MAX_PEOPLE; i++) {
        struct catalog_item *item = catalog_find(crowd->call->catalog, ASSET_CHARACTER, &ids[i]);
        const struct index_asset *skeleton = item ? catalog_skeleton(crowd->call->catalog, item).asset : NULL;
        uint32_t at = skeleton ? 0 : crowd->count;
        while (at < crowd->count && crowd->skeletons[at] != skeleton)
            at++;
        if (at == crowd->count)
            continue;
        jsonw_object(crowd->json, NULL);
        jsonw_id(crowd->json, "id", &item->asset->id);
        jsonw_string(crowd->json, "name", item->asset->name);
        jsonw_id(crowd->json, "skeleton", &skeleton->id);
        jsonw_end(crowd->json);
        told++;
    }
    jsonw_end(crowd->json);
}

/* In the order of lists. */
static bool list_ids(struct crowd *crowd)
{
    struct rows *rows = service_rows(crowd->call->service);
    struct rows_view *view;
    if (!rows || !rows_view_any(rows, &view))
        return false;
    const bool done = rows_ids(view, ASSET_SKELETON, 0, MAX_LOOKED_AT, crowd->ids[0], &crowd->id_counts[0]) &&
                      rows_ids(view, ASSET_CHARACTER, 0, MAX_LOOKED_AT, crowd->ids[1], &crowd->id_counts[1]);
    rows_view_close(view);
    return done;
}

enum api_outcome handle_people(struct api_call *call)
{
    struct pose_buffer body = {0};
    struct json_writer json;
    struct crowd crowd = {.call = call, .json = &json};
    if (reply_cached(call, digest_begin(call, &call->catalog->digest), FRESH_REVALIDATE, true))
        return API_DONE;
    if (!call->request->may_wait)
        return API_WAIT;
    if (!list_ids(&crowd))
        return reply_no_memory(call);
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    put_skeletons(&crowd);
    put_characters(&crowd);
    jsonw_end(&json);
    if (!crowd.no_memory)
        return reply_json(call, &body);
    pose_buffer_free(&body);
    return reply_no_memory(call);
}

/* ------------------------------------------------------------------------------------------------------- clips -- */

static void put_names(struct json_writer *json, const char *name, const char *const *names, uint32_t count)
{
    jsonw_array(json, name);
    for (uint32_t i = 0; i < count; i++)
        jsonw_string(json, NULL, names[i]);
    jsonw_end(json);
}

static void put_measures(struct json_writer *json, const struct pose_retarget_measures *m)
{
    jsonw_object(json, "measures");
    jsonw_object(json, "limbs");
    jsonw_number(json, "mean", (float)m->limbs_mean);
    jsonw_number(json, "max", (float)m->limbs_max);
    jsonw_end(json);
    jsonw_number(json, "head", (float)m->head);
    jsonw_number(json, "hips", (float)m->hips);
    jsonw_object(json, "lowest_foot");
    jsonw_number(json, "source", (float)m->lowest_source);
    jsonw_number(json, "target", (float)m->lowest_target);
    jsonw_end(json);
    jsonw_object(json, "skate");
    jsonw_number(json, "mean", (float)m->skate_mean);
    jsonw_number(json, "max", (float)m->skate_max);
    jsonw_integer(json, "stances", m->skate_stances);
    jsonw_end(json);
    jsonw_number(json, "reach", (float)m->reach);
    jsonw_end(json);
}

static enum api_outcome reply_fit(struct api_call *call, const struct pose_request *request)
{
    const struct player *player = request->player;
    const struct pose_retarget_report *report = pose_retarget_report(player->retarget);
    struct pose_retarget_measures measures;
    struct pose_buffer body = {0};
    struct json_writer json;
    if (!pose_retarget_measure(player->retarget, MOMENTS, &measures))
        return reply_problem(call, 503, "no_memory", "out of memory");
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    jsonw_id(&json, "clip", &request->clip->asset->id);
    jsonw_object(&json, "source");
    put_person(&json, &request->skeleton.asset->id, player->source_skeleton, player->source);
    jsonw_end(&json);
    jsonw_object(&json, "target");
    put_person(&json, &request->retargeting.carrying.onto.asset->id, player->skeleton, player->target);
    jsonw_end(&json);
    jsonw_number(&json, "scale", (float)report->scale);
    put_names(&json, "driven", report->driven, report->driven_count);
    put_names(&json, "ignored", report->ignored, report->ignored_count);
    jsonw_number(&json, "heading", (float)(report->heading * 57.29577951308232));
    put_measures(&json, &measures);
    jsonw_array(&json, "warnings");
    jsonw_warnings(&json, report->warnings, report->warning_count);
    jsonw_end(&json);
    jsonw_end(&json);
    return reply_json(call, &body);
}

enum api_outcome handle_clip_retarget(struct api_call *call)
{
    struct catalog_item *item = call->clip;
    struct pose_request request;
    enum api_outcome outcome;
    /* The path implies it. */
    call->params.items[call->params.count++] = (struct param){"retarget", "1"};
    bool read = pose_request_read(call, item, &request);
    call->params.count--;
    if (!read)
        return API_DONE;
    if (request.automatic)
        pose_request_twin(call, &request, "/retarget");
    if (reply_cached(call, pose_request_digest(call, &request), pose_request_freshness(&request), true))
        return API_DONE;
    if (!call->request->may_wait)
        return API_WAIT;
    if (!pose_request_open(call, &request, &outcome))
        return outcome;
    outcome = reply_fit(call, &request);
    pose_request_close(&request);
    return outcome;
}
