/*
 * The Sims 1: a deformable mesh as text (.skn). Lines end CR LF; the first is the mesh's name, the second its texture
 * ("x": none), then the body of sims_mesh.h, in which a blend is its vertex and then its weight. Numbers come from an
 * old C library ("-5.88894e-005"). Checked on 12 real files.
 */
#include "lib/formats/sims_mesh.h"

#include "lib/core/text.h"

#define EXTENSIONS ".skn"

static enum probe_result probe(const struct pose_source *source)
{
    struct reader reader;
    struct mesh_source walk;
    struct pose_mesh mesh = {0};
    reader_init(&reader, source->bytes, NULL);
    mesh_source_init(&walk, &mesh_encoding_text, &reader, NULL);
    if (mesh_read_names(&walk, &mesh) && mesh_walk(&walk) && lines_at_end(&walk.lines))
        return PROBE_SURE;
    return source->name && text_has_extension(source->name, EXTENSIONS) ? PROBE_NAME : PROBE_NO;
}

static bool decode(struct decode_job *job)
{
    struct reader reader;
    struct mesh_source source;
    struct pose_mesh *mesh = ARENA_NEW(job->arena, struct pose_mesh, 1);
    reader_init(&reader, job->source->bytes, job->error);
    mesh_source_init(&source, &mesh_encoding_text, &reader, job->arena);
    if (!mesh || !mesh_read_names(&source, mesh) || !mesh_decode(job, &source, mesh))
        return false;
    if (!lines_at_end(&source.lines))
        warning_add(&job->warnings, POSE_WARNING, "trailing_lines", reader_offset(&reader),
                    "text follows the last vertex");
    return true;
}

static bool encode(struct encode_job *job)
{
    struct mesh_sink sink = {.encoding = &mesh_encoding_text, .writer = job->writer, .job = job};
    const struct pose_mesh *mesh = mesh_to_encode(job);
    return mesh && mesh_write_names(&sink, mesh) && mesh_write_body(&sink, mesh);
}

const struct codec codec_sims1_skn = {
    .format = {.id = "sims1-skn",
               .title = "The Sims mesh, text",
               .extensions = EXTENSIONS,
               .media_type = "text/plain",
               .kinds = "mesh"},
    .probe = probe,
    .decode = decode,
    .encode = encode,
    .named_after_file = true,
};
