#include "lib/formats/bvh/names.h"

#include "lib/core/names.h"

/* In most programs a blank ends a name; a brace ends a joint. */
static bool is_allowed(char c)
{
    return (unsigned char)c > ' ' && c != '{' && c != '}' && c != 0x7f;
}

static const char *make_word(struct arena *arena, const struct pose_joint *joint, uint32_t index,
                             bool *changed)
{
    if (!joint->name || !*joint->name) {
        *changed = true;
        return joint->has_id ? arena_format(arena, "joint_%u", joint->id)
                             : arena_format(arena, "joint_%u", index);
    }
    char *name = arena_copy_text(arena, joint->name);
    for (char *c = name; c && *c; c++) {
        if (!is_allowed(*c)) {
            *c = '_';
            *changed = true;
        }
    }
    return name;
}

const char **bvh_names_make(struct encode_job *job, const struct pose_skeleton *skeleton)
{
    struct name_index index;
    uint32_t changed_count = 0, count = skeleton->joint_count, first = 0;
    const char **names = ARENA_NEW(job->arena, const char *, count);
    if (!names || !name_index_init(&index, job->arena, count))
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        bool changed = false;
        names[i] = make_word(job->arena, &skeleton->joints[i], i, &changed);
        name_index_add(&index, names[i], i);
        first = changed && !changed_count++ ? i : first;
    }
    name_index_sort(&index);
    for (uint32_t i = 0; i < count && !job->arena->failed; i++) {
        if (name_index_find(&index, names[i]) == i)
            continue;
        char *other = arena_format(job->arena, "%s_%u", names[i], i);
        while (other && name_index_find(&index, other) >= 0)
            other = arena_format(job->arena, "%s_", other);
        names[i] = other;
        first = changed_count++ ? first : i;
    }
    if (job->arena->failed)
        return NULL;
    if (changed_count)
        encode_warn(job, "renamed_joint",
                    "%u joints have names that BVH cannot hold, or share one; the first is now \"%.60s\"",
                    changed_count, names[first]);
    return names;
}
