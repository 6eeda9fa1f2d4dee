#include "lib/model/lint.h"

#include "lib/core/text.h"
#include "lib/core/warn.h"
#include "lib/model/mesh.h"
#include "lib/model/skin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void lint_report(const struct lint *lint, enum pose_severity severity, const char *code, const char *format,
                 ...)
{
    va_list arguments;
    va_start(arguments, format);
    warn_vtell(lint->warn, lint->user, severity, code, POSE_NO_OFFSET, format, arguments);
    va_end(arguments);
}

/* ------------------------------------------------------------------------------------------------- names -- */

/* The length of "name" in "folder/name.ext" and in "name.0123456789abcdef.ext", which has a key. */
static size_t plain_length(const char *base)
{
    enum { KEY = 16 };
    size_t length = text_stem_length(base);
    if (length <= KEY + 1 || base[length - KEY - 1] != '.')
        return length;
    for (size_t i = length - KEY; i < length; i++) {
        if (!strchr("0123456789abcdef", text_lower(base[i])))
            return length;
    }
    return length - KEY - 1;
}

void lint_name(const struct lint *lint, const char *inner, const char *file)
{
    if (!inner || !file)
        return;
    const char *base = text_base_name(file);
    char plain[200];
    int length = snprintf(plain, sizeof plain, "%.*s", (int)plain_length(base), base);
    if (length < (int)sizeof plain && !text_equal_nocase(plain, inner))
        lint_report(lint, POSE_NOTE, "name_differs",
                    "the file is named \"%.150s\", but its content \"%.150s\"", plain, inner);
}

/* ---------------------------------------------------------------------------------------- lengths of one -- */

/* Keys in real files are up to 0.15 % off. */
#define UNIT_TOLERANCE 0.005

/* Vectors that should be of unit length. */
struct unit_check {
    size_t count, off_count;
    double worst; /* the length farthest from 1 */
    const char *first;
};

static void check_units(struct unit_check *check, const float *values, size_t count, unsigned components,
                        const char *name)
{
    for (size_t i = 0; i < count; i++, values += components) {
        double square = 0;
        for (unsigned k = 0; k < components; k++)
            square += (double)values[k] * (double)values[k];
        double length = sqrt(square);
        if (fabs(length - 1) <= UNIT_TOLERANCE)
            continue;
        if (!check->off_count++)
            check->first = name;
        if (check->off_count == 1 || fabs(length - 1) > fabs(check->worst - 1))
            check->worst = length;
    }
    check->count += count;
}

static void report_units(const struct lint *lint, const struct unit_check *check, enum pose_severity severity,
                         const char *code, const char *what)
{
    if (check->off_count)
        lint_report(lint, severity, code, "%zu of %zu %s are not of unit length; the worst is %.4g%s%.80s%s",
                    check->off_count, check->count, what, check->worst,
                    check->first ? "; the first is \"" : "", check->first ? check->first : "",
                    check->first ? "\"'s" : "");
}

void lint_clip(const struct lint *lint, const struct pose_clip *clip)
{
    struct unit_check check = {0};
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_channel *rotation = &clip->tracks[i].channels[POSE_ROTATION];
        check_units(&check, rotation->values, rotation->count, 4, clip->tracks[i].name);
    }
    report_units(lint, &check, POSE_WARNING, "rotation_not_unit", "rotation keys");
}

void lint_skeleton(const struct lint *lint, const struct pose_skeleton *skeleton)
{
    struct unit_check check = {0};
    for (uint32_t i = 0; i < skeleton->joint_count; i++)
        check_units(&check, skeleton->joints[i].rotation, 1, 4, skeleton->joints[i].name);
    report_units(lint, &check, POSE_WARNING, "rotation_not_unit", "rest rotations");
}

void lint_mesh(const struct lint *lint, const struct pose_mesh *mesh)
{
    struct unit_check check = {0};
    if (mesh->normals)
        check_units(&check, &mesh->normals[0][0], (size_t)mesh->real_count + mesh->blend_count, 3, NULL);
    report_units(lint, &check, POSE_NOTE, "normal_not_unit", "normals");
}

/* ----------------------------------------------------------------------------------------- mesh and bones -- */

void lint_skin(const struct lint *lint, const struct pose_skin *skin)
{
    const struct pose_mesh *mesh = skin->mesh;
    char names[200] = "";
    char room[MESH_BONE_LABEL];
    size_t used = 0;
    for (uint32_t i = 0; i < skin->missing_count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.40s", i ? ", " : "",
                                 mesh_bone_label(mesh, skin->missing[i], room));
    if (skin->missing_count)
        lint_report(lint, POSE_WARNING, "missing_bone", "the skeleton lacks %u of the mesh's %u bones: %s",
                    skin->missing_count, mesh->bone_count, names);
}
