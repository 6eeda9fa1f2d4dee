/* The caller's table of new names. */
#include "lib/bake/bake.h"

#include "lib/core/hash.h"
#include "lib/core/value.h"
#include "lib/core/warn.h"

#include <stdio.h>
#include <string.h>

bool bake_renames_init(struct bake_renames *renames, struct arena *arena,
                       const struct pose_conversion *conversion)
{
    *renames = (struct bake_renames){.rows = conversion->renames, .count = conversion->rename_count};
    renames->used = ARENA_NEW(arena, bool, renames->count);
    if (!renames->used || !name_index_init(&renames->index, arena, renames->count))
        return false;
    for (uint32_t i = 0; i < renames->count; i++)
        name_index_add(&renames->index, renames->rows[i].from, i);
    name_index_sort(&renames->index);
    return true;
}

static const char *find_new_name(struct bake_renames *renames, const char *name)
{
    int64_t i = name && renames->count ? name_index_find(&renames->index, name) : -1;
    if (i < 0)
        return NULL;
    renames->used[i] = true;
    return renames->rows[i].to;
}

const char *bake_new_name(const struct baking *b, const char *name)
{
    return find_new_name(b->renames, name);
}

int64_t bake_joint_number(const char *name)
{
    static const char begin[] = "joint_";
    if (!name || strncmp(name, begin, sizeof begin - 1) != 0 || !name[sizeof begin - 1])
        return -1;
    const char *digit = name + sizeof begin - 1;
    int64_t number = 0;
    for (; *digit >= '0' && *digit <= '9' && number <= UINT32_MAX; digit++)
        number = number * 10 + (*digit - '0');
    return *digit || number > UINT32_MAX ? -1 : number;
}

/* The name of a track, or "joint_ID" for one with an id only. */
static const char *track_name(const struct pose_track *track, char made[24])
{
    snprintf(made, 24, "joint_%u", track->id);
    return track->name ? track->name : track->has_id ? made : NULL;
}

/* ----------------------------------------------------------------------------------- skeletons and meshes -- */

static const char *const *rename_aliases(struct arena *arena, struct bake_renames *renames,
                                         const char *const *aliases)
{
    uint32_t count = 0;
    while (aliases && aliases[count])
        count++;
    const char **copy = count ? ARENA_NEW(arena, const char *, (size_t)count + 1) : NULL;
    for (uint32_t i = 0; copy && i < count; i++) {
        const char *name = find_new_name(renames, aliases[i]);
        copy[i] = name ? name : aliases[i];
    }
    return copy;
}

const struct pose_skeleton *bake_rename_skeleton(struct arena *arena, struct bake_renames *renames,
                                                 const struct pose_skeleton *skeleton)
{
    if (!skeleton || !renames->count)
        return skeleton;
    struct pose_skeleton *copy = ARENA_NEW(arena, struct pose_skeleton, 1);
    struct pose_joint *joints = ARENA_NEW(arena, struct pose_joint, skeleton->joint_count);
    if (!copy || !joints)
        return NULL;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const char *name = find_new_name(renames, skeleton->joints[i].name);
        joints[i] = skeleton->joints[i];
        joints[i].name = name ? name : joints[i].name;
        joints[i].aliases = rename_aliases(arena, renames, joints[i].aliases);
    }
    *copy = *skeleton;
    copy->joints = joints;
    return copy;
}

const struct pose_mesh *bake_rename_meshes(struct arena *arena, struct bake_renames *renames,
                                           const struct pose_mesh *meshes, uint32_t count)
{
    if (!count || !renames->count)
        return meshes;
    struct pose_mesh *copies = ARENA_NEW(arena, struct pose_mesh, count);
    for (uint32_t m = 0; copies && m < count; m++) {
        copies[m] = meshes[m];
        if (!meshes[m].bones) /* they have ids only, which stay */
            continue;
        const char **bones = ARENA_NEW(arena, const char *, meshes[m].bone_count);
        if (!bones)
            return NULL;
        for (uint32_t i = 0; i < meshes[m].bone_count; i++) {
            const char *name = find_new_name(renames, meshes[m].bones[i]);
            bones[i] = name ? name : meshes[m].bones[i];
        }
        copies[m].bones = bones;
    }
    return copies;
}

/* ------------------------------------------------------------------------------------------ unused names -- */

static void use_names(struct bake_renames *renames, const struct pose_conversion *conversion,
                      const struct pose_skeleton *skeleton)
{
    char made[24];
    for (uint32_t c = 0; c < conversion->clip_count; c++) {
        const struct pose_clip *clip = conversion->clips[c].clip;
        for (uint32_t i = 0; i < clip->track_count; i++)
            find_new_name(renames, track_name(&clip->tracks[i], made));
    }
    for (uint32_t i = 0; skeleton && i < skeleton->joint_count; i++) {
        const char *const *alias = skeleton->joints[i].aliases;
        find_new_name(renames, skeleton->joints[i].name);
        for (; alias && *alias; alias++)
            find_new_name(renames, *alias);
    }
    for (uint32_t m = 0; m < conversion->mesh_count; m++) {
        const struct pose_mesh *mesh = &conversion->meshes[m];
        for (uint32_t i = 0; mesh->bones && i < mesh->bone_count; i++)
            find_new_name(renames, mesh->bones[i]);
    }
}

void bake_renames_tell(struct bake_renames *renames, const struct pose_conversion *conversion,
                       const struct pose_skeleton *skeleton, pose_warn *warn, void *user)
{
    char names[200] = "";
    size_t used = 0;
    uint32_t count = 0;
    use_names(renames, conversion, skeleton);
    for (uint32_t i = 0; i < renames->count; i++) {
        if (renames->used[i])
            continue;
        count++;
        if (used + 64 < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s", used ? ", " : "",
                                     renames->rows[i].from);
    }
    if (count)
        warn_tell(warn, user, POSE_WARNING, "rename_unused", POSE_NO_OFFSET, "%u renames match no joint: %s",
                  count, names);
}

/* ---------------------------------------------------------------------------------------- a clip as it is -- */

static void rename_track(const struct baking *b, struct pose_track *track)
{
    char made[24];
    const char *name = bake_new_name(b, track_name(track, made));
    if (!name)
        return;
    const int64_t number = bake_joint_number(name);
    track->name = arena_copy_text(b->arena, name);
    if (b->out->rules == POSE_RULES_SIMS3) {
        size_t length = strlen(name);
        bool is_morph = track->channels[POSE_MORPH].count && !track->channels[POSE_ROTATION].count;
        track->id = is_morph ? (uint32_t)hash_fnv64(name, length) : hash_fnv32(name, length);
        track->has_id = true;
    } else if (number >= 0) {
        track->name = NULL;
        track->id = (uint32_t)number;
        track->has_id = true;
    } else if (b->out->rules == POSE_RULES_PRIME || b->out->rules == POSE_RULES_PRIME_FRAMES) {
        const struct pose_skeleton *skeleton = b->conversion->skeleton;
        for (uint32_t i = 0; skeleton && i < skeleton->joint_count; i++) {
            if (skeleton->joints[i].has_id && skeleton->joints[i].name &&
                !strcmp(skeleton->joints[i].name, name))
                track->id = skeleton->joints[i].id;
        }
    } else {
        track->has_id = false;
    }
}

const struct pose_value *bake_rename_fields(const struct baking *b, const struct pose_value *fields)
{
    const char *joint = value_get_string(fields, "joint", NULL);
    const char *name = joint ? bake_new_name(b, joint) : NULL;
    if (!name)
        return fields;
    struct pose_value *object = ARENA_NEW(b->arena, struct pose_value, 1);
    if (!object)
        return NULL;
    *object = *fields;
    const struct pose_value **link = &object->first;
    for (const struct pose_value *from = fields->first; from; from = from->next) {
        struct pose_value *to = ARENA_NEW(b->arena, struct pose_value, 1);
        if (!to)
            return NULL;
        *to = *from;
        if (from->kind == POSE_STRING && from->key && !strcmp(from->key, "joint"))
            to->as.string = arena_copy_text(b->arena, name);
        *link = to;
        link = &to->next;
    }
    return object;
}

bool bake_rename(struct baking *b)
{
    uint32_t tracks = b->out->track_count, events = b->out->event_count;
    struct pose_track *renamed = ARENA_NEW(b->arena, struct pose_track, tracks);
    struct pose_event *told = ARENA_NEW(b->arena, struct pose_event, events);
    if (!renamed || !told)
        return false;
    for (uint32_t i = 0; i < tracks; i++) {
        renamed[i] = b->out->tracks[i];
        rename_track(b, &renamed[i]);
    }
    for (uint32_t i = 0; i < events; i++) {
        told[i] = b->out->events[i];
        told[i].fields = bake_rename_fields(b, told[i].fields);
    }
    b->out->tracks = renamed;
    b->out->events = told;
    return !b->arena->failed;
}
