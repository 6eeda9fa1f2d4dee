#include "lib/formats/prime/join.h"

#include "lib/core/text.h"
#include "lib/core/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_DIGITS = 8 };

/* ----------------------------------------------------------------------------------------------- resources -- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool prime_resource_id(const char *entry_name, uint64_t *id)
{
    const char *base = base_of(entry_name);
    char *end;
    if (strspn(base, "0123456789abcdefABCDEF") != ID_DIGITS ||
        (base[ID_DIGITS] != '.' && base[ID_DIGITS] != '_'))
        return false;
    *id = strtoul(base, &end, 16);
    return true;
}

struct resource {
    const char *format;
    uint32_t id;
    uint32_t member;
};

static int compare_resources(const void *a, const void *b)
{
    const struct resource *x = a, *y = b;
    int order = strcmp(x->format, y->format);
    if (order)
        return order;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->member < y->member ? -1 : x->member > y->member;
}

/* An animation that plays a clip of the archive. */
struct use {
    uint32_t clip; /* member */
    uint32_t set;  /* member index of the character set */
    uint32_t order;
    const struct prime_leaf *leaf;
};

struct joining {
    struct link_job *job;
    uint32_t resource_count;
    struct resource *resources;      /* sorted; the first of repeated resources counts */
    const struct prime_facts **sets; /* [member count], NULL if the member is not a set */
    uint32_t use_count, use_capacity;
    struct use *uses;
};

static bool is_format(const struct pose_member *member, const char *format)
{
    return member->format && !strcmp(member->format, format);
}

static bool is_own(const struct pose_member *member)
{
    return member->format && !strncmp(member->format, "prime-", 6);
}

/* False if there is nothing to link. */
static bool list_resources(struct joining *work)
{
    const struct link_job *job = work->job;
    bool any = false;
    work->resources = ARENA_NEW(job->arena, struct resource, job->count);
    for (uint32_t i = 0; work->resources && i < job->count; i++) {
        const struct pose_member *member = &job->members[i];
        uint64_t id;
        if (!is_own(member) || !prime_resource_id(member->name, &id))
            continue;
        work->resources[work->resource_count++] = (struct resource){member->format, (uint32_t)id, i};
        any |= is_format(member, "prime-anim") || is_format(member, "prime-cskr") ||
               is_format(member, "prime-cmdl");
    }
    if (work->resource_count)
        qsort(work->resources, work->resource_count, sizeof *work->resources, compare_resources);
    return any;
}

static int64_t find_resource(const struct joining *work, const char *format, uint32_t id)
{
    uint32_t low = 0, high = work->resource_count;
    const struct resource wanted = {.format = format, .id = id};
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_resources(&work->resources[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < work->resource_count && work->resources[low].id == id &&
                   !strcmp(work->resources[low].format, format)
               ? (int64_t)work->resources[low].member
               : -1;
}

/* ---------------------------------------------------------------------------------------------------- names -- */

enum { MAX_USES = 64 };

static void add_use(struct joining *work, struct use use)
{
    struct use *uses =
        arena_grow(work->job->arena, work->uses, work->use_count, &work->use_capacity, sizeof *uses);
    if (!uses)
        return;
    work->uses = uses;
    use.order = work->use_count;
    uses[work->use_count++] = use;
}

static int compare_uses(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->clip != y->clip)
        return x->clip < y->clip ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_names(const void *a, const void *b)
{
    const struct use *x = *(const struct use *const *)a, *y = *(const struct use *const *)b;
    int order = strcmp(x->leaf->name, y->leaf->name);
    return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

/* The names of all uses without duplicates, in the order of the uses. */
static void list_names(struct arena *arena, const struct use *uses, uint32_t count, struct pose_link *link)
{
    const struct use **order = ARENA_NEW(arena, const struct use *, count);
    bool *is_first = ARENA_NEW(arena, bool, count);
    const char **names = ARENA_NEW(arena, const char *, count);
    if (!order || !is_first || !names)
        return;
    for (uint32_t i = 0; i < count; i++)
        order[i] = &uses[i];
    qsort(order, count, sizeof *order, compare_names);
    for (uint32_t i = 0; i < count; i++)
        is_first[order[i] - uses] = !i || strcmp(order[i - 1]->leaf->name, order[i]->leaf->name) != 0;
    for (uint32_t i = 0; i < count; i++) {
        if (is_first[i])
            names[link->name_count++] = arena_copy_text(arena, uses[i].leaf->name);
    }
    link->names = names;
}

/* The name in the pak, "walk" of "000000A1_walk.ANIM", otherwise the id as written there. */
static const char *plain_name(struct arena *arena, const char *entry_name)
{
    const char *base = base_of(entry_name);
    const char *dot = strrchr(base, '.'), *end = dot && dot > base + ID_DIGITS ? dot : base + strlen(base);
    const char *name = base + ID_DIGITS + 1;
    if (base[ID_DIGITS] != '_' || end <= name)
        return arena_text(arena, base, ID_DIGITS);
    return arena_text(arena, name, (size_t)(end - name));
}

/* ----------------------------------------------------------------------------------------- skeletons and events -- */

static bool has_animation(const struct prime_wearer *wearer, uint32_t animation)
{
    uint32_t low = 0, high = wearer->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (wearer->animations[middle] < animation)
            low = middle + 1;
        else
            high = middle;
    }
    return low < wearer->count && wearer->animations[low] == animation;
}

/* The skeleton of the first character that has the animation, otherwise of the first character. */
static int64_t skeleton_of(const struct joining *work, const struct use *use)
{
    const struct prime_facts *set = work->sets[use->set];
    const struct prime_wearer *wearer = NULL;
    for (uint32_t i = 0; i < set->wearer_count && !wearer; i++) {
        if (has_animation(&set->wearers[i], use->leaf->animation))
            wearer = &set->wearers[i];
    }
    if (!wearer && set->wearer_count)
        wearer = set->wearers;
    return wearer ? find_resource(work, "prime-cinf", wearer->cinf) : -1;
}

static bool is_id(uint32_t id)
{
    return id && id != UINT32_MAX;
}

static uint32_t own_events(const struct pose_member *member)
{
    struct reader reader;
    reader_init(&reader, member->facts, NULL);
    return member->facts.size ? reader_u32le(&reader, "evnt") : 0;
}

/* The clip's own events, otherwise those that a set assigns to it. */
static void link_events(const struct joining *work, uint32_t clip, const struct use *uses, uint32_t count,
                        uint32_t anim, struct pose_link *link)
{
    uint32_t evnt = own_events(&work->job->members[clip]);
    for (uint32_t i = 0; i < count && link->events < 0; i++) {
        const struct prime_facts *set = work->sets[uses[i].set];
        if (uses[i].leaf->animation < set->event_set_count) {
            link->events = uses[i].set;
            link->event_set = uses[i].leaf->animation;
        }
        for (uint32_t k = 0; k < set->events_count && !is_id(evnt); k++) {
            if (set->events[k].anim == anim)
                evnt = set->events[k].evnt;
        }
    }
    if (is_id(evnt) && link->events < 0)
        link->events = find_resource(work, "prime-evnt", evnt);
}

static void link_clip(const struct joining *work, uint32_t clip, const struct use *uses, uint32_t count)
{
    struct arena *arena = work->job->arena;
    const char *entry_name = work->job->members[clip].name;
    uint64_t anim;
    struct pose_link *link = prime_resource_id(entry_name, &anim) ? link_new(work->job, clip) : NULL;
    if (!link)
        return;
    link->own_name = link->name = plain_name(arena, entry_name);
    if (count) {
        link->name = arena_copy_text(arena, uses[0].leaf->name);
        list_names(arena, uses, count, link);
    }
    /* Real sets play a clip a few times; the limit bounds the work for hostile files. */
    uint32_t looked_at = count < MAX_USES ? count : MAX_USES;
    for (uint32_t i = 0; i < looked_at && link->skeleton < 0; i++)
        link->skeleton = skeleton_of(work, &uses[i]);
    link_events(work, clip, uses, looked_at, (uint32_t)anim, link);
}

/* A skin is bound to the skeleton of the first character that uses it. */
static void link_skins(const struct joining *work, const struct prime_facts *set)
{
    for (uint32_t i = 0; i < set->wearer_count; i++) {
        int64_t skin = find_resource(work, "prime-cskr", set->wearers[i].cskr);
        struct pose_link *link = skin >= 0 ? link_new(work->job, (uint32_t)skin) : NULL;
        if (link && link->skeleton < 0)
            link->skeleton = find_resource(work, "prime-cinf", set->wearers[i].cinf);
        int64_t model = find_resource(work, "prime-cmdl", set->wearers[i].cmdl);
        link = model >= 0 && skin >= 0 ? link_new(work->job, (uint32_t)model) : NULL;
        if (link && link->skin < 0) {
            link->skin = skin;
            link->skeleton = find_resource(work, "prime-cinf", set->wearers[i].cinf);
        }
    }
}

/* ----------------------------------------------------------------------------------------------------- all -- */

static void take_set(struct joining *work, uint32_t member)
{
    struct arena *arena = work->job->arena;
    struct prime_facts *set = ARENA_NEW(arena, struct prime_facts, 1);
    if (!set || !prime_read_facts(work->job->members[member].facts, arena, set))
        return;
    work->sets[member] = set;
    for (uint32_t i = 0; i < set->leaf_count; i++) {
        int64_t clip = find_resource(work, "prime-anim", set->leaves[i].anim);
        if (clip >= 0)
            add_use(work, (struct use){.clip = (uint32_t)clip, .set = member, .leaf = &set->leaves[i]});
    }
    link_skins(work, set);
}

bool prime_link(struct link_job *job)
{
    struct joining work = {.job = job};
    if (!list_resources(&work))
        return !job->arena->failed;
    work.sets = ARENA_NEW(job->arena, const struct prime_facts *, job->count);
    for (uint32_t i = 0; work.sets && i < job->count; i++) {
        if (is_format(&job->members[i], "prime-ancs"))
            take_set(&work, i);
    }
    if (work.use_count)
        qsort(work.uses, work.use_count, sizeof *work.uses, compare_uses);
    uint32_t next = 0;
    for (uint32_t i = 0; work.sets && i < job->count; i++) {
        uint32_t first = next;
        while (next < work.use_count && work.uses[next].clip == i)
            next++;
        if (is_format(&job->members[i], "prime-anim"))
            link_clip(&work, i, work.uses ? work.uses + first : NULL, next - first);
    }
    return !job->arena->failed;
}

/* ---------------------------------------------------------------------------------------------- characters -- */

/* A character refers to its model and its skin by id. */
static bool relate_mesh(const struct pose_value *extras, const char *key, const char *format,
                        pose_relate *relate, void *user)
{
    uint32_t id = (uint32_t)value_get_int(extras, key, 0);
    char wanted[16];
    if (!is_id(id))
        return true;
    snprintf(wanted, sizeof wanted, "%08" PRIX32, id);
    return relate(user, &(struct pose_relation){.way = POSE_BY_RESOURCE,
                                                .kind = "mesh",
                                                .wanted = wanted,
                                                .format = format,
                                                .id = id,
                                                .axes = POSE_AXES_PRIME});
}

static bool relate_resource(const char *kind, const char *format, uint32_t id, pose_relate *relate,
                            void *user)
{
    return relate(
        user,
        &(struct pose_relation){
            .way = POSE_BY_RESOURCE, .kind = kind, .format = format, .id = id, .axes = POSE_AXES_PRIME});
}

/* The clips played by the character's animations. */
static bool relate_clips(const struct pose_value *extras, const struct prime_facts *set, pose_relate *relate,
                         void *user)
{
    const struct pose_value *list = pose_value_find(extras, "animations");
    for (const struct pose_value *one = list ? list->first : NULL; one; one = one->next) {
        const struct pose_value *index = pose_value_find(one, "index");
        if (!index || index->kind != POSE_INT)
            continue;
        uint32_t animation = (uint32_t)index->as.integer;
        for (uint32_t i = prime_first_leaf(set, animation);
             i < set->leaf_count && set->leaves[i].animation == animation; i++) {
            if (!relate_resource("clip", "prime-anim", set->leaves[i].anim, relate, user))
                return false;
        }
    }
    return true;
}

bool prime_relations(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                     void *user)
{
    const struct pose_value *extras = character->extras;
    struct arena arena;
    struct prime_facts set;
    arena_init(&arena, NULL, 0, NULL);
    if (relate_mesh(extras, "cmdl", "prime-cmdl", relate, user) &&
        relate_mesh(extras, "cskr", "prime-cskr", relate, user) &&
        relate_resource("skeleton", "prime-cinf", (uint32_t)value_get_int(extras, "cinf", 0), relate, user) &&
        prime_read_facts(facts, &arena, &set))
        relate_clips(extras, &set, relate, user);
    arena_release(&arena);
    return true;
}
