#include "tests/support/exercise/exercise.h"

#include "tests/support/document_content.h"
#include "tests/support/exercise/promises.h"
#include "tests/support/one_clip.h"

#include <stdarg.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A file that decodes to thousands of clips or entries is tried on its first few. */
enum { MAX_CLIPS = 4, MAX_ENTRIES = 64 };

void exercise_complain(struct exercise *exercise, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    exercise->complain(exercise->user, message);
}

bool format_is_archive(const char *id)
{
    const struct pose_format *format = id ? pose_format_find(id) : NULL;
    return format && strstr(format->kinds, "archive");
}

const char *exact_format(const struct pose_source *source)
{
    const char *id = pose_detect(source);
    if (!format_is_archive(id))
        return id;
    struct pose_archive *archive = pose_archive_open(source, NULL, NULL);
    const struct pose_format *format = archive ? pose_format_find(pose_archive_format(archive)) : NULL;
    pose_archive_close(archive);
    return format ? format->id : id;
}

void exercise_open(struct exercise *exercise)
{
    /* Small enough that a file which asks for the moon is seen to be refused. */
    exercise->limits = (struct pose_limits){
        .memory = (size_t)64 << 20, .keys = (uint64_t)1 << 18, .unpacked = (uint64_t)16 << 20};
    exercise->stand_in_count = 0;
    for (unsigned i = 0; i < 8 && pose_stand_in_name(i); i++) {
        struct pose_document *document = pose_stand_in(i, NULL, NULL);
        if (document)
            exercise->stand_ins[exercise->stand_in_count++] = document;
    }
}

void exercise_close(struct exercise *exercise)
{
    while (exercise->stand_in_count)
        pose_document_free(exercise->stand_ins[--exercise->stand_in_count]);
}

/* The options of the next call; what is refused from here on is its own. */
static struct pose_options begin(struct exercise *exercise)
{
    exercise->memory->refused = false;
    return (struct pose_options){.allocator = &exercise->memory->allocator, .limits = exercise->limits};
}

/* An allocation that was refused must come out as that, and as nothing else. */
static void check_failure(struct exercise *exercise, const char *what, const struct pose_error *error,
                          uint64_t size)
{
    bool refused = exercise->memory->refused;
    if (refused && error->status != POSE_NO_MEMORY)
        exercise_complain(exercise, "%s: memory was refused, the error says %s: %s", what, error->code,
                          error->detail);
    if (!refused && error->status == POSE_NO_MEMORY)
        exercise_complain(exercise, "%s: says that memory is out, and it is not", what);
    check_refusal(exercise, what, error, size);
}

/* ---------------------------------------------------------------------------------------------- sampling -- */

static void sample_at(struct exercise *exercise, const struct pose_sampler *sampler, bool on_skeleton,
                      double t, float *rows, float *morphs, float *matrices)
{
    size_t count = pose_sampler_row_count(sampler);
    for (int wrap = POSE_CLAMP; wrap <= POSE_WRAP; wrap++) {
        pose_sample(sampler, t, (enum pose_wrap)wrap, POSE_MOTION, rows, morphs);
        if (!check_finite(exercise, "pose", rows, 10 * count) ||
            !check_finite(exercise, "morphs", morphs, pose_sampler_morph_count(sampler)))
            return;
        if (!on_skeleton)
            continue;
        pose_model(sampler, rows, matrices);
        if (!check_finite(exercise, "model space", matrices, 16 * count))
            return;
    }
}

static void sample_clip(struct exercise *exercise, const struct pose_clip *clip,
                        const struct pose_skeleton *skeleton, enum pose_axes axes)
{
    struct pose_options options = begin(exercise);
    struct pose_error error;
    struct pose_sampler *sampler = pose_sampler_new(clip, skeleton, axes, &options, &error);
    if (!sampler) {
        check_failure(exercise, "sampler", &error, 0);
        return;
    }
    size_t count = pose_sampler_row_count(sampler), morph_count = pose_sampler_morph_count(sampler);
    /* Blocks of their own, so that one float too many is seen. */
    float *rows = malloc(10 * count * sizeof *rows + 1);
    float *morphs = malloc(morph_count * sizeof *morphs + 1);
    float *matrices = malloc(16 * count * sizeof *matrices + 1);
    const double d = (double)clip->duration, times[] = {0, d, d / 3, -1, 1.7 * d, 1e9};
    for (size_t i = 0; rows && morphs && matrices && i < sizeof times / sizeof *times; i++)
        sample_at(exercise, sampler, skeleton != NULL, times[i], rows, morphs, matrices);
    free(rows);
    free(morphs);
    free(matrices);
    pose_sampler_free(sampler);
}

static const struct pose_skeleton *best_stand_in(const struct exercise *exercise,
                                                 const struct pose_clip *clip)
{
    const struct pose_skeleton *best = NULL;
    uint32_t most = 0;
    for (unsigned i = 0; i < exercise->stand_in_count; i++) {
        const struct pose_skeleton *skeleton = &exercise->stand_ins[i]->skeletons[0];
        uint32_t known = pose_skeleton_match(skeleton, clip);
        if (known > most) {
            most = known;
            best = skeleton;
        }
    }
    return best;
}

static void exercise_clip(struct exercise *exercise, const struct pose_document *document,
                          const struct pose_clip *clip)
{
    const struct pose_skeleton *stand_in = best_stand_in(exercise, clip);
    sample_clip(exercise, clip, NULL, clip->axes);
    sample_clip(exercise, clip, NULL, POSE_AXES_GLTF);
    if (stand_in)
        sample_clip(exercise, clip, stand_in, POSE_AXES_GLTF);
    if (document->skeleton_count)
        sample_clip(exercise, clip, &document->skeletons[0], clip->axes);
    pose_lint_clip(clip, stand_in, check_warning, exercise);
}

/* A broken skeleton is tried with a clip that moves nothing of it. */
static void exercise_skeleton(struct exercise *exercise, const struct pose_skeleton *skeleton)
{
    const struct pose_track track = {.name = "none"};
    const struct pose_clip clip = {.axes = skeleton->axes, .duration = 1, .track_count = 1, .tracks = &track};
    sample_clip(exercise, &clip, skeleton, skeleton->axes);
    sample_clip(exercise, &clip, skeleton, POSE_AXES_GLTF);
    pose_lint_clip(&clip, skeleton, check_warning, exercise);
}

/* ------------------------------------------------------------------------------------------------- skins -- */

static void deform_at_rest(struct exercise *exercise, const struct pose_mesh *mesh,
                           const struct pose_skin *skin, const struct pose_skeleton *skeleton)
{
    size_t count = mesh->real_count, joint_count = skeleton->joint_count;
    float *matrices = calloc(16 * joint_count + 1, sizeof *matrices);
    float(*positions)[3] = malloc(count * sizeof *positions + 1);
    float(*normals)[3] = malloc(count * sizeof *normals + 1);
    void *scratch = malloc(pose_deform_scratch(skin) + 1);
    if (!matrices || !positions || !normals || !scratch)
        abort();
    for (size_t i = 0; i < joint_count; i++) {
        for (size_t k = 0; k < 4; k++)
            matrices[16 * i + 5 * k] = 1;
    }
    pose_deform(skin, matrices, positions, normals, scratch);
    if (count) {
        check_finite(exercise, "deformed positions", positions[0], 3 * count);
        check_finite(exercise, "deformed normals", normals[0], 3 * count);
    }
    free(scratch);
    free(normals);
    free(positions);
    free(matrices);
}

static void exercise_mesh(struct exercise *exercise, const struct pose_mesh *mesh)
{
    for (unsigned i = 0; i < exercise->stand_in_count; i++) {
        const struct pose_skeleton *skeleton = &exercise->stand_ins[i]->skeletons[0];
        struct pose_options options = begin(exercise);
        struct pose_error error;
        struct pose_skin *skin = pose_skin_new(mesh, skeleton, POSE_AXES_GLTF, &options, &error);
        if (!skin) {
            check_failure(exercise, "skin", &error, 0);
            continue;
        }
        deform_at_rest(exercise, mesh, skin, skeleton);
        pose_lint_skin(skin, check_warning, exercise);
        pose_skin_free(skin);
    }
}

/* ------------------------------------------------------------------------------------- there and back -- */

static bool encode(struct exercise *exercise, const char *format, const struct pose_document *document,
                   struct pose_buffer *out)
{
    struct pose_content content = document_content(document);
    struct pose_options options = begin(exercise);
    struct pose_error error;
    if (pose_encode(format, &content, &options, check_warning, exercise, out, &error))
        return true;
    check_failure(exercise, "encode", &error, 0);
    if (out->data || out->size)
        exercise_complain(exercise, "encode: failed and left bytes");
    return false;
}

/* By the rule for writing them, SL's half turns may come out a little too long, and then change by a step each time. */
static bool may_drift(const struct pose_document *document)
{
    return document_warns(document, "overlong_rotation");
}

/* Normals go through the matrices of a skin, which a damaged file may have turned: the last bits of a float may
 * change each time. All other bytes of a GLB, whose chunks lie at multiples of 4, are the same. */
static bool differ_by_rounding(const struct pose_buffer *first, const struct pose_buffer *second)
{
    if (first->size != second->size || first->size % 4 || memcmp(first->data, "glTF", 4) != 0)
        return false;
    for (size_t at = 0; at < first->size; at += 4) {
        float a, b;
        memcpy(&a, first->data + at, sizeof a);
        memcpy(&b, second->data + at, sizeof b);
        if (memcmp(&a, &b, sizeof a) != 0 && !(fabsf(a - b) <= 1e-6f * fmaxf(1, fabsf(a))))
            return false;
    }
    return true;
}

static struct pose_document *decode_again(struct exercise *exercise, const struct pose_format *format,
                                          const struct pose_buffer *written)
{
    struct pose_source source = {.name = exercise->name,
                                 .bytes = {written->data, written->size},
                                 .format = format->id,
                                 .find = exercise->find,
                                 .user = exercise->find_user};
    struct pose_options options = begin(exercise);
    struct pose_error error;
    struct pose_document *again = pose_decode(&source, &options, &error);
    if (!again && !exercise->memory->refused)
        exercise_complain(exercise, "what was encoded is refused: %s", error.detail);
    return again;
}

/* Places that only triangles of no area name go with these when a model of Metroid Prime is read again: the second
 * writing is smaller, and the third is as the second. */
static bool settles(struct exercise *exercise, const struct pose_format *format,
                    const struct pose_buffer *second)
{
    struct pose_buffer third;
    if (strcmp(format->id, "prime-cmdl") != 0)
        return false;
    struct pose_document *again = decode_again(exercise, format, second);
    bool same = false;
    if (again && encode(exercise, format->id, again, &third)) {
        same = third.size == second->size && !memcmp(second->data, third.data, third.size);
        pose_buffer_free(&third);
    }
    pose_document_free(again);
    return same || exercise->memory->refused;
}

/* What was written reads back, and writing that again gives the same bytes. */
static void check_round_trip(struct exercise *exercise, const struct pose_document *document)
{
    const struct pose_format *format = pose_format_find(document->format);
    struct pose_buffer first, second;
    if (!format || !format->can_write || !encode(exercise, format->id, document, &first))
        return;
    struct pose_document *again = decode_again(exercise, format, &first);
    if (again && encode(exercise, format->id, again, &second)) {
        bool same = second.size == first.size && !memcmp(first.data, second.data, first.size);
        if (!same && !may_drift(again) && !differ_by_rounding(&first, &second) &&
            !settles(exercise, format, &second))
            exercise_complain(exercise, "encoding twice gives %zu and %zu bytes, not the same", first.size,
                              second.size);
        pose_buffer_free(&second);
    }
    pose_document_free(again);
    pose_buffer_free(&first);
}

/* ------------------------------------------------------------------------------------------- conversions -- */

/* Prime knows its joints by number: the first ones get some. */
enum { RENAMES = 4 };

static uint32_t make_renames(const struct pose_clip *clip, struct pose_rename *renames)
{
    static const char *const numbers[RENAMES] = {"joint_3", "joint_4", "joint_5", "joint_3"};
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->track_count && count < RENAMES; i++) {
        if (clip->tracks[i].name) {
            renames[count] = (struct pose_rename){clip->tracks[i].name, numbers[count]};
            count++;
        }
    }
    return count;
}

/* A format that holds clips and nothing else, and can be written: the one whose turn it is. */
static const char *target_of_turn(unsigned turn)
{
    const char *targets[64];
    unsigned count = 0;
    for (const struct pose_format *format = pose_formats(); format->id; format++) {
        /* "other": the keys of a skill, which are no file of their own. */
        bool fits = !strcmp(format->kinds, "clip") || !strcmp(format->kinds, "other");
        if (format->can_write && fits && count < 64)
            targets[count++] = format->id;
    }
    return targets[turn % count];
}

/* To one format a clip, whose turn it is: each damaged file would else be converted to all of them. */
static void exercise_conversion(struct exercise *exercise, const struct pose_document *document,
                                const struct pose_clip *clip)
{
    const char *to = target_of_turn(exercise->turn++);
    struct pose_rename renames[RENAMES];
    bool is_numbered = !strcmp(to, "prime-anim");
    struct pose_conversion conversion = {ONE_CLIP(clip, document->format),
                                         .to = to,
                                         .skeleton = best_stand_in(exercise, clip),
                                         .fps = exercise->turn % 7 ? 0 : 12.5f,
                                         .renames = renames,
                                         .rename_count = is_numbered ? make_renames(clip, renames) : 0};
    struct pose_options options = begin(exercise);
    struct pose_error error;
    struct pose_document *baked = pose_bake(&conversion, &options, check_warning, exercise, &error);
    if (!baked) {
        check_failure(exercise, "bake", &error, 0);
        return;
    }
    check_converted(exercise, baked, document);
    struct pose_buffer out;
    if (encode(exercise, conversion.to, baked, &out))
        pose_buffer_free(&out);
    pose_document_free(baked);
}

/* ------------------------------------------------------------------------------------ documents, archives -- */

/* Blocks are a little larger than what was asked for. */
static void check_peak(struct exercise *exercise, uint64_t limit)
{
    if (exercise->memory->peak > limit + limit / 8)
        exercise_complain(exercise, "%zu bytes were held at once, the limit is %llu", exercise->memory->peak,
                          (unsigned long long)limit);
}

static enum exercise_outcome exercise_document(struct exercise *exercise, const struct pose_source *source)
{
    struct pose_options options = begin(exercise);
    struct pose_error error;
    struct pose_document *document = pose_decode(source, &options, &error);
    if (!document) {
        check_failure(exercise, "decode", &error, source->bytes.size);
        return EXERCISE_REFUSED;
    }
    check_peak(exercise, exercise->limits.memory);
    check_document(exercise, document);
    for (uint32_t i = 0; i < document->clip_count && i < MAX_CLIPS; i++)
        exercise_clip(exercise, document, &document->clips[i]);
    if (document->clip_count)
        exercise_conversion(exercise, document, &document->clips[0]);
    for (uint32_t i = 0; i < document->skeleton_count && i < MAX_CLIPS; i++)
        exercise_skeleton(exercise, &document->skeletons[i]);
    for (uint32_t i = 0; i < document->mesh_count && i < MAX_CLIPS; i++)
        exercise_mesh(exercise, &document->meshes[i]);
    pose_lint(document, exercise->name, check_warning, exercise);
    check_round_trip(exercise, document);
    pose_document_free(document);
    return EXERCISE_READ;
}

static void exercise_entry(struct exercise *exercise, const struct pose_archive *archive, uint32_t index,
                           uint64_t size)
{
    const struct pose_entry *entry = pose_archive_entry(archive, index);
    struct pose_buffer bytes;
    struct pose_error error;
    if (!entry->name)
        exercise_complain(exercise, "entry %u has no name", index);
    begin(exercise);
    if (!pose_archive_read_warn(archive, index, check_warning, exercise, &bytes, &error)) {
        check_failure(exercise, "entry", &error, size);
        return;
    }
    if (bytes.size != entry->size)
        exercise_complain(exercise, "entry %u: %llu bytes promised, %zu read", index,
                          (unsigned long long)entry->size, bytes.size);
    pose_buffer_free(&bytes);
}

struct pass {
    struct exercise *exercise;
    uint64_t size;
    uint32_t visited;
};

static void check_warning_of_pass(void *user, const struct pose_warning *warning)
{
    struct pass *pass = user;
    check_warning(pass->exercise, warning);
}

static bool visit_entry(void *user, uint32_t index, struct pose_buffer *bytes, const struct pose_error *error)
{
    struct pass *pass = user;
    (void)bytes;
    if (error)
        check_failure(pass->exercise, "pass", error, pass->size);
    (void)index;
    return ++pass->visited < MAX_ENTRIES;
}

static enum exercise_outcome exercise_archive(struct exercise *exercise, const struct pose_source *source)
{
    struct pose_options options = begin(exercise);
    struct pose_error error;
    struct pose_archive *archive = pose_archive_open(source, &options, &error);
    if (!archive) {
        check_failure(exercise, "open", &error, source->bytes.size);
        return EXERCISE_REFUSED;
    }
    for (uint32_t i = 0; i < pose_archive_count(archive) && i < MAX_ENTRIES; i++)
        exercise_entry(exercise, archive, i, source->bytes.size);
    for (uint32_t i = 0; i < pose_archive_warning_count(archive); i++)
        check_warning(exercise, pose_archive_warning(archive, i));
    struct pass pass = {.exercise = exercise, .size = source->bytes.size};
    begin(exercise);
    pose_archive_each(
        archive, &(struct pose_pass){.visit = visit_entry, .warn = check_warning_of_pass, .user = &pass});
    if (pass.visited < pose_archive_count(archive) && pass.visited < MAX_ENTRIES)
        exercise_complain(exercise, "a pass visits %u of %u entries", pass.visited,
                          pose_archive_count(archive));
    check_peak(exercise, exercise->limits.memory + exercise->limits.unpacked);
    pose_archive_close(archive);
    return EXERCISE_READ;
}

/* Whoever asks for companions says so in the table of formats. */
static bool find_promised(void *user, const char *name, struct pose_bytes *bytes)
{
    struct exercise *exercise = user;
    const struct pose_format *format = exercise->asking ? pose_format_find(exercise->asking) : NULL;
    if (format && !format->has_companions)
        exercise_complain(exercise, "%s asks for a companion, its row says that it has none", format->id);
    return exercise->find && exercise->find(exercise->find_user, name, bytes);
}

enum exercise_outcome exercise_bytes(struct exercise *exercise, struct pose_bytes bytes)
{
    exercise->memory->peak = exercise->memory->held;
    uint8_t *copy = malloc(bytes.size ? bytes.size : 1);
    if (!copy)
        abort();
    if (bytes.size)
        memcpy(copy, bytes.data, bytes.size);
    struct pose_source source = {.name = exercise->name,
                                 .bytes = {copy, bytes.size},
                                 .format = exercise->format,
                                 .find = find_promised,
                                 .user = exercise};
    const char *format = exercise->format ? exercise->format : pose_detect(&source);
    exercise->asking = format;
    enum exercise_outcome outcome = format_is_archive(format) ? exercise_archive(exercise, &source)
                                                              : exercise_document(exercise, &source);
    if (exercise->memory->blocks)
        exercise_complain(exercise, "%llu blocks of %zu bytes are not given back",
                          (unsigned long long)exercise->memory->blocks, exercise->memory->held);
    free(copy);
    return outcome;
}
