/*
 * Second Life: the whole avatar (avatar_lad.xml and the files beside it that it names): the skeleton in a
 * newcomer's shape, the visible meshes skinned to it, and the character they form. Facts: sl-avatar.md, 2, 3, 5.
 */
#include "lib/core/text.h"
#include "lib/core/value.h"
#include "lib/formats/sl/body/avatar.h"
#include "lib/formats/sl/body/shape.h"

#include <string.h>

#define EXTENSIONS ".xml"
#define SKELETON_FORMAT "sl-skeleton"

extern const struct codec codec_sl_llm;
extern const struct codec codec_sl_skeleton;

enum { PROBE_SIZE = 4096 };

struct avatar {
    struct decode_job *job;
    const struct lad *lad;
    float *weights;
    const struct pose_skeleton *skeleton; /* shaped */
    uint32_t mesh_count;
    struct pose_mesh meshes[LAD_MESH_TYPES];
    uint32_t numbers[LAD_MESH_TYPES]; /* of the mesh elements */
};

/* ------------------------------------------------------------------------------------------------ companions -- */

/* Decodes a file beside this one and reports its warnings. NULL, with error, if it is missing or broken. */
static const struct pose_document *read_beside(struct avatar *avatar, const struct codec *codec,
                                               const char *name, struct pose_error *error)
{
    struct decode_job *job = avatar->job;
    struct pose_source source = {.name = name, .find = job->source->find, .user = job->source->user};
    struct pose_document *document = ARENA_NEW(job->arena, struct pose_document, 1);
    struct decode_job own = {
        .source = &source, .limits = job->limits, .arena = job->arena, .error = error, .document = document};
    warning_list_init(&own.warnings, job->arena);
    if (!document)
        return NULL;
    if (!source.find || !source.find(source.user, name, &source.bytes)) {
        error_set(error, POSE_BAD_DATA, "no_file", "%s is not in the same folder", name);
        return NULL;
    }
    if (!codec->decode(&own))
        return NULL;
    for (uint32_t i = 0; i < own.warnings.count; i++)
        warning_add(&job->warnings, own.warnings.items[i].severity, own.warnings.items[i].code,
                    POSE_NO_OFFSET, "%s: %s", name, own.warnings.items[i].message);
    return document;
}

/* Fails with an error about a line of avatar_lad.xml. Always false. */
static bool refuse(struct avatar *avatar, const char *code, uint32_t line, const char *reason)
{
    if (!error_is_set(avatar->job->error)) {
        error_set(avatar->job->error, POSE_BAD_DATA, code, "line %u: %s", line, reason);
        avatar->job->error->line = line;
    }
    return false;
}

static bool read_skeleton(struct avatar *avatar)
{
    struct pose_error error;
    struct pose_skeleton *named = ARENA_NEW(avatar->job->arena, struct pose_skeleton, 1);
    pose_error_init(&error);
    const struct pose_document *document =
        read_beside(avatar, &codec_sl_skeleton, avatar->lad->skeleton, &error);
    if (avatar->job->arena->failed)
        return false;
    if (!document || !document->skeleton_count || !named)
        return refuse(avatar, "no_skeleton", avatar->lad->skeleton_line, error.detail);
    avatar->weights = shape_weights(avatar->lad, &(struct shape_options){0}, avatar->job->arena);
    const struct pose_skeleton *shaped =
        avatar->weights
            ? shape_skeleton(avatar->lad, avatar->weights, document->skeletons, avatar->job->arena)
            : NULL;
    if (!shaped)
        return false;
    *named = *shaped;
    named->name = SL_AVATAR;
    avatar->skeleton = named;
    return true;
}

/* A mesh that is missing or broken is skipped. */
static void read_mesh(struct avatar *avatar, uint32_t number)
{
    const struct lad_mesh *element = &avatar->lad->meshes[number];
    struct pose_error error;
    pose_error_init(&error);
    const struct pose_document *document = read_beside(avatar, &codec_sl_llm, element->file, &error);
    const struct pose_mesh *shaped = document && document->mesh_count
                                         ? shape_mesh(avatar->lad, avatar->weights, element->type,
                                                      document->meshes, avatar->skeleton, avatar->job->arena)
                                         : NULL;
    if (!shaped) {
        warning_add(&avatar->job->warnings, POSE_WARNING, "mesh_left_out", POSE_NO_OFFSET, "%s: %s",
                    lad_mesh_name(element->type), error.detail);
        return;
    }
    avatar->numbers[avatar->mesh_count] = number;
    avatar->meshes[avatar->mesh_count++] = *shaped;
}

/* The finest level of each; the skirt only if requested. */
static bool read_meshes(struct avatar *avatar)
{
    bool is_there[LAD_MESH_TYPES] = {[LAD_SKIRT] = true};
    for (uint32_t i = 0; i < avatar->lad->mesh_count; i++) {
        const struct lad_mesh *mesh = &avatar->lad->meshes[i];
        if (mesh->lod || mesh->reference || is_there[mesh->type])
            continue;
        is_there[mesh->type] = true;
        read_mesh(avatar, i);
    }
    if (avatar->job->arena->failed)
        return false;
    return avatar->mesh_count || refuse(avatar, "no_meshes", 1, "none of its meshes could be read");
}

/* --------------------------------------------------------------------------------------------------- looks -- */

/* Plain colours: the files have no skin texture. */
static bool paint(struct avatar *avatar, struct pose_mesh *mesh, enum lad_mesh_type type)
{
    static const struct {
        const char *name;
        float color[3];
        bool two_sided;
    } looks[LAD_MESH_TYPES] = {
        [LAD_HAIR] = {"hair", {0.25f, 0.17f, 0.11f}, true},
        [LAD_HEAD] = {"head", {0.80f, 0.60f, 0.48f}, false},
        [LAD_EYELASHES] = {"eyelashes", {0.15f, 0.10f, 0.07f}, true},
        [LAD_UPPER_BODY] = {"upper", {0.80f, 0.60f, 0.48f}, false},
        [LAD_LOWER_BODY] = {"lower", {0.80f, 0.60f, 0.48f}, false},
        [LAD_LEFT_EYE] = {"eyes", {0.90f, 0.90f, 0.88f}, false},
        [LAD_RIGHT_EYE] = {"eyes", {0.90f, 0.90f, 0.88f}, false},
        [LAD_SKIRT] = {"skirt", {0.60f, 0.60f, 0.60f}, true},
    };
    struct pose_material *material = ARENA_NEW(avatar->job->arena, struct pose_material, 1);
    if (!material)
        return false;
    *material = (struct pose_material){.name = looks[type].name, .two_sided = looks[type].two_sided};
    memcpy(material->base_color, looks[type].color, sizeof looks[type].color);
    material->base_color[3] = 1;
    mesh->materials = material;
    mesh->material_count = 1;
    return true;
}

/* ------------------------------------------------------------------------------------------- the character -- */

/* Non-zero weights, by parameter name. */
static void put_shape(const struct avatar *avatar, struct value_list *extras)
{
    struct value_list shape = value_array(extras->arena);
    for (uint32_t i = 0; i < avatar->lad->param_count; i++) {
        const struct lad_param *param = &avatar->lad->params[i];
        if (avatar->weights[i] == 0)
            continue;
        struct value_list row = value_object(extras->arena);
        value_put_int(&row, "id", param->id);
        value_put_string(&row, "name", param->name);
        value_put_float(&row, "weight", avatar->weights[i]);
        value_put_list(&shape, NULL, &row);
    }
    value_put_list(extras, "shape", &shape);
}

static const struct pose_value *describe(const struct avatar *avatar)
{
    struct value_list extras = value_object(avatar->job->arena), meshes = value_array(avatar->job->arena);
    for (uint32_t i = 0; i < avatar->mesh_count; i++) {
        const struct lad_mesh *mesh = &avatar->lad->meshes[avatar->numbers[i]];
        struct value_list row = value_object(avatar->job->arena);
        value_put_string(&row, "type", lad_mesh_name(mesh->type));
        value_put_string(&row, "file", mesh->file);
        value_put_list(&meshes, NULL, &row);
    }
    value_put_string(&extras, "skeleton", avatar->lad->skeleton);
    value_put_list(&extras, "meshes", &meshes);
    put_shape(avatar, &extras);
    return value_done(&extras);
}

bool sl_relations(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                  void *user)
{
    const struct pose_value *meshes = pose_value_find(character->extras, "meshes");
    struct pose_relation relation = {.way = POSE_BY_PLACE, .axes = POSE_AXES_SL};
    (void)facts;
    for (const struct pose_value *row = meshes ? meshes->first : NULL; row; row = row->next, relation.id++) {
        relation.kind = "mesh";
        relation.wanted = value_get_string(row, "type", "");
        if (!relate(user, &relation))
            return true;
    }
    relation = (struct pose_relation){
        .way = POSE_BY_PLACE, .kind = "skeleton", .wanted = SL_AVATAR, .axes = POSE_AXES_SL};
    if (relate(user, &relation)) {
        relation = (struct pose_relation){
            .way = POSE_BY_FORMAT, .kind = "clip", .wanted = "", .format = "sl-anim", .axes = POSE_AXES_SL};
        relate(user, &relation);
    }
    return true;
}

bool sl_made_for(const struct pose_naming *what, const char *skeleton)
{
    return what->format && !strcmp(what->format, "sl-anim") && strcmp(skeleton, SL_AVATAR) != 0;
}

/* ---------------------------------------------------------------------------------------------- the codec -- */

/* The root element near the beginning; other ".xml" files are not ours. */
static enum probe_result probe(const struct pose_source *source)
{
    static const char root[] = "<linden_avatar";
    struct pose_bytes bytes = source->bytes;
    size_t size = bytes.size < PROBE_SIZE ? bytes.size : PROBE_SIZE;
    for (size_t i = 0; i + sizeof root - 1 <= size; i++) {
        if (!memcmp(bytes.data + i, root, sizeof root - 1))
            return PROBE_SURE;
    }
    return PROBE_NO;
}

static bool fill(struct avatar *avatar)
{
    struct decode_job *job = avatar->job;
    struct pose_mesh *meshes = ARENA_NEW(job->arena, struct pose_mesh, avatar->mesh_count);
    struct pose_character *character = ARENA_NEW(job->arena, struct pose_character, 1);
    if (!meshes || !character)
        return false;
    for (uint32_t i = 0; i < avatar->mesh_count; i++) {
        meshes[i] = avatar->meshes[i];
        if (!paint(avatar, &meshes[i], avatar->lad->meshes[avatar->numbers[i]].type))
            return false;
    }
    *character = (struct pose_character){.name = SL_AVATAR, .type = "avatar", .extras = describe(avatar)};
    job->document->skeletons = avatar->skeleton;
    job->document->skeleton_count = 1;
    job->document->meshes = meshes;
    job->document->mesh_count = avatar->mesh_count;
    job->document->characters = character;
    job->document->character_count = 1;
    return !job->arena->failed;
}

static bool decode(struct decode_job *job)
{
    struct avatar avatar = {.job = job, .lad = lad_read(job, job->source->bytes)};
    return avatar.lad && read_skeleton(&avatar) && read_meshes(&avatar) && fill(&avatar);
}

const struct codec codec_sl_lad = {
    .format = {.id = "sl-lad",
               .title = "Second Life avatar",
               .extensions = EXTENSIONS,
               .media_type = "application/xml",
               .kinds = "character mesh skeleton",
               .has_companions = true},
    .probe = probe,
    .decode = decode,
};
