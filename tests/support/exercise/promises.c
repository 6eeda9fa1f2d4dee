#include "tests/support/exercise/promises.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_one_line(const char *text)
{
    if (!*text)
        return false;
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20)
            return false;
    }
    return true;
}

/* Where an error's offset lies: in the companion whose name its field begins with, else in the file of that size. */
static uint64_t size_at_fault(const struct exercise *exercise, const struct pose_error *error, uint64_t size)
{
    for (const char *dot = strchr(error->field, '.'); dot && exercise->find; dot = strchr(dot + 1, '.')) {
        char name[sizeof error->field];
        struct pose_bytes bytes;
        snprintf(name, sizeof name, "%.*s", (int)(dot - error->field), error->field);
        if (exercise->find(exercise->find_user, name, &bytes))
            return bytes.size;
    }
    return size;
}

void check_refusal(struct exercise *exercise, const char *what, const struct pose_error *error, uint64_t size)
{
    uint64_t whole = size_at_fault(exercise, error, size);
    bool has_offset = error->offset != POSE_NO_OFFSET;
    if (error->status == POSE_OK)
        exercise_complain(exercise, "%s: refused without an error", what);
    if (!is_one_line(error->code) || !is_one_line(error->detail))
        exercise_complain(exercise, "%s: refused as \"%s\" with the detail \"%s\"", what, error->code,
                          error->detail);
    if (error->status == POSE_BAD_DATA && size && !has_offset && !error->line && error->field[0] != '/')
        exercise_complain(exercise, "%s: neither offset nor line nor pointer: %s: %s", what, error->code,
                          error->detail);
    if (error->status == POSE_OVER_LIMIT && !*error->limit)
        exercise_complain(exercise, "%s: over a limit without its name: %s", what, error->detail);
    if (has_offset && error->offset > whole)
        exercise_complain(exercise, "%s: offset %llu lies past the %llu bytes: %s", what,
                          (unsigned long long)error->offset, (unsigned long long)whole, error->detail);
}

bool check_finite(struct exercise *exercise, const char *what, const float *numbers, size_t count)
{
    for (size_t i = 0; numbers && i < count; i++) {
        if (!isfinite(numbers[i])) {
            exercise_complain(exercise, "%s: number %zu of %zu is %f", what, i, count, (double)numbers[i]);
            return false;
        }
    }
    return true;
}

void check_warning(void *user, const struct pose_warning *warning)
{
    if (!is_one_line(warning->code) || !is_one_line(warning->message))
        exercise_complain(user, "warning \"%s\": \"%s\"", warning->code, warning->message);
}

static void check_warnings(struct exercise *exercise, const struct pose_warning *warnings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        check_warning(exercise, &warnings[i]);
}

/* Trees that libpose builds are a few levels deep whatever the file says. */
enum { MAX_DEPTH = 64 };

static void check_values(struct exercise *exercise, const struct pose_value *value, int depth)
{
    if (depth > MAX_DEPTH) {
        exercise_complain(exercise, "extras are nested more than %d deep", MAX_DEPTH);
        return;
    }
    for (; value; value = value->next) {
        if (value->kind == POSE_FLOAT && !isfinite(value->as.number))
            exercise_complain(exercise, "%s in the extras is %f", value->key ? value->key : "an item",
                              (double)value->as.number);
        if (value->kind == POSE_STRING && !value->as.string)
            exercise_complain(exercise, "a string of the extras is NULL");
        if (value->kind == POSE_ARRAY || value->kind == POSE_OBJECT)
            check_values(exercise, value->first, depth + 1);
    }
}

/* Visits every node, and writes the tree, as every answer does. */
static void check_value(struct exercise *exercise, const struct pose_value *value)
{
    if (!value)
        return;
    check_values(exercise, value, 0);
    struct pose_buffer text = {0};
    if (!pose_json_value(&text, value))
        exercise_complain(exercise, "extras cannot be written");
    pose_buffer_free(&text);
}

static bool list_has(const struct pose_warning *warnings, uint32_t count, const char *code)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!strcmp(warnings[i].code, code))
            return true;
    }
    return false;
}

bool document_warns(const struct pose_document *document, const char *code)
{
    bool found = list_has(document->warnings, document->warning_count, code);
    for (uint32_t i = 0; i < document->clip_count; i++)
        found |= list_has(document->clips[i].warnings, document->clips[i].warning_count, code);
    return found;
}

static void check_channel(struct exercise *exercise, const char *joint, int part,
                          const struct pose_channel *channel, float duration, bool may_leave)
{
    static const uint32_t components[POSE_PART_COUNT] = {3, 4, 3, 1};
    check_finite(exercise, "times", channel->times, channel->count);
    check_finite(exercise, "values", channel->values, (size_t)channel->count * components[part]);
    for (uint32_t i = 0; i < channel->count; i++) {
        bool outside = channel->times[i] < 0 || channel->times[i] > duration;
        if ((outside && !may_leave) || (i && channel->times[i] <= channel->times[i - 1])) {
            exercise_complain(exercise, "%s: key %u at %f of %f s", joint, i, (double)channel->times[i],
                              (double)duration);
            return;
        }
    }
}

static void check_events(struct exercise *exercise, const struct pose_event *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        check_finite(exercise, "event", &events[i].time, 1);
        check_value(exercise, events[i].fields);
        if (!events[i].type || (i && events[i].time < events[i - 1].time))
            exercise_complain(exercise, "event %u has no type or comes too late", i);
    }
}

static void check_clip(struct exercise *exercise, const struct pose_clip *clip, bool may_leave)
{
    const float numbers[] = {clip->duration, clip->fps, clip->loop_in, clip->loop_out};
    check_finite(exercise, "clip", numbers, sizeof numbers / sizeof *numbers);
    if (clip->duration < 0)
        exercise_complain(exercise, "the clip lasts %f s", (double)clip->duration);
    uint64_t keys = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        check_value(exercise, track->extras);
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            check_channel(exercise, track->name ? track->name : "track", part, &track->channels[part],
                          clip->duration, may_leave);
            keys += track->channels[part].count;
        }
    }
    if (keys != clip->key_count)
        exercise_complain(exercise, "key_count %llu, %llu keys", (unsigned long long)clip->key_count,
                          (unsigned long long)keys);
    check_events(exercise, clip->events, clip->event_count);
    check_value(exercise, clip->extras);
    check_warnings(exercise, clip->warnings, clip->warning_count);
}

static void check_skeleton(struct exercise *exercise, const struct pose_skeleton *skeleton)
{
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        check_finite(exercise, "rest translation", joint->translation, 3);
        check_finite(exercise, "rest rotation", joint->rotation, 4);
        check_finite(exercise, "rest scale", joint->scale, 3);
        check_value(exercise, joint->extras);
        if (joint->parent < -1 || joint->parent >= (int32_t)i)
            exercise_complain(exercise, "joint %u has the parent %d", i, joint->parent);
        if (skeleton->file_order && skeleton->file_order[i] >= skeleton->joint_count)
            exercise_complain(exercise, "file_order[%u] is %u", i, skeleton->file_order[i]);
    }
    if (skeleton->root_joint < -1 || skeleton->root_joint >= (int32_t)skeleton->joint_count)
        exercise_complain(exercise, "root_joint is %d", skeleton->root_joint);
    check_value(exercise, skeleton->extras);
    check_warnings(exercise, skeleton->warnings, skeleton->warning_count);
}

static void check_mesh(struct exercise *exercise, const struct pose_mesh *mesh)
{
    size_t vertices = (size_t)mesh->real_count + mesh->blend_count;
    if (vertices)
        check_finite(exercise, "positions", mesh->positions[0], 3 * vertices);
    if (vertices && mesh->normals)
        check_finite(exercise, "normals", mesh->normals[0], 3 * vertices);
    if (mesh->real_count && mesh->uvs)
        check_finite(exercise, "uvs", mesh->uvs[0], 2 * (size_t)mesh->real_count);
    for (uint32_t i = 0; i < mesh->face_count; i++) {
        for (int corner = 0; corner < 3; corner++) {
            if (mesh->faces[i][corner] >= mesh->real_count)
                exercise_complain(exercise, "faces[%u] names vertex %u of %u", i, mesh->faces[i][corner],
                                  mesh->real_count);
        }
    }
    for (uint32_t i = 0; i < mesh->blend_count; i++) {
        if (mesh->blends[i].vertex >= mesh->real_count)
            exercise_complain(exercise, "blends[%u] names vertex %u", i, mesh->blends[i].vertex);
    }
    for (uint32_t i = 0; i < mesh->binding_count; i++) {
        const struct pose_binding *binding = &mesh->bindings[i];
        if (binding->bone >= mesh->bone_count ||
            (uint64_t)binding->first + binding->count > mesh->real_count ||
            (uint64_t)binding->blend_first + binding->blend_count > mesh->blend_count)
            exercise_complain(exercise, "bindings[%u] lies outside of the mesh", i);
    }
    check_value(exercise, mesh->extras);
    check_warnings(exercise, mesh->warnings, mesh->warning_count);
}

void check_converted(struct exercise *exercise, const struct pose_document *document,
                     const struct pose_document *from)
{
    bool may_leave = document_warns(from, "key_outside_clip");
    if (!document->format || !document->size)
        exercise_complain(exercise, "the document lacks its format or size");
    for (uint32_t i = 0; i < document->clip_count; i++)
        check_clip(exercise, &document->clips[i], may_leave);
    for (uint32_t i = 0; i < document->skeleton_count; i++)
        check_skeleton(exercise, &document->skeletons[i]);
    for (uint32_t i = 0; i < document->mesh_count; i++)
        check_mesh(exercise, &document->meshes[i]);
    for (uint32_t i = 0; i < document->character_count; i++) {
        check_value(exercise, document->characters[i].extras);
        check_warnings(exercise, document->characters[i].warnings, document->characters[i].warning_count);
    }
    check_events(exercise, document->events, document->event_count);
    check_warnings(exercise, document->warnings, document->warning_count);
}

void check_document(struct exercise *exercise, const struct pose_document *document)
{
    check_converted(exercise, document, document);
}
