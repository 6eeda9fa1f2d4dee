/* Meshes in the formats of games: a codec makes a mesh fit, its encoder writes it, and what lies beside it follows. */
#include "lib/core/error.h"
#include "lib/formats/table.h"

#include <stdio.h>
#include <string.h>

void pose_mesh_files_free(struct pose_mesh_files *files)
{
    for (uint32_t i = 0; i < files->count; i++)
        pose_buffer_free(&files->files[i].bytes);
    files->count = 0;
}

/* One call of pose_mesh_convert. */
struct mesh_call {
    struct fit_job job;
    const struct codec *codec;
    const struct pose_options *options;
    struct pose_mesh_files *files;
};

/* Appends a file with the contents that are to be encoded. */
static bool add_encoded(struct mesh_call *call, const char *name, const char *format,
                        const struct pose_content *content)
{
    struct pose_mesh_file *file = &call->files->files[call->files->count];
    *file = (struct pose_mesh_file){.bytes.allocator = call->job.arena->allocator};
    snprintf(file->name, sizeof file->name, "%s", name);
    if (!pose_encode(format, content, call->options, call->job.warn, call->job.user, &file->bytes,
                     call->job.error))
        return false;
    call->files->count++;
    return true;
}

static bool add_beside(struct mesh_call *call, struct fit_file *beside)
{
    if (!beside->format) {
        struct pose_mesh_file *file = &call->files->files[call->files->count++];
        *file = (struct pose_mesh_file){.bytes = beside->bytes};
        snprintf(file->name, sizeof file->name, "%s", beside->name);
        beside->bytes = (struct pose_buffer){0};
        return true;
    }
    beside->content.settings = call->job.conversion->settings;
    return add_encoded(call, beside->name, beside->format, &beside->content);
}

static bool write_files(struct mesh_call *call)
{
    const struct pose_content content = {
        .mesh_count = 1, .meshes = &call->job.fitted, .settings = call->job.conversion->settings};
    bool done = add_encoded(call, call->job.file, call->codec->format.id, &content);
    for (uint32_t i = 0; done && i < call->job.beside_count; i++)
        done = add_beside(call, &call->job.beside[i]);
    for (uint32_t i = 0; i < call->job.beside_count; i++)
        pose_buffer_free(&call->job.beside[i].bytes);
    return done;
}

bool pose_mesh_convert(const struct pose_mesh_conversion *conversion, const struct pose_options *options,
                       pose_warn *warn, void *user, struct pose_mesh_files *files, struct pose_error *error)
{
    struct pose_error local;
    struct arena arena;
    error = error ? error : &local;
    pose_error_init(error);
    files->count = 0;
    const struct codec *codec = conversion->to ? codec_find(conversion->to) : NULL;
    if (!codec || !codec->fit)
        return error_set(error, POSE_BAD_ARGUMENT, "unknown_format", "meshes cannot be written as \"%.60s\"",
                         conversion->to ? conversion->to : "");
    arena_init(&arena, options ? options->allocator : NULL, options ? options->limits.memory : 0, error);
    arena.stop = options ? options->stop : NULL;
    const char *name = conversion->name ? conversion->name : conversion->mesh->name;
    struct mesh_call call = {.job = {.conversion = conversion,
                                     .name = name && *name ? name : "mesh",
                                     .arena = &arena,
                                     .error = error,
                                     .warn = warn,
                                     .user = user},
                             .codec = codec,
                             .options = options,
                             .files = files};
    bool done = codec->fit(&call.job) && !arena.failed && write_files(&call);
    if (!done) {
        error_set(error, POSE_BAD_DATA, "bad_data", "the mesh cannot be converted to that format");
        for (uint32_t i = 0; i < call.job.beside_count; i++)
            pose_buffer_free(&call.job.beside[i].bytes);
        pose_mesh_files_free(files);
    }
    arena_release(&arena);
    return done;
}
