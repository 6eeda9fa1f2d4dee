/*
 * Second Life: the parts of the avatar (avatar_lad.xml):
 *
 *     <linden_avatar version>
 *       <skeleton file_name>  <param id name ...><param_skeleton> <bone name scale offset/>
 *       <mesh type lod file_name reference>  <param ...><param_morph/>
 *       <driver_parameters>  <param ...><param_driver> <driven id min1 max1 max2 min2/>
 *       <morph_masks>  <mask morph_name/>
 *
 * Facts: sl-avatar.md, 2. shape.c applies it.
 */
#include "lib/formats/sl/body/lad.h"

#include "lib/core/numbers/decimal.h"
#include "lib/core/text.h"
#include "lib/core/value.h"
#include "lib/formats/sl/body/xml.h"

#include <string.h>

enum {
    MAX_DEPTH = 16,
    MAX_PARAMS = 10000,
    PROBE_SIZE = 4096,
};

/* Kinds of open elements. */
enum element {
    OTHER, /* with all its content */
    ROOT,
    SKELETON,
    MESH,
    DRIVERS,
    MASKS,
    PARAM,
    PARAM_SKELETON,
    PARAM_MORPH,
    PARAM_DRIVER,
    LEAF,
};

struct reading {
    struct decode_job *job;
    XML_Parser parser;
    struct lad *lad;
    uint32_t depth;
    enum element open[MAX_DEPTH];
    bool has_skeleton;
    uint32_t param_capacity, bone_capacity, driven_capacity, mesh_capacity, mask_capacity;
    struct lad_param *params;
    struct lad_bone *bones;
    struct lad_driven *driven;
    struct lad_mesh *meshes;
    const char **masks;
};

static const struct {
    const char *name;
    uint32_t lods;
} mesh_types[LAD_MESH_TYPES] = {
    [LAD_HAIR] = {"hairMesh", 6},
    [LAD_HEAD] = {"headMesh", 5},
    [LAD_EYELASHES] = {"eyelashMesh", 1},
    [LAD_UPPER_BODY] = {"upperBodyMesh", 5},
    [LAD_LOWER_BODY] = {"lowerBodyMesh", 5},
    [LAD_LEFT_EYE] = {"eyeBallLeftMesh", 2},
    [LAD_RIGHT_EYE] = {"eyeBallRightMesh", 2},
    [LAD_SKIRT] = {"skirtMesh", 5},
};

const char *lad_mesh_name(enum lad_mesh_type type)
{
    return mesh_types[type].name;
}

/* --------------------------------------------------------------------------------------------- attributes -- */

static bool fail(struct reading *reading, const char *code, const char *field, const char *reason)
{
    return xml_fail(reading->job->error, xml_place_now(reading->parser), code, field, reason);
}

/* A number; *value is unchanged if the attribute is missing. */
static bool take_number(struct reading *reading, const char *const *attributes, const char *name,
                        float *value)
{
    const char *text = xml_attribute(attributes, name);
    if (!text)
        return true;
    while (*text && strchr(" \t\r\n", *text))
        text++;
    size_t length = strcspn(text, " \t\r\n");
    return decimal_float(text, length, value) == DECIMAL_OK ||
           fail(reading, "bad_number", name, "not a finite number");
}

/* Three numbers separated by blanks, possibly with commas before them. Zeros if the attribute is missing. */
static bool take_vector(struct reading *reading, const char *const *attributes, const char *name,
                        float vector[3])
{
    static const char blanks[] = " \t\r\n,";
    const char *text = xml_attribute(attributes, name);
    memset(vector, 0, 3 * sizeof *vector);
    for (int i = 0; text && i < 3; i++) {
        text += strspn(text, blanks);
        size_t length = strcspn(text, blanks);
        if (decimal_float(text, length, &vector[i]) != DECIMAL_OK)
            return fail(reading, "bad_vector", name, "not three finite numbers");
        text += length;
    }
    return true;
}

static bool take_id(struct reading *reading, const char *const *attributes, int32_t *id)
{
    const char *text = xml_attribute(attributes, "id");
    return (text && decimal_i32(text, strlen(text), id) == DECIMAL_OK) ||
           fail(reading, "bad_id", "id", "missing or not a whole number");
}

/* A copy; fails if the attribute is missing or empty. */
static const char *take_name(struct reading *reading, const char *const *attributes, const char *name)
{
    const char *text = xml_attribute(attributes, name);
    if (text && *text)
        return arena_copy_text(reading->job->arena, text);
    fail(reading, "no_name", name, "missing");
    return NULL;
}

/* The plain name of a file in the same folder. */
static const char *take_file(struct reading *reading, const char *const *attributes)
{
    const char *text = xml_attribute(attributes, "file_name");
    if (text && *text && *text != '.' && !strpbrk(text, "/\\"))
        return arena_copy_text(reading->job->arena, text);
    fail(reading, "bad_file_name", "file_name", "missing, or not a plain file name");
    return NULL;
}

/* --------------------------------------------------------------------------------------------- parameters -- */

static bool take_range(struct reading *reading, const char *const *attributes, struct lad_param *param)
{
    param->min = 0;
    param->max = 1;
    param->value = 0;
    if (!take_number(reading, attributes, "value_min", &param->min) ||
        !take_number(reading, attributes, "value_max", &param->max) ||
        !take_number(reading, attributes, "value_default", &param->value))
        return false;
    if (xml_attribute(attributes, "value_default"))
        param->value = param->value < param->min   ? param->min
                       : param->value > param->max ? param->max
                                                   : param->value;
    return true;
}

static bool take_sex(struct reading *reading, const char *const *attributes, enum lad_sex *sex)
{
    const char *text = xml_attribute(attributes, "sex");
    if (!text || !strcmp(text, "both"))
        *sex = LAD_BOTH;
    else if (!strcmp(text, "male"))
        *sex = LAD_MALE;
    else if (!strcmp(text, "female"))
        *sex = LAD_FEMALE;
    else
        return fail(reading, "bad_sex", "sex", "must be both, male or female");
    return true;
}

static bool open_param(struct reading *reading, const char *const *attributes, enum element parent)
{
    struct lad *lad = reading->lad;
    if (lad->param_count == MAX_PARAMS)
        return error_limit(reading->job->error, "params", "more than %d parameters", MAX_PARAMS);
    struct lad_param *params = arena_grow(reading->job->arena, reading->params, lad->param_count,
                                          &reading->param_capacity, sizeof *params);
    if (!params)
        return false;
    reading->params = params;
    struct lad_param *param = &params[lad->param_count];
    *param = (struct lad_param){.mesh = parent == MESH ? (int32_t)lad->mesh_count - 1 : -1,
                                .bone_first = lad->bone_count,
                                .driven_first = lad->driven_count,
                                .is_driver = parent == DRIVERS};
    if (!take_id(reading, attributes, &param->id) || !take_range(reading, attributes, param) ||
        !take_sex(reading, attributes, &param->sex) ||
        !(param->name = take_name(reading, attributes, "name")))
        return false;
    lad->param_count++;
    return true;
}

static bool open_bone(struct reading *reading, const char *const *attributes)
{
    struct lad *lad = reading->lad;
    struct lad_bone *bones = arena_grow(reading->job->arena, reading->bones, lad->bone_count,
                                        &reading->bone_capacity, sizeof *bones);
    if (!bones)
        return false;
    reading->bones = bones;
    struct lad_bone *bone = &bones[lad->bone_count];
    if (!(bone->name = take_name(reading, attributes, "name")) ||
        !take_vector(reading, attributes, "scale", bone->scale) ||
        !take_vector(reading, attributes, "offset", bone->offset))
        return false;
    lad->bone_count++;
    reading->params[lad->param_count - 1].bone_count++;
    return true;
}

static bool open_driven(struct reading *reading, const char *const *attributes)
{
    struct lad *lad = reading->lad;
    const struct lad_param *driver = &reading->params[lad->param_count - 1];
    struct lad_driven *list = arena_grow(reading->job->arena, reading->driven, lad->driven_count,
                                         &reading->driven_capacity, sizeof *list);
    if (!list)
        return false;
    reading->driven = list;
    struct lad_driven *driven = &list[lad->driven_count];
    *driven = (struct lad_driven){0, driver->min, driver->max, driver->max, driver->max};
    if (!take_id(reading, attributes, &driven->id) ||
        !take_number(reading, attributes, "min1", &driven->min1) ||
        !take_number(reading, attributes, "max1", &driven->max1) ||
        !take_number(reading, attributes, "max2", &driven->max2) ||
        !take_number(reading, attributes, "min2", &driven->min2))
        return false;
    lad->driven_count++;
    reading->params[lad->param_count - 1].driven_count++;
    return true;
}

/* ------------------------------------------------------------------------------------------------- meshes -- */

static bool is_file_of_type(const struct reading *reading, const char *reference, enum lad_mesh_type type)
{
    for (uint32_t i = 0; i < reading->lad->mesh_count; i++) {
        if (reading->meshes[i].type == type && !reading->meshes[i].reference &&
            !strcmp(reading->meshes[i].file, reference))
            return true;
    }
    return false;
}

static bool take_type(struct reading *reading, const char *const *attributes, struct lad_mesh *mesh)
{
    const char *type = xml_attribute(attributes, "type"), *lod = xml_attribute(attributes, "lod");
    int32_t number = -1;
    int found = -1;
    for (int i = 0; type && i < LAD_MESH_TYPES; i++)
        found = !strcmp(type, mesh_types[i].name) ? i : found;
    if (found < 0)
        return fail(reading, "bad_mesh_type", "type", "not a part of the avatar");
    if (!lod || decimal_i32(lod, strlen(lod), &number) != DECIMAL_OK || number < 0 ||
        (uint32_t)number >= mesh_types[found].lods)
        return fail(reading, "bad_lod", "lod", "missing, or not a level of detail of that mesh");
    mesh->type = (enum lad_mesh_type)found;
    mesh->lod = (uint32_t)number;
    return true;
}

static bool open_mesh(struct reading *reading, const char *const *attributes)
{
    struct lad *lad = reading->lad;
    const char *reference = xml_attribute(attributes, "reference");
    if (lad->mesh_count == MAX_PARAMS)
        return error_limit(reading->job->error, "meshes", "more than %d meshes", MAX_PARAMS);
    struct lad_mesh *meshes = arena_grow(reading->job->arena, reading->meshes, lad->mesh_count,
                                         &reading->mesh_capacity, sizeof *meshes);
    if (!meshes)
        return false;
    reading->meshes = meshes;
    struct lad_mesh *mesh = &meshes[lad->mesh_count];
    *mesh = (struct lad_mesh){0};
    if (!take_type(reading, attributes, mesh) || !(mesh->file = take_file(reading, attributes)))
        return false;
    if (reference && !is_file_of_type(reading, reference, mesh->type))
        return fail(reading, "no_reference", "reference", "no earlier mesh of that type has this file");
    mesh->reference = reference ? arena_copy_text(reading->job->arena, reference) : NULL;
    lad->mesh_count++;
    return true;
}

static bool open_mask(struct reading *reading, const char *const *attributes)
{
    struct lad *lad = reading->lad;
    const char **masks = arena_grow(reading->job->arena, reading->masks, lad->mask_count,
                                    &reading->mask_capacity, sizeof *masks);
    if (!masks)
        return false;
    reading->masks = masks;
    if (!(masks[lad->mask_count] = take_name(reading, attributes, "morph_name")))
        return false;
    lad->mask_count++;
    return true;
}

/* ----------------------------------------------------------------------------------------------- elements -- */

static bool open_root(struct reading *reading, const char *name, const char *const *attributes)
{
    const char *version = xml_attribute(attributes, "version");
    if (strcmp(name, "linden_avatar") != 0)
        return fail(reading, "bad_root", "", "the root element is not linden_avatar");
    if (!version || (strcmp(version, "1.0") != 0 && strcmp(version, "2.0") != 0))
        return fail(reading, "bad_version", "version", "not 1.0 or 2.0");
    return true;
}

static bool open_skeleton(struct reading *reading, const char *const *attributes)
{
    reading->has_skeleton = true;
    reading->lad->skeleton_line = (uint32_t)xml_line(reading->parser);
    return (reading->lad->skeleton = take_file(reading, attributes)) != NULL;
}

/* The kind of an element inside another one; false on failure. */
static bool open_inner(struct reading *reading, const char *name, const char *const *attributes,
                       enum element parent, enum element *opened)
{
    static const struct {
        enum element parent;
        const char *name;
        enum element element;
        bool (*open)(struct reading *reading, const char *const *attributes);
    } known[] = {
        {ROOT, "skeleton", SKELETON, open_skeleton},
        {ROOT, "mesh", MESH, open_mesh},
        {ROOT, "driver_parameters", DRIVERS, NULL},
        {ROOT, "morph_masks", MASKS, NULL},
        {MASKS, "mask", LEAF, open_mask},
        {PARAM, "param_skeleton", PARAM_SKELETON, NULL},
        {PARAM, "param_morph", PARAM_MORPH, NULL},
        {PARAM, "param_driver", PARAM_DRIVER, NULL},
        {PARAM_SKELETON, "bone", LEAF, open_bone},
        {PARAM_DRIVER, "driven", LEAF, open_driven},
    };
    *opened = OTHER;
    if (!strcmp(name, "param") && (parent == SKELETON || parent == MESH || parent == DRIVERS)) {
        *opened = PARAM;
        return open_param(reading, attributes, parent);
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].parent != parent || strcmp(known[i].name, name) != 0)
            continue;
        *opened = known[i].element;
        return !known[i].open || known[i].open(reading, attributes);
    }
    return true;
}

static void XMLCALL start_element(void *user, const XML_Char *name, const XML_Char **attributes)
{
    struct reading *reading = user;
    const char *const *pairs = (const char *const *)attributes;
    enum element opened = ROOT;
    bool done;
    if (reading->depth == MAX_DEPTH)
        done = fail(reading, "bad_xml", "", "elements are nested too deep");
    else if (!reading->depth)
        done = open_root(reading, name, pairs);
    else
        done = open_inner(reading, name, pairs, reading->open[reading->depth - 1], &opened);
    if (done && !reading->job->arena->failed)
        reading->open[reading->depth++] = opened;
    else
        XML_StopParser(reading->parser, XML_FALSE);
}

static void XMLCALL end_element(void *user, const XML_Char *name)
{
    struct reading *reading = user;
    (void)name;
    reading->depth--;
}

/* Documents that could declare entities are refused. */
static void XMLCALL start_doctype(void *user, const XML_Char *name, const XML_Char *system_id,
                                  const XML_Char *public_id, int has_internal_subset)
{
    struct reading *reading = user;
    (void)name, (void)system_id, (void)public_id, (void)has_internal_subset;
    fail(reading, "doctype", "", "document type declarations are not allowed");
    XML_StopParser(reading->parser, XML_FALSE);
}

/* ----------------------------------------------------------------------------------------------- the file -- */

static bool parse(struct reading *reading, struct pose_bytes bytes)
{
    XML_SetUserData(reading->parser, reading);
    XML_SetElementHandler(reading->parser, start_element, end_element);
    XML_SetStartDoctypeDeclHandler(reading->parser, start_doctype);
    return xml_feed(reading->parser, bytes, reading->job) &&
           (reading->has_skeleton || fail(reading, "no_skeleton", "", "it names no skeleton"));
}

const struct lad *lad_read(struct decode_job *job, struct pose_bytes bytes)
{
    struct lad *lad = ARENA_NEW(job->arena, struct lad, 1);
    struct reading reading = {.job = job, .lad = lad};
    if (!lad)
        return NULL;
    reading.parser = XML_ParserCreate(NULL);
    if (!reading.parser) {
        error_no_memory(job->error);
        return NULL;
    }
    bool done = parse(&reading, bytes);
    XML_ParserFree(reading.parser);
    lad->params = reading.params;
    lad->bones = reading.bones;
    lad->driven = reading.driven;
    lad->meshes = reading.meshes;
    lad->masks = reading.masks;
    return done ? lad : NULL;
}
