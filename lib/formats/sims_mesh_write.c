/* A mesh of The Sims family into one of its encodings: the way back of sims_mesh.c. */
#include "lib/formats/sims_mesh.h"

#include "lib/core/text.h"

#include <string.h>

const struct pose_mesh *mesh_to_encode(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    if (!content->mesh_count) {
        error_set(job->error, POSE_BAD_ARGUMENT, "no_mesh", "there is no mesh to write");
        return NULL;
    }
    if (content->meshes[0].axes != POSE_AXES_SIMS) {
        error_set(job->error, POSE_BAD_ARGUMENT, "foreign_axes",
                  "the mesh is not in the axes of The Sims, and its bone space cannot be turned");
        return NULL;
    }
    if (content->mesh_count > 1)
        encode_warn(job, "meshes_dropped", "the file holds one mesh; %u more are left out",
                    content->mesh_count - 1);
    if (content->clip_count || content->skeleton_count || content->character_count)
        encode_warn(job, "content_dropped", "the file holds a mesh alone; clips and skeletons are left out");
    return &content->meshes[0];
}

static bool write_text(struct mesh_sink *sink, const char *text)
{
    size_t length = strlen(text);
    uint8_t *bytes = arena_alloc(sink->job->arena, length + 1, 1);
    int64_t size = bytes ? text_to_windows1252(text, bytes, length) : 0;
    if (size < 0)
        return error_set(sink->job->error, POSE_BAD_ARGUMENT, "text_not_encodable",
                         "\"%s\" has characters that Windows-1252 lacks", text);
    return bytes && sink->encoding->write_text(sink, bytes, (size_t)size);
}

bool mesh_write_names(struct mesh_sink *sink, const struct pose_mesh *mesh)
{
    return write_text(sink, mesh->name ? mesh->name : "") &&
           write_text(sink, mesh->texture ? mesh->texture : "x");
}

static void write_bindings(struct mesh_sink *sink, const struct pose_mesh *mesh)
{
    sink->encoding->write_count(sink, mesh->binding_count);
    for (uint32_t i = 0; i < mesh->binding_count; i++) {
        const struct pose_binding *binding = &mesh->bindings[i];
        const int32_t row[5] = {(int32_t)binding->bone, (int32_t)binding->first, (int32_t)binding->count,
                                binding->blend_count ? (int32_t)binding->blend_first : -1,
                                (int32_t)binding->blend_count};
        sink->encoding->write_integers(sink, row, 5);
    }
}

static void write_blends(struct mesh_sink *sink, const struct pose_mesh *mesh)
{
    sink->encoding->write_count(sink, mesh->blend_count);
    for (uint32_t i = 0; i < mesh->blend_count; i++) {
        int32_t vertex = (int32_t)mesh->blends[i].vertex, weight = mesh->blends[i].weight;
        const int32_t row[2] = {sink->encoding->weight_first ? weight : vertex,
                                sink->encoding->weight_first ? vertex : weight};
        sink->encoding->write_integers(sink, row, 2);
    }
}

static void write_vertices(struct mesh_sink *sink, const struct pose_mesh *mesh)
{
    uint32_t count = mesh->real_count + mesh->blend_count;
    sink->encoding->write_count(sink, count);
    for (uint32_t i = 0; i < count; i++) {
        float row[6];
        memcpy(row, mesh->positions[i], sizeof mesh->positions[i]);
        memcpy(row + 3, mesh->normals[i], sizeof mesh->normals[i]);
        sink->encoding->write_floats(sink, row, 6);
    }
}

bool mesh_write_body(struct mesh_sink *sink, const struct pose_mesh *mesh)
{
    const struct mesh_encoding *encoding = sink->encoding;
    encoding->write_count(sink, mesh->bone_count);
    for (uint32_t i = 0; i < mesh->bone_count; i++) {
        if (!write_text(sink, mesh->bones[i]))
            return false;
    }
    encoding->write_count(sink, mesh->face_count);
    for (uint32_t i = 0; i < mesh->face_count; i++) {
        const int32_t row[3] = {(int32_t)mesh->faces[i][0], (int32_t)mesh->faces[i][1],
                                (int32_t)mesh->faces[i][2]};
        encoding->write_integers(sink, row, 3);
    }
    write_bindings(sink, mesh);
    encoding->write_count(sink, mesh->real_count);
    for (uint32_t i = 0; i < mesh->real_count; i++)
        encoding->write_floats(sink, mesh->uvs[i], 2);
    write_blends(sink, mesh);
    write_vertices(sink, mesh);
    return true;
}
