#include "api/poses/plan.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEPT_BY_LOOP = 128, /* by each loop; a plan takes 2 KiB */
    TARGET_SIZE = 320,  /* of a request; longer ones are not kept */
    ANSWER_SIZE = 400,  /* of a Content-Location */
    TIME_SIZE = 24,
};

/* The parts of a text before and after the value of t. */
struct cut {
    const char *text, *value;
    size_t before, length, after; /* bytes: before the value, of it, after it */
};

struct kept {
    uint64_t generation; /* of the catalogue that the plan points to; 0: empty */
    struct pose_plan plan;
    uint16_t path, before, after;     /* bytes of the target's parts, which follow each other */
    uint16_t twin_before, twin_after; /* likewise of Content-Location; 0: there is none */
    char target[TARGET_SIZE], twin[ANSWER_SIZE];
};

/* Cuts a query at the first t whose value is a plain number. */
static bool cut_query(const char *query, struct cut *cut)
{
    const char *at = query;
    while (at[0] != 't' || at[1] != '=') {
        at = strchr(at, '&');
        if (!at)
            return false;
        at++;
    }
    cut->text = query;
    cut->value = at + 2;
    cut->before = (size_t)(cut->value - query);
    cut->length = strspn(cut->value, "0123456789.-");
    const char *end = cut->value + cut->length;
    cut->after = strlen(end);
    return cut->length && cut->length < TIME_SIZE && (!*end || *end == '&');
}

/* Of a loop whose catalogue is that of everybody. */
static struct kept *slot_of(struct api_call *call, const struct cut *query, size_t path)
{
    const struct api_request *request = call->request;
    if (request->may_wait || request->loop >= SERVICE_LOOPS || call->is_view || !call->catalog->generation ||
        path + query->before + query->after > TARGET_SIZE)
        return NULL;
    struct kept **kept = (struct kept **)&call->service->plans[request->loop];
    if (!*kept)
        *kept = calloc(KEPT_BY_LOOP, sizeof **kept);
    if (!*kept)
        return NULL;
    struct asset_id hash = id_quick(NULL, request->path, path);
    hash = id_quick(&hash, query->text, query->before);
    hash = id_quick(&hash, query->value + query->length, query->after);
    return &(*kept)[hash.bytes[0] % KEPT_BY_LOOP];
}

static bool is_of(const struct kept *kept, const struct api_call *call, const struct cut *query, size_t path)
{
    const char *target = kept->target;
    return kept->generation == call->catalog->generation && kept->path == path &&
           kept->before == query->before && kept->after == query->after &&
           !memcmp(target, call->request->path, path) && !memcmp(target + path, query->text, query->before) &&
           !memcmp(target + path + query->before, query->value + query->length, query->after);
}

static void tell_twin(struct api_call *call, const struct kept *kept, const struct cut *query)
{
    char twin[ANSWER_SIZE + TIME_SIZE], *at = twin;
    if (!kept->twin_before)
        return;
    at = mempcpy(at, kept->twin, kept->twin_before);
    at = mempcpy(at, query->value, query->length);
    at = mempcpy(at, kept->twin + kept->twin_before, kept->twin_after);
    *at = '\0';
    response_header(call->response, "Content-Location", twin);
}

/* So that what is asked for does not leave: see catalog_leave. */
static void use(const struct api_call *call, const struct pose_request *request)
{
    const struct skeleton_choice *choices[] = {&request->skeleton, &request->retargeting.carrying.onto};
    catalog_use(call->catalog, request->clip->place.archive);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (choices[i]->item)
            catalog_use(call->catalog, choices[i]->item->place.archive);
    }
}

struct pose_plan *plan_recall(struct api_call *call, double *t)
{
    const size_t path = strlen(call->request->path);
    struct cut query;
    char number[TIME_SIZE];
    if (!cut_query(call->request->query, &query))
        return NULL;
    struct kept *kept = slot_of(call, &query, path);
    if (!kept || !is_of(kept, call, &query, path))
        return NULL;
    memcpy(number, query.value, query.length);
    number[query.length] = '\0';
    if (!number_parse(number, t))
        return NULL;
    use(call, &kept->plan.request);
    tell_twin(call, kept, &query);
    return &kept->plan;
}

/* Content-Location around the time. False if it cannot be kept. */
static bool keep_twin(const struct api_call *call, struct kept *kept)
{
    const char *twin = response_find_header(call->response, "Content-Location"), *query;
    struct cut cut;
    kept->twin_before = kept->twin_after = 0;
    if (!twin)
        return true;
    query = strchr(twin, '?');
    if (!query || !cut_query(query + 1, &cut))
        return false;
    const size_t before = (size_t)(cut.value - twin);
    if (before + cut.after > ANSWER_SIZE)
        return false;
    memcpy(kept->twin, twin, before);
    memcpy(kept->twin + before, cut.value + cut.length, cut.after);
    kept->twin_before = (uint16_t)before;
    kept->twin_after = (uint16_t)cut.after;
    return true;
}

/* Texts of parameters end with their request. */
static bool points_to_parameters(const struct pose_request *request)
{
    return request->joints || request->retargeting.texts[0] || request->retargeting.texts[1];
}

void plan_keep(struct api_call *call, const struct pose_plan *plan)
{
    const size_t path = strlen(call->request->path);
    struct cut query;
    if (points_to_parameters(&plan->request) || !cut_query(call->request->query, &query))
        return;
    struct kept *kept = slot_of(call, &query, path);
    if (!kept || catalog_turn_missed())
        return;
    kept->generation = 0;
    if (!keep_twin(call, kept))
        return;
    kept->plan = *plan;
    kept->path = (uint16_t)path;
    kept->before = (uint16_t)query.before;
    kept->after = (uint16_t)query.after;
    char *at = mempcpy(kept->target, call->request->path, path);
    at = mempcpy(at, query.text, query.before);
    memcpy(at, query.value + query.length, query.after);
    kept->generation = call->catalog->generation;
}
