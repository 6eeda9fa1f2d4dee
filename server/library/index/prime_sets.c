#include "server/library/index/prime_sets.h"

#include "server/text/extras.h"
#include "server/library/names.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- what a set says -- */

/* Trees of animations are nested 32 deep at most, with a list between every two. */
enum { DEEPEST = 80 };

static uint32_t count_items(const struct pose_value *first)
{
    uint32_t count = 0;
    for (; first; first = first->next)
        count++;
    return count;
}

struct leaf_list {
    uint32_t count, capacity;
    struct prime_leaf *items; /* from malloc */
};

static void add_leaf(struct leaf_list *list, struct prime_leaf leaf)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 32;
        list->items = must_grow(list->items, list->capacity, sizeof *list->items);
    }
    list->items[list->count++] = leaf;
}

/* All clips below a meta-animation, in order. */
static void add_leaves(struct leaf_list *list, const struct pose_value *meta, uint32_t animation,
                       const char *name)
{
    const struct pose_value *stack[DEEPEST];
    unsigned depth = 0;
    stack[depth++] = meta;
    while (depth) {
        const struct pose_value *at = stack[depth - 1], *first = extra_items(at, "animations");
        if (pose_value_find(at, "anim"))
            add_leaf(list, (struct prime_leaf){(uint32_t)extra_integer(at, "anim"), animation, name});
        stack[depth - 1] = depth > 1 ? at->next : NULL; /* the first has no brothers that are its own */
        if (first && depth < DEEPEST)
            stack[depth++] = first;
        while (depth && !stack[depth - 1])
            depth--;
    }
}

static void take_leaves(struct region *region, const struct pose_document *document, struct prime_set *set)
{
    struct leaf_list list = {0};
    uint32_t number = 0;
    for (const struct pose_value *item = extra_items(document->extras, "animations"); item;
         item = item->next) {
        const struct pose_value *meta = pose_value_find(item, "animation");
        const char *name = extra_text(item, "name");
        if (meta)
            add_leaves(&list, meta, number, region_text(region, name ? name : ""));
        number++;
    }
    struct prime_leaf *leaves = REGION_NEW(region, struct prime_leaf, list.count);
    if (list.count)
        memcpy(leaves, list.items, list.count * sizeof *leaves);
    free(list.items);
    set->leaf_count = list.count;
    set->leaves = leaves;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void take_member(struct region *region, const struct pose_character *character,
                        struct prime_member *member)
{
    const struct pose_value *first = extra_items(character->extras, "animations");
    uint32_t *animations = REGION_NEW(region, uint32_t, count_items(first));
    member->cinf = (uint32_t)extra_integer(character->extras, "cinf");
    member->cskr = (uint32_t)extra_integer(character->extras, "cskr");
    for (const struct pose_value *item = first; item; item = item->next)
        animations[member->count++] = (uint32_t)extra_integer(item, "index");
    if (member->count)
        qsort(animations, member->count, sizeof *animations, compare_numbers);
    member->animations = animations;
}

static void take_events(struct region *region, const struct pose_document *document, struct prime_set *set)
{
    const struct pose_value *first = extra_items(document->extras, "anim_events");
    struct prime_events_of *events = REGION_NEW(region, struct prime_events_of, count_items(first));
    for (const struct pose_value *item = first; item; item = item->next)
        events[set->events_count++] = (struct prime_events_of){.anim = (uint32_t)extra_integer(item, "anim"),
                                                               .evnt = (uint32_t)extra_integer(item, "evnt")};
    set->events = events;
    set->event_set_count = count_items(extra_items(document->extras, "event_sets"));
}

const struct prime_set *prime_set_new(struct region *region, const struct pose_document *document)
{
    struct prime_set *set = REGION_NEW(region, struct prime_set, 1);
    struct prime_member *members = REGION_NEW(region, struct prime_member, document->character_count);
    take_leaves(region, document, set);
    for (uint32_t i = 0; i < document->character_count; i++)
        take_member(region, &document->characters[i], &members[i]);
    set->members = members;
    set->member_count = document->character_count;
    take_events(region, document, set);
    return set;
}

uint32_t prime_first_leaf(const struct prime_set *set, uint32_t animation)
{
    uint32_t low = 0, high = set->leaf_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->leaves[middle].animation < animation)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ----------------------------------------------------------------------------------------------- resources -- */

bool prime_resource_id(const char *entry_name, uint32_t *id)
{
    const char *base = name_base(entry_name);
    char *end;
    if (strspn(base, "0123456789abcdefABCDEF") != 8 || (base[8] != '.' && base[8] != '_'))
        return false;
    *id = (uint32_t)strtoul(base, &end, 16);
    return true;
}

static int compare_resources(const void *a, const void *b)
{
    const struct index_resource *x = a, *y = b;
    int order = strcmp(x->format, y->format);
    if (order)
        return order;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

int64_t prime_find_resource(const struct index_archive *archive, const char *format, uint32_t id)
{
    uint32_t low = 0, high = archive->resource_count;
    const struct index_resource wanted = {.format = format, .id = id};
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_resources(&archive->resources[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < archive->resource_count && archive->resources[low].id == id &&
                   !strcmp(archive->resources[low].format, format)
               ? (int64_t)archive->resources[low].entry
               : -1;
}

/* Those that could be read; of a resource that is repeated the first. */
static bool list_resources(struct index_archive *archive)
{
    bool any = false;
    struct index_resource *resources =
        REGION_NEW(&archive->region, struct index_resource, archive->entry_count);
    archive->resource_count = 0;
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        const struct index_entry *entry = archive->entries[e];
        uint32_t id;
        if (entry->error || entry->is_copy || !entry->format || strncmp(entry->format, "prime-", 6) != 0 ||
            !prime_resource_id(entry->name, &id))
            continue;
        resources[archive->resource_count++] =
            (struct index_resource){.format = entry->format, .id = id, .entry = e};
        any |= !strcmp(entry->format, "prime-anim") || !strcmp(entry->format, "prime-cskr");
    }
    if (archive->resource_count)
        qsort(resources, archive->resource_count, sizeof *resources, compare_resources);
    archive->resources = resources;
    return any;
}

/* ------------------------------------------------------------------------------------------------- linking -- */

enum { MOST_USES = 64 };

/* An animation that plays a clip of the archive. */
struct use {
    uint32_t clip; /* entry */
    uint32_t set;  /* entry of the character set */
    uint32_t order;
    const struct prime_leaf *leaf;
};

struct use_list {
    uint32_t count, capacity;
    struct use *items;
};

static void add_use(struct use_list *list, struct use use)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 64;
        list->items = must_grow(list->items, list->capacity, sizeof *list->items);
    }
    use.order = list->count;
    list->items[list->count++] = use;
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

/* For each use, from malloc, whether it is the first of its name. */
static bool *find_first_names(const struct use *uses, uint32_t count)
{
    const struct use **order = must_alloc(count, sizeof *order);
    bool *is_first = must_alloc(count, sizeof *is_first);
    for (uint32_t i = 0; i < count; i++)
        order[i] = &uses[i];
    qsort(order, count, sizeof *order, compare_names);
    for (uint32_t i = 0; i < count; i++)
        is_first[order[i] - uses] = !i || strcmp(order[i - 1]->leaf->name, order[i]->leaf->name) != 0;
    free(order);
    return is_first;
}

/* "extras" is the last member of the notes, and an object that is not empty: the names become its last member. */
static void add_names(struct index_entry *entry, struct index_asset *clip, const struct use *uses,
                      uint32_t count)
{
    struct pose_buffer text = {0};
    size_t length = strlen(clip->notes);
    if (!length || clip->notes[length - 1] != '}')
        return;
    static const char key[] = ",\"names\":[";
    bool *is_first = find_first_names(uses, count);
    bool done =
        pose_buffer_append(&text, clip->notes, length - 1) && pose_buffer_append(&text, key, sizeof key - 1);
    for (uint32_t i = 0; i < count; i++) {
        if (is_first[i])
            done = done && (!i || pose_buffer_append(&text, ",", 1)) &&
                   pose_json_string(&text, uses[i].leaf->name);
    }
    if (done && pose_buffer_append(&text, "]}", 2))
        clip->notes = region_text_sized(&entry->region, (const char *)text.data, text.size);
    pose_buffer_free(&text);
    free(is_first);
}

static bool has_animation(const struct prime_member *member, uint32_t animation)
{
    return member->count && bsearch(&animation, member->animations, member->count, sizeof *member->animations,
                                    compare_numbers) != NULL;
}

static const struct asset_id *skeleton_of_member(const struct index_archive *archive,
                                                 const struct prime_member *member)
{
    int64_t entry = prime_find_resource(archive, "prime-cinf", member->cinf);
    return entry >= 0 && archive->entries[entry]->asset_count ? &archive->entries[entry]->assets[0].id : NULL;
}

/* The skeleton of the first character that has the animation, else of the first. */
static const struct asset_id *skeleton_of(const struct index_archive *archive, const struct use *use)
{
    const struct prime_set *set = archive->entries[use->set]->set;
    const struct prime_member *member = NULL;
    for (uint32_t i = 0; i < set->member_count && !member; i++) {
        if (has_animation(&set->members[i], use->leaf->animation))
            member = &set->members[i];
    }
    if (!member && set->member_count)
        member = set->members;
    return member ? skeleton_of_member(archive, member) : NULL;
}

static bool is_id(uint32_t id)
{
    return id && id != UINT32_MAX;
}

/* The clip's own events, else those that a set says it has. */
static void link_events(const struct index_archive *archive, struct index_asset *clip, const struct use *uses,
                        uint32_t count, uint32_t anim)
{
    uint32_t evnt = clip->evnt;
    for (uint32_t i = 0; i < count && clip->events_entry < 0; i++) {
        const struct prime_set *set = archive->entries[uses[i].set]->set;
        if (uses[i].leaf->animation < set->event_set_count) {
            clip->events_entry = uses[i].set;
            clip->event_set = uses[i].leaf->animation;
        }
        for (uint32_t k = 0; k < set->events_count && !is_id(evnt); k++) {
            if (set->events[k].anim == anim)
                evnt = set->events[k].evnt;
        }
    }
    if (is_id(evnt) && clip->events_entry < 0) {
        clip->events_entry = prime_find_resource(archive, "prime-evnt", evnt);
        clip->event_set = -1;
    }
}

/* The name that the pak gives, "walk" of "000000A1_walk.ANIM", else the id as it stands there. */
static const char *plain_name(struct region *region, const char *entry_name)
{
    const char *base = name_base(entry_name);
    const char *dot = strrchr(base, '.'), *end = dot && dot > base + 8 ? dot : base + strlen(base);
    if (base[8] != '_' || end <= base + 9)
        return region_text_sized(region, base, 8);
    return region_text_sized(region, base + 9, (size_t)(end - base - 9));
}

static void link_clip(const struct index_archive *archive, uint32_t index, const struct use *uses,
                      uint32_t count)
{
    struct index_entry *entry = archive->entries[index];
    uint32_t anim;
    if (!entry->asset_count || entry->assets[0].kind != ASSET_CLIP || !prime_resource_id(entry->name, &anim))
        return;
    struct index_asset *clip = &entry->assets[0];
    clip->own_name = clip->name = plain_name(&entry->region, entry->name);
    if (count) {
        clip->name = region_text(&entry->region, uses[0].leaf->name);
        add_names(entry, clip, uses, count);
    }
    /* Sound sets play a clip a few times; what a file may choose is not multiplied. */
    uint32_t looked_at = count < MOST_USES ? count : MOST_USES;
    for (uint32_t i = 0; i < looked_at && !clip->skeleton; i++)
        clip->skeleton = skeleton_of(archive, &uses[i]);
    link_events(archive, clip, uses, looked_at, anim);
}

/* A skin is bound to the skeleton of the first character that wears it. */
static void link_skins(const struct index_archive *archive, const struct prime_set *set)
{
    for (uint32_t i = 0; i < set->member_count; i++) {
        int64_t entry = prime_find_resource(archive, "prime-cskr", set->members[i].cskr);
        if (entry < 0 || !archive->entries[entry]->asset_count)
            continue;
        struct index_asset *skin = &archive->entries[entry]->assets[0];
        if (!skin->skeleton)
            skin->skeleton = skeleton_of_member(archive, &set->members[i]);
    }
}

void prime_link(struct index_archive *archive)
{
    struct use_list list = {0};
    if (archive->linked || archive->error)
        return;
    archive->linked = true;
    if (!list_resources(archive))
        return;
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        const struct prime_set *set = archive->entries[e]->set;
        for (uint32_t i = 0; set && i < set->leaf_count; i++) {
            int64_t clip = prime_find_resource(archive, "prime-anim", set->leaves[i].anim);
            if (clip >= 0)
                add_use(&list, (struct use){.clip = (uint32_t)clip, .set = e, .leaf = &set->leaves[i]});
        }
        if (set)
            link_skins(archive, set);
    }
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, compare_uses);
    uint32_t next = 0;
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        uint32_t first = next;
        while (next < list.count && list.items[next].clip == e)
            next++;
        if (archive->entries[e]->format && !strcmp(archive->entries[e]->format, "prime-anim"))
            link_clip(archive, e, list.items ? list.items + first : NULL, next - first);
    }
    free(list.items);
}
