#include "server/convert/convert_rename.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The table sorted by what it renames. */
static int compare_renames(const void *a, const void *b)
{
    return strcmp(((const struct pose_rename *)a)->from, ((const struct pose_rename *)b)->from);
}

static struct pose_rename *sorted_table(struct region *region, const struct convert_options *options)
{
    struct pose_rename *table = REGION_NEW(region, struct pose_rename, options->rename_count);
    if (options->rename_count) {
        memcpy(table, options->renames, options->rename_count * sizeof *table);
        qsort(table, options->rename_count, sizeof *table, compare_renames);
    }
    return table;
}

static struct pose_rename *find(struct pose_rename *table, uint32_t count, const char *name)
{
    struct pose_rename key = {.from = name};
    return name && count ? bsearch(&key, table, count, sizeof key, compare_renames) : NULL;
}

static const char *renamed(struct pose_rename *table, uint32_t count, const char *name)
{
    const struct pose_rename *rename = find(table, count, name);
    return rename ? rename->to : name;
}

static const char *const *rename_aliases(struct region *region, struct pose_rename *table, uint32_t count,
                                         const char *const *aliases)
{
    uint32_t length = 0;
    while (aliases && aliases[length])
        length++;
    if (!length)
        return aliases;
    const char **copy = REGION_NEW(region, const char *, length + 1);
    for (uint32_t i = 0; i < length; i++)
        copy[i] = renamed(table, count, aliases[i]);
    return copy;
}

const struct pose_skeleton *rename_skeleton(struct region *region, const struct pose_skeleton *skeleton,
                                            const struct convert_options *options)
{
    uint32_t count = options->rename_count;
    if (!skeleton || !count)
        return skeleton;
    struct pose_rename *table = sorted_table(region, options);
    struct pose_skeleton *copy = REGION_NEW(region, struct pose_skeleton, 1);
    struct pose_joint *joints = REGION_NEW(region, struct pose_joint, skeleton->joint_count);
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        joints[i] = skeleton->joints[i];
        joints[i].name = renamed(table, count, joints[i].name);
        joints[i].aliases = rename_aliases(region, table, count, joints[i].aliases);
    }
    *copy = *skeleton;
    copy->joints = joints;
    return copy;
}

const struct pose_mesh *rename_meshes(struct region *region, const struct pose_mesh *meshes, uint32_t count,
                                      const struct convert_options *options)
{
    if (!count || !options->rename_count)
        return meshes;
    struct pose_rename *table = sorted_table(region, options);
    struct pose_mesh *copies = REGION_NEW(region, struct pose_mesh, count);
    for (uint32_t m = 0; m < count; m++) {
        const char **bones = REGION_NEW(region, const char *, meshes[m].bone_count);
        for (uint32_t i = 0; i < meshes[m].bone_count; i++)
            bones[i] = renamed(table, options->rename_count, meshes[m].bones[i]);
        copies[m] = meshes[m];
        copies[m].bones = bones;
    }
    return copies;
}

/* ------------------------------------------------------------------------------------------------ unused -- */

/* Which rows of the sorted table are of use. */
struct usage {
    struct pose_rename *table;
    uint32_t count;
    bool *used;
};

static void use(struct usage *usage, const char *name)
{
    const struct pose_rename *rename = find(usage->table, usage->count, name);
    if (rename)
        usage->used[rename - usage->table] = true;
}

static void use_clip(struct usage *usage, const struct pose_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        char name[24];
        snprintf(name, sizeof name, "joint_%u", track->id);
        use(usage, track->name ? track->name : track->has_id ? name : NULL);
    }
}

static void use_skeleton(struct usage *usage, const struct pose_skeleton *skeleton)
{
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        use(usage, skeleton->joints[i].name);
        for (const char *const *alias = skeleton->joints[i].aliases; alias && *alias; alias++)
            use(usage, *alias);
    }
}

static void tell(const struct usage *usage, struct convert_warnings *warnings)
{
    char message[320];
    uint32_t unused = 0;
    int length = 0;
    for (uint32_t i = 0; i < usage->count; i++)
        unused += !usage->used[i];
    if (!unused)
        return;
    length = snprintf(message, sizeof message, "%u names of the map are no joints here:", unused);
    for (uint32_t i = 0; i < usage->count && length + 80 < (int)sizeof message; i++) {
        if (!usage->used[i])
            length +=
                snprintf(message + length, sizeof message - (size_t)length, " %.60s", usage->table[i].from);
    }
    convert_warn_text(warnings, "rename_unused", POSE_WARNING, message);
}

void rename_tell_unused(const struct convert_content *content, struct convert_warnings *warnings)
{
    struct region region;
    uint32_t count = content->options->rename_count;
    if (!count)
        return;
    region_init(&region);
    struct usage usage = {.table = sorted_table(&region, content->options),
                          .count = count,
                          .used = REGION_NEW(&region, bool, count)};
    for (uint32_t i = 0; i < content->clip_count; i++)
        use_clip(&usage, content->clips[i].clip);
    if (content->skeleton && content->target->on_skeleton)
        use_skeleton(&usage, content->skeleton);
    for (uint32_t m = 0; m < content->mesh_count; m++) {
        for (uint32_t i = 0; i < content->meshes[m].bone_count; i++)
            use(&usage, content->meshes[m].bones[i]);
    }
    tell(&usage, warnings);
    region_release(&region);
}
