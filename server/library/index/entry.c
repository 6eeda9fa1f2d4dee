#include "server/library/index/entry.h"

#include "lib/core/hash.h"
#include "server/library/index/describe.h"
#include "server/library/index/keywords.h"
#include "server/library/texts.h"
#include "lib/core/value.h"
#include "server/library/names.h"
#include "server/ops/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ known names -- */

enum { HAS_ID = 1 };

static uint64_t hash_bytes(const char *text, bool without_case)
{
    return hash_fnv1a(text, strlen(text), without_case) & ~(uint64_t)HAS_ID;
}

uint64_t known_name(enum pose_axes axes, const char *name)
{
    return hash_bytes(name, axes == POSE_AXES_SIMS);
}

uint64_t known_id(uint32_t id)
{
    return (uint64_t)id << 1 | HAS_ID;
}

static int compare_known(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static bool knows(const struct index_asset *skeleton, uint64_t wanted)
{
    return skeleton->known_count &&
           bsearch(&wanted, skeleton->known, skeleton->known_count, sizeof wanted, compare_known) != NULL;
}

uint32_t known_matches(const struct index_asset *skeleton, const struct index_asset *clip)
{
    uint32_t matches = 0;
    if (skeleton->axes != clip->axes)
        return 0;
    for (uint32_t i = 0; i < clip->moving_count; i++)
        matches += clip->known[i] && knows(skeleton, clip->known[i]);
    return matches;
}

static bool moves_joint(const struct pose_track *track)
{
    return track->channels[POSE_TRANSLATION].count || track->channels[POSE_ROTATION].count ||
           track->channels[POSE_SCALE].count;
}

/* Tracks of weights and morphs are not joints. If a clip's keys are missing, all other tracks may be. */
static bool is_moving(const struct pose_track *track, bool any_moves)
{
    return any_moves ? moves_joint(track) : !track->channels[POSE_MORPH].count;
}

/* A track that is bound to a node of its file counts as that node's joint, whose name may differ: a clip of Metroid
 * Prime in a glTF file has ids, its nodes have the names of the skeleton. */
static uint64_t known_track(const struct pose_document *document, const struct pose_clip *clip,
                            const struct pose_track *track)
{
    const struct pose_skeleton *skeleton = document->skeleton_count ? document->skeletons : NULL;
    bool is_bound = skeleton && clip->tree && clip->tree == skeleton->tree && track->node &&
                    track->node <= skeleton->joint_count && skeleton->joints[track->node - 1].name;
    if (is_bound)
        return known_name(skeleton->axes, skeleton->joints[track->node - 1].name);
    if (track->has_id)
        return known_id(track->id);
    return track->name ? known_name(clip->axes, track->name) : 0;
}

/* Tracks that move joints come first. */
static void list_tracks(struct region *region, const struct pose_document *document,
                        const struct pose_clip *clip, struct index_asset *asset)
{
    uint64_t *known = REGION_NEW(region, uint64_t, clip->track_count);
    if (!known)
        return;
    bool any_moves = false;
    for (uint32_t i = 0; i < clip->track_count; i++)
        any_moves |= moves_joint(&clip->tracks[i]);
    uint32_t first = 0, last = clip->track_count;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        known[is_moving(track, any_moves) ? first++ : --last] = known_track(document, clip, track);
    }
    asset->known = known;
    asset->known_count = clip->track_count;
    asset->moving_count = first;
}

/* Rounded to a hundredth of a millimetre (if the unit is a metre; likewise for feet and inches), and
 * rotations similarly, because exporters round. */
static uint64_t hash_rest(const struct pose_skeleton *skeleton)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        float rest[10];
        pose_joint_rest(skeleton, i, skeleton->axes, rest);
        float sign = rest[6] < 0 ? -1 : 1;
        for (unsigned k = 0; k < 10; k++) {
            float number = k >= 3 && k < 7 ? sign * rest[k] : rest[k];
            int64_t rounded = isfinite(number) ? llroundf(fminf(fmaxf(number * 1e4f, -1e15f), 1e15f)) : 0;
            hash = (hash ^ (uint64_t)rounded) * 0x100000001b3u;
        }
        hash = (hash ^ (uint64_t)skeleton->joints[i].parent) * 0x100000001b3u;
    }
    return hash;
}

static void list_joints(struct region *region, const struct pose_skeleton *skeleton,
                        struct index_asset *asset)
{
    size_t count = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        count += 2;
        for (const char *const *alias = skeleton->joints[i].aliases; alias && *alias; alias++)
            count++;
    }
    uint64_t *known = REGION_NEW(region, uint64_t, count);
    if (!known)
        return;
    size_t used = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        if (joint->name)
            known[used++] = known_name(skeleton->axes, joint->name);
        if (joint->has_id)
            known[used++] = known_id(joint->id);
        for (const char *const *alias = joint->aliases; alias && *alias; alias++)
            known[used++] = known_name(skeleton->axes, *alias);
    }
    qsort(known, used, sizeof *known, compare_known);
    uint32_t kept = 0;
    for (size_t i = 0; i < used; i++) {
        if (!kept || known[kept - 1] != known[i])
            known[kept++] = known[i];
    }
    asset->known = known;
    asset->known_count = kept;
}

/* ---------------------------------------------------------------------------------------------- summaries -- */

/* The text between the braces of an object that has just been written. */
static const char *members_text(struct region *region, struct pose_buffer *buffer)
{
    const char *text = buffer->size > 2 ? (const char *)buffer->data + 1 : "";
    size_t length = buffer->size > 2 ? buffer->size - 2 : 0;
    const char *copy = region_text_sized(region, text, length);
    pose_buffer_free(buffer);
    return copy;
}

static void summarise_clip(struct region *region, const struct pose_document *document,
                           struct index_asset *asset)
{
    const struct pose_clip *clip = &document->clips[asset->inner];
    struct pose_buffer buffer = {0};
    struct json_writer json;
    jsonw_init(&json, &buffer);
    jsonw_object(&json, NULL);
    describe_clip_timing(&json, clip);
    jsonw_end(&json);
    asset->summary = members_text(region, &buffer);
    jsonw_init(&json, &buffer);
    jsonw_object(&json, NULL);
    describe_clip_notes(&json, document, clip);
    jsonw_end(&json);
    asset->notes = members_text(region, &buffer);
    asset->axes = clip->axes;
    asset->duration = clip->duration;
    asset->fps = clip->fps;
    asset->joint_count = clip->track_count;
    asset->event_count = clip->event_count;
    asset->actor = region_text(region, value_get_string(clip->extras, "actor", NULL));
    list_tracks(region, document, clip, asset);
}

static bool is_person(const struct pose_skeleton *skeleton)
{
    struct pose_error error;
    struct pose_humanoid *humanoid = pose_humanoid_new(skeleton, NULL, 0, NULL, &error);
    pose_humanoid_free(humanoid);
    return humanoid;
}

void index_summarise_skeleton(struct region *region, const struct pose_skeleton *skeleton,
                              struct index_asset *asset)
{
    struct pose_buffer buffer = {0};
    struct json_writer json;
    jsonw_init(&json, &buffer);
    jsonw_object(&json, NULL);
    jsonw_integer(&json, "joint_count", skeleton->joint_count);
    jsonw_end(&json);
    asset->kind = ASSET_SKELETON;
    asset->notes = "";
    if (!asset->name)
        asset->name = skeleton->name;
    asset->summary = members_text(region, &buffer);
    asset->axes = skeleton->axes;
    asset->joint_count = skeleton->joint_count;
    asset->rest = hash_rest(skeleton);
    asset->is_person = is_person(skeleton);
    list_joints(region, skeleton, asset);
}

static void summarise_mesh(struct region *region, const struct pose_mesh *mesh, struct index_asset *asset)
{
    struct pose_buffer buffer = {0};
    struct json_writer json;
    jsonw_init(&json, &buffer);
    jsonw_object(&json, NULL);
    jsonw_integer(&json, "vertex_count", mesh->real_count ? mesh->real_count : (int64_t)mesh->weighted_count);
    jsonw_integer(&json, "face_count", mesh->face_count);
    jsonw_end(&json);
    asset->summary = members_text(region, &buffer);
    asset->axes = mesh->axes;
    asset->joint_count = mesh->bone_count;
    uint64_t *known = REGION_NEW(region, uint64_t, mesh->bone_count);
    for (uint32_t i = 0; known && i < mesh->bone_count; i++)
        known[i] = mesh->bone_ids   ? known_id(mesh->bone_ids[i])
                   : mesh->bones[i] ? known_name(mesh->axes, mesh->bones[i])
                                    : 0;
    asset->known = known;
    asset->known_count = asset->moving_count = mesh->bone_count;
}

/* The bones that a character's relations name. */
struct bone_list {
    struct index_asset *asset;
    uint64_t *known; /* NULL: only count */
    uint32_t count;
};

static bool take_bone(void *user, const struct pose_relation *relation)
{
    struct bone_list *bones = user;
    bones->asset->axes = relation->axes;
    if (relation->bone && bones->known)
        bones->known[bones->count] = known_name(relation->axes, relation->bone);
    bones->count += relation->bone != NULL;
    return true;
}

/* The bones that a suit or a binding uses: their skeleton can be found even if the meshes are missing. */
static void list_bones(struct region *region, const char *format, const struct pose_character *character,
                       struct index_asset *asset)
{
    struct bone_list bones = {.asset = asset};
    pose_relations(format, character, (struct pose_bytes){NULL, 0}, take_bone, &bones);
    bones.known = REGION_NEW(region, uint64_t, bones.count);
    if (!bones.known)
        return;
    bones.count = 0;
    pose_relations(format, character, (struct pose_bytes){NULL, 0}, take_bone, &bones);
    asset->known = bones.known;
    asset->joint_count = asset->moving_count = asset->known_count = bones.count;
}

static void summarise_image(struct region *region, const struct pose_image *image, struct index_asset *asset)
{
    struct pose_buffer buffer = {0};
    struct json_writer json;
    jsonw_init(&json, &buffer);
    jsonw_object(&json, NULL);
    jsonw_integer(&json, "width", image->width);
    jsonw_integer(&json, "height", image->height);
    jsonw_bool(&json, "alpha", image->has_alpha);
    jsonw_end(&json);
    asset->summary = members_text(region, &buffer);
}

static void summarise_character(struct region *region, const char *format,
                                const struct pose_character *character, struct index_asset *asset)
{
    struct pose_buffer buffer = {0};
    struct json_writer json;
    jsonw_init(&json, &buffer);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "type", character->type);
    jsonw_end(&json);
    asset->summary = members_text(region, &buffer);
    list_bones(region, format, character, asset);
}

/* ------------------------------------------------------------------------------------------------- assets -- */

static const char *stem_of(struct region *region, const char *path)
{
    const char *base = name_base(path);
    return region_text_sized(region, base, name_stem(base));
}

static const char *inner_name(const struct pose_document *document, enum asset_kind kind, uint32_t inner)
{
    switch (kind) {
    case ASSET_CLIP:
        return document->clips[inner].name;
    case ASSET_SKELETON:
        return document->skeletons[inner].name;
    case ASSET_MESH:
        return document->meshes[inner].name;
    case ASSET_IMAGE:
        return document->images[inner].name;
    default:
        return document->characters[inner].name;
    }
}

/* The part of an id that all assets of a file share: format and bytes. */
static struct id_hash *file_hash(const struct entry_facts *facts, const char *format, struct pose_bytes bytes)
{
    struct id_hash *hash = id_begin();
    char text[96];
    size_t length = strlen(format) < 40 ? strlen(format) : 40;
    memcpy(text, format, length);
    text[length] = 0;
    if (facts->game) {
        text[length++] = ':';
        strncpy(text + length, facts->game, sizeof text - length - 1);
        text[sizeof text - 1] = 0;
    }
    id_text_part(hash, text);
    id_part(hash, bytes.data, bytes.size);
    return hash;
}

/* Whether the name is a line of that text. */
static bool has_line(const char *lines, const char *name)
{
    size_t length = strlen(name);
    while (lines && (strncmp(lines, name, length) != 0 || (lines[length] && lines[length] != '\n'))) {
        lines = strchr(lines, '\n');
        lines += lines != NULL;
    }
    return lines;
}

/* names: one per line; NULL: none. */
static void companion_part(struct id_hash *hash, const struct companion_finder *finder, const char *names)
{
    for (uint32_t i = 0; i < finder->found_count; i++) {
        if (has_line(names, finder->found_names[i]))
            id_part(hash, finder->found[i].data, finder->found[i].size);
    }
}

static uint32_t document_assets(const struct pose_document *document)
{
    return document->clip_count + document->skeleton_count + document->mesh_count +
           document->character_count + document->image_count;
}

static void add_asset(struct index_entry *entry, const struct pose_document *document, enum asset_kind kind,
                      uint32_t inner)
{
    struct index_asset *asset = &entry->assets[entry->asset_count++];
    const char *name = inner_name(document, kind, inner);
    asset->kind = kind;
    asset->inner = inner;
    asset->name = name && *name ? region_text(&entry->region, name) : stem_of(&entry->region, entry->name);
    asset->notes = "";
    asset->events_entry = asset->event_set = asset->skin_entry = -1;
    if (kind == ASSET_CLIP)
        summarise_clip(&entry->region, document, asset);
    else if (kind == ASSET_SKELETON)
        index_summarise_skeleton(&entry->region, &document->skeletons[inner], asset);
    else if (kind == ASSET_MESH)
        summarise_mesh(&entry->region, &document->meshes[inner], asset);
    else if (kind == ASSET_IMAGE)
        summarise_image(&entry->region, &document->images[inner], asset);
    else
        summarise_character(&entry->region, document->format, &document->characters[inner], asset);
    index_keywords(document, asset);
}

/* If the entry's region runs out of memory, assets are missing: see region.failed. */
static void add_assets(struct index_entry *entry, const struct pose_document *document)
{
    const uint32_t counts[ASSET_KIND_COUNT] = {document->clip_count, document->skeleton_count,
                                               document->mesh_count, document->character_count,
                                               document->image_count};
    entry->assets = REGION_NEW(&entry->region, struct index_asset, document_assets(document));
    for (int kind = 0; kind < ASSET_KIND_COUNT; kind++) {
        for (uint32_t inner = 0; !entry->region.failed && inner < counts[kind]; inner++)
            add_asset(entry, document, (enum asset_kind)kind, inner);
    }
}

/* What distinguishes an asset from the others in its file: its name there, "" if none. */
struct inner {
    enum asset_kind kind;
    const char *name;
};

static int compare_inner(const void *a, const void *b, void *inners)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct inner *first = (const struct inner *)inners + x, *second = (const struct inner *)inners + y;
    if (first->kind != second->kind)
        return first->kind < second->kind ? -1 : 1;
    int order = strcmp(first->name, second->name);
    return order ? order : x < y ? -1 : x > y;
}

/* For each asset of a file, how many before it have the same kind and name; from malloc, NULL if out of
 * memory. */
static uint32_t *count_repeats(struct inner *inners, uint32_t count)
{
    uint32_t *repeats = try_alloc(count, sizeof *repeats), *order = try_alloc(count, sizeof *order);
    if (!repeats || !order) {
        free(repeats);
        free(order);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare_inner, inners);
    for (uint32_t i = 1; i < count; i++) {
        const struct inner *before = &inners[order[i - 1]], *inner = &inners[order[i]];
        if (before->kind == inner->kind && !strcmp(before->name, inner->name))
            repeats[order[i]] = repeats[order[i - 1]] + 1;
    }
    free(order);
    return repeats;
}

static struct inner *list_inners(const struct index_entry *entry, const struct pose_document *document)
{
    struct inner *inners = try_alloc(entry->asset_count, sizeof *inners);
    for (uint32_t i = 0; inners && i < entry->asset_count; i++) {
        const struct index_asset *asset = &entry->assets[i];
        const char *name = inner_name(document, asset->kind, asset->inner);
        inners[i] = (struct inner){asset->kind, name ? name : ""};
    }
    return inners;
}

/* Names that repeat within a file get a number, so that ids differ. */
static const char *distinct_inner(struct index_entry *entry, const char *name, uint32_t before)
{
    if (!before)
        return name;
    size_t length = strlen(name);
    char *text = region_alloc(&entry->region, length + 16, 1);
    if (!text)
        return "";
    memcpy(text, name, length);
    text[length++] = '#';
    for (uint32_t value = before + 1, digits = 1000000000; digits; digits /= 10) {
        if (value >= digits)
            text[length++] = (char)('0' + value / digits % 10);
    }
    return text;
}

/*
 * The bytes are hashed once, however many assets a file has. The file name is not included: the same bytes have
 * the same id anywhere. False if out of memory.
 */
static bool give_ids(struct index_entry *entry, const struct entry_facts *facts,
                     const struct pose_document *document, struct pose_bytes bytes,
                     const struct companion_finder *finder)
{
    struct id_hash *file = file_hash(facts, document->format, bytes), *content = id_fork(file);
    for (uint32_t i = 0; i < finder->found_count; i++)
        id_part(content, finder->found[i].data, finder->found[i].size);
    entry->content = id_end(content);
    struct inner *inners = list_inners(entry, document);
    uint32_t *repeats = inners ? count_repeats(inners, entry->asset_count) : NULL;
    bool done = repeats;
    for (uint32_t i = 0; done && i < entry->asset_count; i++) {
        struct index_asset *asset = &entry->assets[i];
        asset->id = entry->content;
        if (entry->asset_count == 1)
            continue;
        struct id_hash *hash = id_fork(file);
        if (asset->kind == ASSET_CLIP)
            companion_part(hash, finder, document->clips[asset->inner].companion);
        const char *name = distinct_inner(entry, inners[i].name, repeats[i]);
        if (*name)
            id_text_part(hash, name);
        asset->id = id_end(hash);
    }
    id_end(file);
    free(repeats);
    free(inners);
    return done;
}

/* -------------------------------------------------------------------------------------------------- entry -- */

void index_entry_ref(struct index_entry *entry)
{
    atomic_fetch_add_explicit(&entry->references, 1, memory_order_relaxed);
}

static void drop_assets(struct index_entry *entry)
{
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        text_drop(entry->assets[i].words);
        text_drop(entry->assets[i].events);
    }
    entry->asset_count = 0;
}

void index_entry_unref(struct index_entry *entry)
{
    if (atomic_fetch_sub_explicit(&entry->references, 1, memory_order_acq_rel) != 1)
        return;
    drop_assets(entry);
    struct region region = entry->region;
    region_release(&region);
}

/* The library's own string for the format, in static storage, unlike that of a request. */
static const char *format_known(const char *id)
{
    const struct pose_format *format = id ? pose_format_find(id) : NULL;
    return format ? format->id : id;
}

struct entry_facts entry_facts_of(const struct pose_archive *container, uint32_t index)
{
    const struct pose_entry *row = pose_archive_entry(container, index);
    return (struct entry_facts){.name = row->name,
                                .size = row->size,
                                .kind = row->kind,
                                .format = row->format,
                                .game = row->game,
                                .skipped = row->skipped,
                                .is_copy = row->is_copy,
                                .error = row->error};
}

static const struct pose_error no_memory = {
    .status = POSE_NO_MEMORY, .code = "no_memory", .detail = "out of memory", .offset = POSE_NO_OFFSET};

static struct index_entry *new_entry(const struct entry_facts *facts)
{
    struct region region;
    region_init(&region);
    struct index_entry *entry = REGION_NEW(&region, struct index_entry, 1);
    atomic_init(&entry->references, 1);
    /* The sizes from here on depend on files or clients. */
    region.may_fail = true;
    const char *name = region_text(&region, facts->name);
    entry->name = name ? name : "";
    entry->size = facts->size;
    entry->kind = facts->kind ? facts->kind : "other";
    entry->format = format_known(facts->format);
    entry->game = region_text(&region, facts->game);
    entry->stamp = facts->stamp;
    entry->is_copy = facts->is_copy;
    entry->region = region;
    if (region.failed)
        entry->error = &no_memory;
    return entry;
}

static void set_error(struct index_entry *entry, const struct pose_error *error)
{
    struct pose_error *copy = REGION_NEW(&entry->region, struct pose_error, 1);
    if (copy)
        *copy = *error;
    entry->error = copy ? copy : &no_memory;
}

struct index_entry *index_entry_plain(const struct entry_facts *facts)
{
    struct index_entry *entry = new_entry(facts);
    if (facts->error) {
        set_error(entry, facts->error);
    } else if (facts->skipped) {
        struct pose_error error;
        pose_error_init(&error);
        error.status = POSE_UNSUPPORTED;
        strncpy(error.code, facts->skipped, sizeof error.code - 1);
        const char *why = "the entry is not readable: ";
        strncpy(error.detail, why, sizeof error.detail - 1);
        strncat(error.detail, facts->skipped, sizeof error.detail - strlen(error.detail) - 1);
        set_error(entry, &error);
    }
    return entry;
}

/* "clip" for "clip skeleton": the kind of an entry of that format that cannot be decoded. */
static const char *first_kind(const char *format_id)
{
    static const char *const kinds[] = {"clip", "skeleton", "mesh", "events", "character", "image"};
    const struct pose_format *format = pose_format_find(format_id);
    for (size_t i = 0; format && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!strncmp(format->kinds, kinds[i], strlen(kinds[i])))
            return kinds[i];
    }
    return "other";
}

static const char *kind_of_document(const struct pose_document *document)
{
    if (document->clip_count)
        return "clip";
    if (document->skeleton_count)
        return "skeleton";
    if (document->mesh_count)
        return "mesh";
    if (document->character_count)
        return "character";
    if (document->image_count)
        return "image";
    return document->event_count ? "events" : first_kind(document->format);
}

/* Keeps the facts that linking needs. */
static void take_facts(struct index_entry *entry, const struct pose_document *document)
{
    struct pose_buffer facts = {0};
    if (pose_facts(document, &facts) && facts.size) {
        uint8_t *copy = REGION_NEW(&entry->region, uint8_t, facts.size);
        if (copy) {
            memcpy(copy, facts.data, facts.size);
            entry->facts = (struct pose_bytes){copy, facts.size};
        }
    }
    pose_buffer_free(&facts);
}

/* Describes a document as an entry. If out of memory, the entry has an error and no assets. */
static bool describe(struct index_entry *entry, const struct entry_facts *facts,
                     const struct pose_document *document, struct pose_bytes bytes,
                     const struct companion_finder *finder)
{
    add_assets(entry, document);
    bool done = !entry->region.failed && give_ids(entry, facts, document, bytes, finder);
    if (done)
        take_facts(entry, document);
    if (done && !entry->region.failed && !finder->no_memory)
        return true;
    drop_assets(entry);
    entry->error = &no_memory;
    return false;
}

static _Atomic uint64_t decodes;

uint64_t index_decodes(void)
{
    return atomic_load_explicit(&decodes, memory_order_relaxed);
}

struct pose_document *index_pose_decode(const struct pose_source *source, const struct pose_options *options,
                                        struct pose_error *error)
{
    atomic_fetch_add_explicit(&decodes, 1, memory_order_relaxed);
    return pose_decode(source, options, error);
}

static bool is_past(void *deadline)
{
    return clock_seconds() > *(const double *)deadline;
}

struct index_entry *index_entry_decode(const struct entry_facts *facts, struct pose_bytes bytes,
                                       struct companion_finder *finder, const struct index_options *options)
{
    struct index_entry *entry = new_entry(facts);
    struct pose_source source = {.name = facts->name,
                                 .bytes = bytes,
                                 .format = facts->format,
                                 .game = facts->game,
                                 .find = finder_find,
                                 .user = finder};
    struct pose_error error;
    double deadline = options->deadline;
    const struct pose_stop stop = {is_past, &deadline};
    struct pose_options bounded = options->pose;
    if (deadline > 0) /* one file alone can take longer than all together may */
        bounded.stop = &stop;
    struct pose_document *document = index_pose_decode(&source, &bounded, &error);
    entry->wants_companions = finder->asked;
    entry->beside = finder->beside;
    entry->size = bytes.size;
    if (document) {
        entry->format = document->format;
        entry->kind = kind_of_document(document);
        bool done = describe(entry, facts, document, bytes, finder);
        if (done && options->keep)
            options->keep(options->keep_user, entry, document);
        else
            pose_document_free(document);
    } else if (error.status != POSE_UNKNOWN_FORMAT) {
        set_error(entry, &error);
        entry->format = facts->format ? format_known(facts->format) : pose_detect(&source);
        if (!facts->kind && entry->format)
            entry->kind = first_kind(entry->format);
    }
    return entry;
}
