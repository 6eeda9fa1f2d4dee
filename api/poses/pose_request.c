#include "api/poses/pose_request.h"

#include "api/choices/scope.h"
#include "api/views/asset_json.h"
#include "server/library/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of morphs may come from other archives if the answer depends on what is loaded anyway. */
static bool may_name_morphs(const struct api_call *call, const struct pose_request *request)
{
    if (!request->automatic || !call->catalog->has_morphs)
        return false;
    const char *id = catalog_entry(call->catalog, request->clip->place)->format;
    const struct pose_format *format = id ? pose_format_find(id) : NULL;
    return format && format->hashes_morphs;
}

/* skeleton= and retarget=. */
static bool choose_skeletons(struct api_call *call, struct pose_request *request)
{
    const struct choice_place from = {&call->params, call->catalog, NULL};
    const struct ingredient clip = {call->catalog, request->clip};
    struct ingredient_skeleton skeleton = {0};
    struct param_error error;
    bool done = skeleton_read(&from, &clip, &skeleton, &request->automatic, &error);
    request->skeleton = skeleton.choice;
    if (done && request->automatic)
        request->inside = scope_holds(call, &request->skeleton) && !may_name_morphs(call, request);
    done =
        done && retargeting_read(&from, clip.item, NULL, &request->skeleton, &request->retargeting, &error);
    if (!done)
        reply_parameter(call, &error);
    return done;
}

static bool read_up(struct api_call *call, struct pose_request *request)
{
    struct param_error error;
    if (!up_read(&call->params, &request->up, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    if (request->up == UP_AUTO || format_lacks_up(catalog_entry(call->catalog, request->clip->place)->format))
        return true;
    reply_bad_parameter(call, "up", "the file itself says which way is up");
    return false;
}

bool pose_request_read(struct api_call *call, struct catalog_item *clip, struct pose_request *request)
{
    static const char *const spaces[] = {"local", "model", NULL}, *const axes[] = {"gltf", "native", NULL},
                             *const wraps[] = {"clamp", "loop", NULL},
                             *const roots[] = {"in_place", "motion", NULL}, *const flags[] = {"0", "1", NULL};
    const struct params *params = &call->params;
    struct param_error error;
    int space = 0, axis = 0, wrap = 0, root = 0, strict = 0;
    *request = (struct pose_request){.clip = clip, .by_name = call->by_name};
    if (!params_choice(params, "space", spaces, &space, &error) ||
        !params_choice(params, "axes", axes, &axis, &error) ||
        !params_choice(params, "wrap", wraps, &wrap, &error) ||
        !params_choice(params, "root", roots, &root, &error) ||
        !params_choice(params, "strict", flags, &strict, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    if (!read_up(call, request))
        return false;
    request->model = space == 1;
    request->gltf = axis == 0;
    request->wrap = wrap ? POSE_WRAP : POSE_CLAMP;
    request->flags = root ? POSE_MOTION : POSE_IN_PLACE;
    request->joints_parameter = "joints";
    request->joints = params_get(params, request->joints_parameter);
    request->strict = strict;
    if (!choose_skeletons(call, request))
        return false;
    if (strict && !request->retargeting.on) {
        reply_bad_parameter(call, "strict", "requires retarget=1");
        return false;
    }
    if (request->model && !request->skeleton.asset) {
        reply_bad_parameter(call, "space", "model space needs a skeleton, but the clip has none");
        return false;
    }
    return true;
}

struct asset_id pose_request_digest(const struct api_call *call, const struct pose_request *request)
{
    struct {
        struct asset_id skeleton;
        uint8_t with_skeleton, elsewhere, model, gltf, wrap, flags, strict, up;
    } canonical = {.with_skeleton = request->skeleton.asset != NULL,
                   .elsewhere = request->skeleton.elsewhere,
                   .model = request->model,
                   .gltf = request->gltf,
                   .wrap = request->wrap == POSE_WRAP,
                   .flags = (uint8_t)request->flags,
                   .strict = request->strict,
                   .up = (uint8_t)request->up};
    if (request->skeleton.asset)
        canonical.skeleton = request->skeleton.asset->id;
    struct asset_id digest = digest_begin(call, &request->clip->asset->id);
    digest = id_quick(&digest, &canonical, sizeof canonical);
    if (request->retargeting.on)
        digest = id_quick(&digest, &request->retargeting.carrying.digest, sizeof digest);
    if (may_name_morphs(call, request))
        digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    return request->joints ? digest_text(digest, request->joints) : digest;
}

enum freshness pose_request_freshness(const struct pose_request *request)
{
    bool is_fixed = (!request->automatic || request->inside) && !request->retargeting.automatic;
    return is_fixed && !request->by_name ? FRESH_CONTENT : FRESH_REVALIDATE;
}

void pose_request_twin(struct api_call *call, const struct pose_request *request, const char *rest)
{
    char path[80], *at = stpcpy(path, "/v1/clips/");
    id_write(&request->clip->asset->id, at);
    strcpy(at + ID_TEXT - 1, rest); /* a short constant */
    retargeting_twin(call, path, &request->skeleton, &request->retargeting);
}

/* -------------------------------------------------------------------------------------------------- rows -- */

enum { MAX_NAMES = 512 };

bool joint_id_read(const char *word, size_t length, uint32_t *id)
{
    uint64_t value = 0;
    if (length < 2 || length > 11 || word[0] != '#' || (word[1] == '0' && length > 2))
        return false;
    for (size_t i = 1; i < length; i++) {
        if (word[i] < '0' || word[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(word[i] - '0');
    }
    *id = (uint32_t)value;
    return value <= UINT32_MAX;
}

/* Marks the rows of one name and returns their number. */
static uint32_t mark(const struct pose_sampler *sampler, const char *word, size_t length, bool *marked)
{
    const struct pose_row *rows = pose_sampler_rows(sampler);
    uint32_t found = 0, id = 0;
    bool is_id = joint_id_read(word, length, &id);
    for (uint32_t i = 0; i < pose_sampler_row_count(sampler); i++) {
        const char *name = rows[i].name;
        /* Names in files may be megabytes long: compare only as much as the word has. */
        if ((name && !strncmp(name, word, length) && !name[length]) ||
            (is_id && rows[i].has_id && rows[i].id == id)) {
            marked[i] = true;
            found++;
        }
    }
    return found;
}

/* 400 with suggestions, from a bounded number of names. */
static void reply_unknown_joint(struct api_call *call, const struct pose_request *request, const char *word,
                                size_t length)
{
    enum { MAX_LOOKED_AT = 1000 };
    const struct pose_sampler *sampler = request->player->sampler;
    const struct pose_row *rows = pose_sampler_rows(sampler);
    struct nearest nearest;
    struct param_error error;
    char what[128];
    nearest_begin(&nearest, word, length);
    for (uint32_t i = 0; i < pose_sampler_row_count(sampler) && i < MAX_LOOKED_AT; i++) {
        if (rows[i].name)
            nearest_offer(&nearest, rows[i].name);
    }
    snprintf(what, sizeof what, "no joint \"%.*s\"", (int)(length < 80 ? length : 80), word);
    param_unknown(&error, request->joints_parameter, what, &nearest);
    reply_parameter(call, &error);
}

static bool select_rows(struct api_call *call, struct pose_request *request)
{
    const struct pose_sampler *sampler = request->player->sampler;
    uint32_t count = pose_sampler_row_count(sampler);
    request->row_count = count;
    if (!request->joints)
        return true;
    bool *marked = try_alloc(count, sizeof *marked);
    request->selected = try_alloc(count, sizeof *request->selected);
    if (!marked || !request->selected) {
        free(marked);
        reply_no_memory(call);
        return false;
    }
    bool known = *request->joints != 0;
    unsigned names = 0;
    for (const char *at = request->joints; *at && known;) {
        if (names++ == MAX_NAMES) {
            reply_bad_parameter(call, request->joints_parameter, "more than %d names", MAX_NAMES);
            known = false;
            break;
        }
        size_t length = strcspn(at, ",");
        known = mark(sampler, at, length, marked) > 0;
        if (!known)
            reply_unknown_joint(call, request, at, length);
        at += length + (at[length] == ',');
    }
    if (!*request->joints)
        reply_bad_parameter(call, request->joints_parameter, "must name at least one joint");
    request->row_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (marked[i])
            request->selected[request->row_count++] = i;
    }
    free(marked);
    return known;
}

/* Copies the names, since the answer may outlive the catalogue snapshot. False, having answered, if out of
 * memory. */
static bool name_morphs(struct api_call *call, struct pose_request *request)
{
    const struct pose_sampler *sampler = request->player->sampler;
    uint32_t count = pose_sampler_morph_count(sampler);
    if (!may_name_morphs(call, request))
        return true;
    request->morph_names = try_alloc(count, sizeof *request->morph_names);
    if (!request->morph_names) {
        reply_no_memory(call);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct pose_morph *morph = &pose_sampler_morphs(sampler)[i];
        const char *name = morph->name || !morph->has_id
                               ? NULL
                               : catalog_morph_name(call->catalog, request->clip->place, morph->id);
        request->morph_names[i] = name ? strdup(name) : NULL;
    }
    return true;
}

const char *pose_request_morph(const struct pose_request *request, uint32_t index, char room[16])
{
    const struct pose_morph *morph = &pose_sampler_morphs(request->player->sampler)[index];
    if (morph->name)
        return morph->name;
    if (request->morph_names && request->morph_names[index])
        return request->morph_names[index];
    snprintf(room, 16, "#%u", morph->id);
    return room;
}

/* On failure returns false with *outcome set. */
static bool get_player(struct api_call *call, struct pose_request *request, enum api_outcome *outcome)
{
    struct retargeting *retargeting = &request->retargeting;
    const struct index_asset *native =
        retargeting->on ? retargeting->carrying.onto.asset : request->clip->asset;
    enum pose_axes axes = request->gltf ? POSE_AXES_GLTF : native->axes;
    struct pose_error error;
    bool opened = retargeting_open(retargeting, &error);
    const struct playing playing = {request->clip, &request->skeleton, axes, request->up,
                                    retargeting_carrying(retargeting)};
    if (opened)
        request->player = player_get(call->service, call->catalog, &playing, &call->fetch);
    retargeting_release(retargeting);
    call->response->cache = call->fetch.missed ? "miss" : "hit";
    if (!opened)
        *outcome = retargeting_failed(call, &error);
    else if (!request->player && retargeting->on && call->fetch.outcome != CACHE_WOULD_WAIT)
        *outcome = retargeting_failed(call, &call->fetch.error);
    else if (!request->player)
        *outcome = reply_fetch(call);
    return request->player;
}

void pose_request_warnings(const struct pose_request *request, const struct player *player,
                           struct warnings *warnings)
{
    struct pose_warning warning;
    if (skeleton_warning(&request->skeleton, &warning))
        warnings->items[warnings->count++] = warning;
    if (!player->retarget)
        return;
    if (retargeting_warning(&request->retargeting, &warning))
        warnings->items[warnings->count++] = warning;
    const struct pose_retarget_report *report = pose_retarget_report(player->retarget);
    for (uint32_t i = 0; i < report->warning_count && warnings->count < MAX_WARNINGS; i++)
        warnings->items[warnings->count++] = report->warnings[i];
}

static bool has_warnings(const struct pose_request *request)
{
    return request->player->retarget || skeleton_remark(&request->skeleton);
}

/* False, with the 422 answered, if strict=1 rejects a warning. */
static bool is_clean(struct api_call *call, const struct pose_request *request)
{
    struct warnings warnings;
    char serious[480];
    if (!request->strict)
        return true;
    warnings_init(&warnings);
    pose_request_warnings(request, request->player, &warnings);
    warnings_explain(&warnings, serious, sizeof serious);
    if (!*serious)
        return true;
    reply_problem(call, 422, "strict", "%s", serious);
    return false;
}

/* The codes of pose_request_warnings. */
static void tell_codes(struct api_call *call, const struct pose_request *request)
{
    char text[WARNING_CODES];
    const char *own = skeleton_remark(&request->skeleton), *more = request->player->codes;
    struct pose_warning onto;
    *text = '\0';
    if (own)
        code_list_add(text, sizeof text, own);
    if (retargeting_warning(&request->retargeting, &onto))
        code_list_add(text, sizeof text, onto.code);
    if (more)
        code_list_add(text, sizeof text, more);
    response_header(call->response, "Posed-Warning", text);
}

/* False, with the 422 answered, if strict=1 rejects a warning. */
static bool tell_warnings(struct api_call *call, const struct pose_request *request)
{
    if (!has_warnings(request))
        return true;
    if (!is_clean(call, request))
        return false;
    tell_codes(call, request);
    return true;
}

bool pose_request_open(struct api_call *call, struct pose_request *request, enum api_outcome *outcome)
{
    if (!get_player(call, request, outcome))
        return false;
    *outcome = API_DONE;
    if (tell_warnings(call, request) && name_morphs(call, request) && select_rows(call, request))
        return true;
    pose_request_close(request);
    return false;
}

bool pose_request_select(struct api_call *call, struct pose_request *request, const char *joints)
{
    free(request->selected);
    request->selected = NULL;
    request->joints = joints;
    return select_rows(call, request);
}

void pose_request_close(struct pose_request *request)
{
    uint32_t morphs = request->morph_names ? pose_sampler_morph_count(request->player->sampler) : 0;
    for (uint32_t i = 0; i < morphs; i++)
        free(request->morph_names[i]);
    free(request->morph_names);
    request->morph_names = NULL;
    player_put(request->player);
    free(request->selected);
    request->player = NULL;
    request->selected = NULL;
}

/* ------------------------------------------------------------------------------------------------- parts -- */

void pose_request_head(struct json_writer *json, const struct pose_request *request)
{
    jsonw_string(json, "space", request->model ? "model" : "local");
    jsonw_string(json, "axes", request->gltf ? "gltf" : "native");
    const struct skeleton_choice *on =
        request->retargeting.on ? &request->retargeting.carrying.onto : &request->skeleton;
    if (on->asset)
        jsonw_id(json, "skeleton", &on->asset->id);
    else
        jsonw_null(json, "skeleton");
}

void pose_request_tail(struct json_writer *json, const struct pose_request *request,
                       const struct pose_warning *more, uint32_t more_count)
{
    const struct pose_sampler *sampler = request->player->sampler;
    uint32_t unmatched = pose_sampler_unmatched_count(sampler);
    if (unmatched) {
        jsonw_array(json, "unmatched");
        for (uint32_t i = 0; i < unmatched; i++) {
            const struct pose_track *track =
                &request->player->clip->tracks[pose_sampler_unmatched(sampler)[i]];
            char id[16];
            snprintf(id, sizeof id, "#%u", track->id);
            jsonw_string(json, NULL, track->name ? track->name : id);
        }
        jsonw_end(json);
    }
    if (!has_warnings(request) && !more_count)
        return;
    struct warnings warnings;
    warnings_init(&warnings);
    pose_request_warnings(request, request->player, &warnings);
    if (warnings.count || more_count) {
        jsonw_array(json, "warnings");
        jsonw_warnings(json, warnings.items, warnings.count);
        jsonw_warnings(json, more, more_count);
        jsonw_end(json);
    }
}

double pose_time_within(enum pose_wrap wrap, double duration, double t)
{
    /* Far beyond any clip; later times would survive neither the rounding nor the 32-bit float of the
     * answer. */
    static const double latest = 1e9;
    double asked = fmin(fmax(t, -latest), latest);
    t = round(asked * 1e6) / 1e6;
    /* A duration is printed as the shortest decimal of its 32-bit float, and both it and t may have been
     * rounded down. */
    bool is_end = (float)asked >= (float)duration || t >= round(duration * 1e6) / 1e6;
    if (wrap == POSE_CLAMP)
        t = is_end ? duration : fmin(fmax(t, 0), duration);
    return t + 0.0; /* avoids -0 */
}

double pose_time(const struct pose_request *request, double t)
{
    return pose_time_within(request->wrap, (double)request->clip->asset->duration, t);
}
