/*
 * The Sims Online: a deformable mesh (.mesh). Version 2, then the body of sims_mesh.h; integers are big-endian, floats
 * little-endian; a blend is its weight and then its vertex. The mesh has no name and no texture: a binding (.bnd) says
 * them. Checked on 21 real files, all of them made by FreeSO's importer.
 */
#include "lib/formats/sims_mesh.h"

#include "lib/core/text.h"

#define EXTENSIONS ".mesh"

enum { VERSION = 2 };

static enum probe_result probe(const struct pose_source *source)
{
    struct reader reader;
    struct mesh_source walk;
    reader_init(&reader, source->bytes, NULL);
    mesh_source_init(&walk, &mesh_encoding_big_endian, &reader, NULL);
    if (reader_u32be(&reader, "version") == VERSION && mesh_walk(&walk) && !reader_left(&reader))
        return PROBE_SURE;
    return source->name && text_has_extension(source->name, EXTENSIONS) ? PROBE_NAME : PROBE_NO;
}

static bool decode(struct decode_job *job)
{
    struct reader reader;
    struct mesh_source source;
    struct pose_mesh *mesh = ARENA_NEW(job->arena, struct pose_mesh, 1);
    reader_init(&reader, job->source->bytes, job->error);
    mesh_source_init(&source, &mesh_encoding_big_endian, &reader, job->arena);
    uint32_t version = reader_u32be(&reader, "version");
    if (!reader.failed && version != VERSION)
        return reader_fail(&reader, "bad_version", "%u, where %d is known", version, VERSION);
    if (!mesh || !mesh_decode(job, &source, mesh))
        return false;
    mesh_warn_trailing(job, &reader);
    return true;
}

static bool encode(struct encode_job *job)
{
    struct mesh_sink sink = {.encoding = &mesh_encoding_big_endian, .writer = job->writer, .job = job};
    const struct pose_mesh *mesh = mesh_to_encode(job);
    if (!mesh)
        return false;
    if (mesh->texture)
        encode_warn(job, "texture_dropped", "the file has no place for the texture \"%s\"", mesh->texture);
    writer_u32be(job->writer, VERSION);
    return mesh_write_body(&sink, mesh);
}

const struct codec codec_tso_mesh = {
    .format = {.id = "tso-mesh",
               .title = "The Sims Online mesh",
               .extensions = EXTENSIONS,
               .media_type = "application/x-tso-mesh",
               .kinds = "mesh"},
    .probe = probe,
    .decode = decode,
    .encode = encode,
};
