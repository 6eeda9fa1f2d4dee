/*
 * The Sims 1: a deformable mesh in binary (.bmf), little-endian. The mesh's name, its texture ("x": none), then the
 * body of sims_mesh.h, in which a blend is its weight and then its vertex. No magic number and no version. No real
 * file could be had: the layout is another decoder's, the fields are those of .skn.
 */
#include "lib/formats/sims_mesh.h"

#include "lib/core/text.h"

#define EXTENSIONS ".bmf"

static enum probe_result probe(const struct pose_source *source)
{
    struct reader reader;
    struct mesh_source walk;
    struct pose_mesh mesh = {0};
    reader_init(&reader, source->bytes, NULL);
    mesh_source_init(&walk, &mesh_encoding_little_endian, &reader, NULL);
    if (mesh_read_names(&walk, &mesh) && mesh_walk(&walk) && !reader_left(&reader))
        return PROBE_SURE;
    return source->name && text_has_extension(source->name, EXTENSIONS) ? PROBE_NAME : PROBE_NO;
}

static bool decode(struct decode_job *job)
{
    struct reader reader;
    struct mesh_source source;
    struct pose_mesh *mesh = ARENA_NEW(job->arena, struct pose_mesh, 1);
    reader_init(&reader, job->source->bytes, job->error);
    mesh_source_init(&source, &mesh_encoding_little_endian, &reader, job->arena);
    if (!mesh || !mesh_read_names(&source, mesh) || !mesh_decode(job, &source, mesh))
        return false;
    mesh_warn_trailing(job, &reader);
    return true;
}

static bool encode(struct encode_job *job)
{
    struct mesh_sink sink = {.encoding = &mesh_encoding_little_endian, .writer = job->writer, .job = job};
    const struct pose_mesh *mesh = mesh_to_encode(job);
    return mesh && mesh_write_names(&sink, mesh) && mesh_write_body(&sink, mesh);
}

const struct codec codec_sims1_bmf = {
    .format = {.id = "sims1-bmf",
               .title = "The Sims mesh, binary",
               .extensions = EXTENSIONS,
               .media_type = "application/x-sims1-bmf",
               .kinds = "mesh"},
    .probe = probe,
    .decode = decode,
    .encode = encode,
    .named_after_file = true,
};
