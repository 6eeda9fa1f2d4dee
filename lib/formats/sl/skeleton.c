/*
 * Second Life's avatar_skeleton.xml: the bones of the avatar and their collision volumes.
 *
 *     <linden_skeleton num_bones num_collision_volumes version>
 *       <bone name aliases pos rot scale pivot end group support connected>      may contain bones and volumes
 *         <collision_volume name pos rot scale end group support/>
 *
 * Vectors are three numbers. pos: metres from the parent; rot: degrees about the fixed axes X, then Y, then Z.
 * Bones are numbered depth first, in file order; the collision volumes follow. Facts: sl-anim.md, section 5.
 * Writing is in skeleton_write.c.
 */
#include "lib/core/numbers/decimal.h"
#include "lib/formats/pages.h"
#include "lib/core/numbers/angles.h"
#include "lib/core/names.h"
#include "lib/core/text.h"
#include "lib/core/value.h"
#include "lib/formats/sl/body/xml.h"
#include "lib/formats/sl/skeleton_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    DEPTH_LIMIT = 256, /* nested elements; the avatar's file needs 14 */
    PROBE_SIZE = 4096,
};

/* Kinds of open elements; a bone has its index. */
enum { OPEN_ROOT = -1, OPEN_VOLUME = -2, OPEN_UNKNOWN = -3 };

struct row {
    struct pose_joint joint; /* parent: a bone */
    struct xml_place place;
};

struct rows {
    const char *path; /* for errors: "bones" */
    struct row *items;
    uint32_t count, capacity;
};

struct parsing {
    struct decode_job *job;
    XML_Parser parser;
    struct rows bones, volumes;
    uint32_t depth;
    int32_t open[DEPTH_LIMIT];
    int64_t bone_count, volume_count; /* declared by the file; -1: not declared */
    struct value_list extras;
};

/* ------------------------------------------------------------------------------------------------- errors -- */

static bool fail(struct parsing *parsing, const char *code, const char *path, const char *reason)
{
    return xml_fail(parsing->job->error, xml_place_now(parsing->parser), code, path, reason);
}

/* An error in an attribute of the next joint. */
static bool fail_attribute(struct parsing *parsing, const struct rows *rows, const char *attribute,
                           const char *code, const char *reason)
{
    char path[64];
    snprintf(path, sizeof path, "%s[%u].%s", rows->path, rows->count, attribute);
    return fail(parsing, code, path, reason);
}

/* --------------------------------------------------------------------------------------------- attributes -- */

/* Exactly three numbers. */
static enum decimal_result parse_vector(const char *text, float vector[3])
{
    static const char blanks[] = " \t\r\n";
    for (int i = 0; i < 3; i++) {
        text += strspn(text, blanks);
        size_t length = strcspn(text, blanks);
        enum decimal_result result = decimal_float(text, length, &vector[i]);
        if (result != DECIMAL_OK)
            return result;
        text += length;
    }
    return text[strspn(text, blanks)] ? DECIMAL_BAD : DECIMAL_OK;
}

/* False, without an error, if an optional attribute is missing. */
static bool read_vector(struct parsing *parsing, const struct rows *rows, const char *const *attributes,
                        const char *name, bool is_needed, float vector[3])
{
    const char *text = xml_attribute(attributes, name);
    if (!text)
        return is_needed && fail_attribute(parsing, rows, name, "missing_attribute", "missing");
    switch (parse_vector(text, vector)) {
    case DECIMAL_OK:
        return true;
    case DECIMAL_NON_FINITE:
        return fail_attribute(parsing, rows, name, "not_finite", "not a finite number");
    default:
        return fail_attribute(parsing, rows, name, "bad_vector", "not three numbers");
    }
}

/* The product qz qy qx: about the fixed axes X, then Y, then Z. */
static void quat_from_degrees(const float degrees[3], float q[4])
{
    double s[3], c[3];
    for (int i = 0; i < 3; i++) {
        double half = fmod((double)degrees[i], 720) * (3.14159265358979323846 / 360);
        s[i] = angle_sine(half);
        c[i] = angle_cosine(half);
    }
    q[0] = (float)(s[0] * c[1] * c[2] - c[0] * s[1] * s[2]);
    q[1] = (float)(c[0] * s[1] * c[2] + s[0] * c[1] * s[2]);
    q[2] = (float)(c[0] * c[1] * s[2] - s[0] * s[1] * c[2]);
    q[3] = (float)(c[0] * c[1] * c[2] + s[0] * s[1] * s[2]);
}

static void keep_text(struct value_list *extras, const char *const *attributes, const char *name)
{
    const char *text = xml_attribute(attributes, name);
    if (text)
        value_put_string(extras, name, arena_copy_text(extras->arena, text));
}

static const struct pose_value *read_extras(struct parsing *parsing, const struct rows *rows,
                                            const char *const *attributes, bool is_bone)
{
    struct value_list extras = value_object(parsing->job->arena);
    float vector[3];
    const char *connected = xml_attribute(attributes, "connected");
    value_put_string(&extras, "kind", is_bone ? "bone" : "collision_volume");
    keep_text(&extras, attributes, "group");
    keep_text(&extras, attributes, "support");
    if (read_vector(parsing, rows, attributes, "pivot", is_bone, vector))
        value_put_floats(&extras, "pivot", vector, 3);
    if (read_vector(parsing, rows, attributes, "end", false, vector))
        value_put_floats(&extras, "end", vector, 3);
    if (connected)
        value_put_bool(&extras, "connected", !strcmp(connected, "true"));
    return value_done(&extras);
}

/* ----------------------------------------------------------------------------------------------- elements -- */

static bool read_joint(struct parsing *parsing, const struct rows *rows, const char *const *attributes,
                       struct pose_joint *joint)
{
    struct arena *arena = parsing->job->arena;
    const char *name = xml_attribute(attributes, "name"), *aliases = xml_attribute(attributes, "aliases");
    float degrees[3];
    if (!name || !*name)
        return fail_attribute(parsing, rows, "name", "missing_attribute", "a joint has no name");
    joint->name = arena_copy_text(arena, name);
    if (aliases && !text_split(arena, aliases, &joint->aliases))
        return false;
    if (!read_vector(parsing, rows, attributes, "pos", true, joint->translation) ||
        !read_vector(parsing, rows, attributes, "rot", true, degrees) ||
        !read_vector(parsing, rows, attributes, "scale", true, joint->scale))
        return false;
    quat_from_degrees(degrees, joint->rotation);
    joint->extras = read_extras(parsing, rows, attributes, rows == &parsing->bones);
    return !arena->failed && !error_is_set(parsing->job->error);
}

static bool add_joint(struct parsing *parsing, struct rows *rows, int32_t parent,
                      const char *const *attributes)
{
    struct decode_job *job = parsing->job;
    if (parsing->bones.count + parsing->volumes.count >= job->limits->joints)
        return error_limit(job->error, "joints", "more joints than the limit of %u", job->limits->joints);
    struct row *items = arena_grow(job->arena, rows->items, rows->count, &rows->capacity, sizeof *items);
    if (!items)
        return false;
    rows->items = items;
    struct row *row = &items[rows->count];
    *row = (struct row){.joint.parent = parent, .place = xml_place_now(parsing->parser)};
    if (!read_joint(parsing, rows, attributes, &row->joint))
        return false;
    rows->count++;
    return true;
}

static int64_t read_count(const char *const *attributes, const char *name)
{
    const char *text = xml_attribute(attributes, name);
    int32_t count;
    return text && decimal_i32(text, strlen(text), &count) == DECIMAL_OK && count >= 0 ? count : -1;
}

static bool open_root(struct parsing *parsing, const char *name, const char *const *attributes)
{
    if (strcmp(name, "linden_skeleton") != 0)
        return fail(parsing, "bad_root", "", "the root element is not linden_skeleton");
    parsing->bone_count = read_count(attributes, "num_bones");
    parsing->volume_count = read_count(attributes, "num_collision_volumes");
    if (parsing->bone_count < 0)
        return fail(parsing, "missing_attribute", "num_bones", "missing or not a number");
    keep_text(&parsing->extras, attributes, "version");
    return true;
}

/* Opens an element inside another one; *opened becomes its kind. */
static bool open_inner(struct parsing *parsing, const char *name, int32_t parent,
                       const char *const *attributes, int32_t *opened)
{
    bool is_bone = !strcmp(name, "bone"), is_volume = !strcmp(name, "collision_volume");
    if (parent == OPEN_UNKNOWN || (!is_bone && !is_volume)) {
        if (parent != OPEN_UNKNOWN)
            warning_add(&parsing->job->warnings, POSE_WARNING, "unknown_element",
                        (uint64_t)xml_place_now(parsing->parser).offset, "the element \"%.40s\" was left out",
                        name);
        *opened = OPEN_UNKNOWN;
        return true;
    }
    if (parent == OPEN_VOLUME || (is_volume && parent == OPEN_ROOT))
        return fail(parsing, "misplaced_element", "",
                    is_bone ? "a bone inside of a collision volume" : "a collision volume outside of a bone");
    *opened = is_bone ? (int32_t)parsing->bones.count : OPEN_VOLUME;
    return add_joint(parsing, is_bone ? &parsing->bones : &parsing->volumes, parent, attributes);
}

static void XMLCALL start_element(void *user, const XML_Char *name, const XML_Char **attributes)
{
    struct parsing *parsing = user;
    const char *const *pairs = (const char *const *)attributes;
    int32_t opened = OPEN_ROOT;
    bool done;
    if (parsing->depth == DEPTH_LIMIT)
        done = fail(parsing, "too_deep", "", "elements are nested too deep");
    else if (parsing->depth == 0)
        done = open_root(parsing, name, pairs);
    else
        done = open_inner(parsing, name, parsing->open[parsing->depth - 1], pairs, &opened);
    if (done)
        parsing->open[parsing->depth++] = opened;
    else
        XML_StopParser(parsing->parser, XML_FALSE);
}

static void XMLCALL end_element(void *user, const XML_Char *name)
{
    struct parsing *parsing = user;
    (void)name;
    parsing->depth--;
}

/* Entities could expand to millions of others, and no skeleton needs them. */
static void XMLCALL declare_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value,
                                   int length, const XML_Char *base, const XML_Char *system_id,
                                   const XML_Char *public_id, const XML_Char *notation)
{
    struct parsing *parsing = user;
    (void)name, (void)is_parameter, (void)value, (void)length;
    (void)base, (void)system_id, (void)public_id, (void)notation;
    fail(parsing, "entity", "", "entities are not allowed");
    XML_StopParser(parsing->parser, XML_FALSE);
}

static bool parse(struct parsing *parsing, struct pose_bytes bytes)
{
    XML_SetUserData(parsing->parser, parsing);
    XML_SetElementHandler(parsing->parser, start_element, end_element);
    XML_SetEntityDeclHandler(parsing->parser, declare_entity);
    return xml_feed(parsing->parser, bytes, parsing->job);
}

/* ----------------------------------------------------------------------------------------------- skeleton -- */

static bool check_counts(struct parsing *parsing)
{
    char reason[96];
    struct xml_place start = {1, 0};
    uint32_t bones = parsing->bones.count, volumes = parsing->volumes.count;
    if (bones == 0)
        return xml_fail(parsing->job->error, start, "no_joints", "", "a skeleton without bones");
    snprintf(reason, sizeof reason, "%lld are declared, but %u are present", (long long)parsing->bone_count,
             bones);
    if (parsing->bone_count != bones)
        return xml_fail(parsing->job->error, start, "bad_num_bones", "num_bones", reason);
    if (parsing->volume_count >= 0 && parsing->volume_count != volumes)
        warning_add(&parsing->job->warnings, POSE_WARNING, "bad_num_collision_volumes", 0,
                    "%lld collision volumes are declared, but %u are present",
                    (long long)parsing->volume_count, volumes);
    return true;
}

/* The bones, then the volumes; names must differ. */
static struct pose_joint *join_rows(struct parsing *parsing)
{
    struct arena *arena = parsing->job->arena;
    uint32_t bones = parsing->bones.count, count = bones + parsing->volumes.count;
    struct pose_joint *joints = ARENA_NEW(arena, struct pose_joint, count);
    struct name_index names;
    if (!joints || !name_index_init(&names, arena, count))
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = i < bones ? parsing->bones.items[i].joint : parsing->volumes.items[i - bones].joint;
        name_index_add(&names, joints[i].name, i);
    }
    name_index_sort(&names);
    for (uint32_t i = 0; i < count; i++) {
        const struct rows *rows = i < bones ? &parsing->bones : &parsing->volumes;
        uint32_t own = i < bones ? i : i - bones;
        int64_t first = name_index_find(&names, joints[i].name);
        if (first == i)
            continue;
        char path[64];
        snprintf(path, sizeof path, "%s[%u].name", rows->path, own);
        xml_fail(parsing->job->error, rows->items[own].place, "duplicate_name", path,
                 "another joint has the same name");
        return NULL;
    }
    return joints;
}

static int32_t find_pelvis(const struct pose_joint *joints, uint32_t bones)
{
    for (uint32_t i = 0; i < bones; i++) {
        if (!strcmp(joints[i].name, "mPelvis"))
            return (int32_t)i;
    }
    return -1;
}

static void warn_about_roots(const struct pose_skeleton *skeleton, struct warning_list *warnings)
{
    uint32_t roots = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++)
        roots += skeleton->joints[i].parent < 0;
    if (roots > 1)
        warning_add(warnings, POSE_WARNING, "several_roots", POSE_NO_OFFSET,
                    "%u bones have no parent; the viewer accepts a single root", roots);
    if (skeleton->root_joint < 0)
        warning_add(warnings, POSE_WARNING, "no_pelvis", POSE_NO_OFFSET,
                    "no bone is named mPelvis: clips have no root to move");
}

/* The sum of the pivots of a joint and its ancestors, counting only the avatar's original ("base") joints. */
static bool add_pivots(struct pose_skeleton *skeleton, struct arena *arena)
{
    float(*pivots)[3] = arena_alloc(arena, skeleton->joint_count, sizeof *pivots);
    for (uint32_t i = 0; pivots && i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        float own[3] = {0};
        if (!strcmp(value_get_string(joint->extras, "support", "base"), "base"))
            value_get_floats(joint->extras, "pivot", own, 3);
        for (int axis = 0; axis < 3; axis++)
            pivots[i][axis] = own[axis] + (joint->parent < 0 ? 0 : pivots[joint->parent][axis]);
    }
    skeleton->pivots = (const float(*)[3])pivots;
    return pivots;
}

static bool build_skeleton(struct parsing *parsing)
{
    struct decode_job *job = parsing->job;
    struct pose_skeleton *skeleton = ARENA_NEW(job->arena, struct pose_skeleton, 1);
    if (!skeleton || !check_counts(parsing))
        return false;
    struct pose_joint *joints = join_rows(parsing);
    if (!joints)
        return false;
    *skeleton = (struct pose_skeleton){.axes = POSE_AXES_SL,
                                       .scaling = POSE_SCALE_OFFSETS,
                                       .joint_count = parsing->bones.count + parsing->volumes.count,
                                       .joints = joints,
                                       .root_joint = find_pelvis(joints, parsing->bones.count),
                                       .extras = value_done(&parsing->extras)};
    if (!add_pivots(skeleton, job->arena))
        return false;
    warn_about_roots(skeleton, &job->warnings);
    job->document->skeletons = skeleton;
    job->document->skeleton_count = 1;
    return true;
}

/* ---------------------------------------------------------------------------------------------- the codec -- */

static bool decode(struct decode_job *job)
{
    struct parsing parsing = {.job = job,
                              .parser = XML_ParserCreate(NULL),
                              .bones.path = "bones",
                              .volumes.path = "collision_volumes",
                              .extras = value_object(job->arena)};
    if (!parsing.parser)
        return error_no_memory(job->error);
    bool done = parse(&parsing, job->source->bytes) && build_skeleton(&parsing);
    XML_ParserFree(parsing.parser);
    return done;
}

/* Markup with the root element near its beginning. */
static enum probe_result probe(const struct pose_source *source)
{
    static const char mark[] = "\xef\xbb\xbf", root[] = "<linden_skeleton";
    struct pose_bytes bytes = source->bytes;
    size_t size = bytes.size < PROBE_SIZE ? bytes.size : PROBE_SIZE, at = 0;
    if (size >= 3 && !memcmp(bytes.data, mark, 3))
        at = 3;
    while (at < size && strchr(" \t\r\n", bytes.data[at]) && bytes.data[at])
        at++;
    if (at == size || bytes.data[at] != '<')
        return PROBE_NO;
    return memmem(bytes.data + at, size - at, root, sizeof root - 1) ? PROBE_SURE : PROBE_NO;
}

const struct codec codec_sl_skeleton = {
    .format = {.id = "sl-skeleton",
               .title = "Second Life avatar skeleton",
               .extensions = ".xml",
               .media_type = "application/xml",
               .kinds = "skeleton"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(sl_skeleton_encode),
};
