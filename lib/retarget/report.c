/* The report of a compiled retargeting: driven bones, ignored joints, warnings. */
#include "lib/model/build.h"
#include "lib/retarget/motion.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_SHOWN = 3, MAX_NAMES = 1000 };

struct telling {
    struct pose_retarget *r;
    struct arena *scratch;
    struct warning_list warnings;
};

/* --------------------------------------------------------------------------------------------------- driven -- */

static const char *name_of(struct telling *t, uint32_t joint)
{
    const struct pose_humanoid *target = t->r->target;
    char name[32];
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        if (target->joint[slot] == (int32_t)joint) {
            slot_name(target, slot, name);
            return arena_copy_text(&t->r->arena, name);
        }
    }
    return target->skeleton->joints[joint].name;
}

static bool list_driven(struct telling *t)
{
    struct pose_retarget *r = t->r;
    const char **names = ARENA_NEW(&r->arena, const char *, r->target_count);
    if (!names)
        return false;
    for (uint32_t i = 0; i < r->target_count; i++) {
        bool carries = (int32_t)i == r->carrier && r->nodes[i].joint != (uint32_t)r->target->joint[SLOT_HIPS];
        const char *name = carries ? "root" : name_of(t, r->nodes[i].joint);
        if (name && (r->nodes[i].is_driven || (r->moves && (int32_t)i == r->carrier)))
            names[r->report.driven_count++] = name;
    }
    r->report.driven = names;
    return true;
}

/* -------------------------------------------------------------------------------------------------- ignored -- */

/* Marks bones, the joints above them (their rotation shows in the bones), and joints of pairs. */
static void mark_parts(const struct pose_retarget *r, const struct pose_retarget_options *wishes, bool *part)
{
    const struct pose_skeleton *skeleton = r->source->skeleton;
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        for (int32_t at = r->source->joint[slot]; at >= 0 && !part[at]; at = skeleton->joints[at].parent)
            part[at] = true;
    }
    for (uint32_t i = 0; i < r->target_count; i++) {
        const struct target_node *node = &r->nodes[i];
        for (uint32_t k = 0; wishes->pair_count && node->is_driven && k < skeleton->joint_count; k++)
            part[k] |= r->source_node_of[k] >= 0 && r->source_node_of[k] == node->attitude.a;
    }
}

/* Whether the clip moves a joint relative to its parent, which is ignored: lengths are the target's own. Joints above
 * the hips carry the figure. */
static bool is_moved(const struct pose_retarget *r, uint32_t joint, bool is_part)
{
    return r->strays[joint] &&
           !(is_part && joint_is_below(r->source, r->source->joint[SLOT_HIPS], (int32_t)joint));
}

static bool list_ignored(struct telling *t, const struct pose_retarget_options *wishes)
{
    struct pose_retarget *r = t->r;
    const struct pose_skeleton *skeleton = r->source->skeleton;
    bool *part = ARENA_NEW(t->scratch, bool, skeleton->joint_count);
    const char **names = ARENA_NEW(&r->arena, const char *, MAX_NAMES);
    uint32_t count = 0;
    if (!part || !names)
        return false;
    mark_parts(r, wishes, part);
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        bool is_left = (r->turns[i] && !part[i]) || is_moved(r, i, part[i]);
        if (is_left && skeleton->joints[i].name && r->report.ignored_count < MAX_NAMES)
            names[r->report.ignored_count++] = skeleton->joints[i].name;
        count += is_left;
    }
    r->report.ignored = names;
    char shown[160] = "";
    for (uint32_t i = 0; i < r->report.ignored_count && i < NAMES_SHOWN; i++)
        snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%s%.40s", i ? ", " : "", names[i]);
    if (count)
        warning_add(
            &t->warnings, POSE_WARNING, "retarget_ignored", POSE_NO_OFFSET,
            "%u joints that the clip drives are not bones of a person, or are moved off their place; that "
            "was left out: %s%s",
            count, shown, count > NAMES_SHOWN ? " and others" : "");
    return true;
}

/* ------------------------------------------------------------------------------------------------- warnings -- */

static void warn_guessed(struct telling *t, const struct pose_humanoid *humanoid, const char *whose)
{
    char shown[200] = "";
    const struct pose_humanoid_report *report = &humanoid->report;
    if (report->quality >= 1)
        return;
    for (uint32_t i = 0; i < report->bone_count; i++) {
        const struct pose_bone *bone = &report->bones[i];
        const char *joint = humanoid->skeleton->joints[bone->joint].name;
        if ((bone->how == POSE_BONE_WORD || bone->how == POSE_BONE_TREE) && strlen(shown) < 120)
            snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%s%s is %.30s", *shown ? ", " : "",
                     bone->name, joint ? joint : "unnamed");
    }
    for (uint32_t i = 0; i < report->missing_count && strlen(shown) < 120; i++)
        snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%s%s is missing", *shown ? ", " : "",
                 report->missing[i]);
    warning_add(&t->warnings, POSE_WARNING, "retarget_guessed", POSE_NO_OFFSET,
                "bones of the %s were guessed: %s", whose, shown);
}

/* Warns about bones that the clip rotates and the target lacks. */
static void warn_missing(struct telling *t)
{
    const struct pose_retarget *r = t->r;
    char shown[160] = "", name[32];
    uint32_t count = 0;
    for (int slot = 0; slot < SLOT_SPINE; slot++) {
        int32_t joint = r->source->joint[slot];
        if (joint < 0 || !r->turns[joint] || r->target->joint[slot] >= 0)
            continue;
        slot_name(r->source, slot, name);
        if (count++ < NAMES_SHOWN)
            snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%s%s", count > 1 ? ", " : "",
                     name);
    }
    if (count)
        warning_add(&t->warnings, POSE_WARNING, "retarget_missing", POSE_NO_OFFSET,
                    "the target has no joint for %u bones that the clip turns: %s%s", count, shown,
                    count > NAMES_SHOWN ? " and others" : "");
}

static void warn(struct telling *t, bool ground_is_guessed)
{
    const struct pose_retarget *r = t->r;
    double degrees = fabs(r->report.heading) * 57.29577951308232;
    if ((r->flags & POSE_RETARGET_FEET) && !r->has_feet)
        warning_add(&t->warnings, POSE_WARNING, "retarget_no_feet", POSE_NO_OFFSET,
                    "the clip does not move both legs, so no foot was planted");
    if (degrees > 135 && !(r->flags & POSE_RETARGET_FACE_FORWARD))
        warning_add(&t->warnings, POSE_WARNING, "retarget_heading", POSE_NO_OFFSET,
                    "the figure begins turned by %.0f degrees; heading=first turns it forward", degrees);
    if (ground_is_guessed)
        warning_add(&t->warnings, POSE_WARNING, "retarget_height", POSE_NO_OFFSET,
                    "the file does not say where its ground is; its heights were taken to count from there");
}

bool retarget_tell(struct pose_retarget *retarget, const struct pose_retarget_options *wishes,
                   struct arena *scratch, bool ground_is_guessed)
{
    struct telling t = {.r = retarget, .scratch = scratch};
    warning_list_init(&t.warnings, &retarget->arena);
    retarget->report.scale = retarget->scale;
    retarget->report.feet = retarget->has_feet;
    warn_guessed(&t, retarget->source, "source");
    warn_guessed(&t, retarget->target, "target");
    if (!list_driven(&t) || !list_ignored(&t, wishes))
        return false;
    warn_missing(&t);
    warn(&t, ground_is_guessed);
    retarget->report.warnings = t.warnings.items;
    retarget->report.warning_count = t.warnings.count;
    return !retarget->arena.failed;
}

const struct pose_retarget_report *pose_retarget_report(const struct pose_retarget *retarget)
{
    return &retarget->report;
}
