#include "tests/samples/body_samples.h"

#include "tests/samples/output.h"
#include "tests/support/dds_files.h"
#include "tests/support/geom_files.h"
#include "tests/support/llm_files.h"

/* The parts of a sim: a mesh, what lists meshes, what a sim wears. */
static bool write_parts(const char *root)
{
    struct sl_file mesh = {0}, list = {0}, part = {0};
    sl_put(&mesh, geom_example, sizeof geom_example);
    vpxy_put_sample(&list);
    sl_put(&part, casp_example, sizeof casp_example);
    struct made files[3] = {{.name = "sample.simgeom", .bytes = mesh.bytes},
                            {.name = "sample.vpxy", .bytes = list.bytes},
                            {.name = "sample.casp", .bytes = part.bytes}};
    bool done = write_made(root, "sims3-geom", &files[0], 1) &&
                write_made(root, "sims3-vpxy", &files[1], 1) && write_made(root, "sims3-casp", &files[2], 1);
    free_made(files, 3);
    return done;
}

bool write_body_samples(const char *root)
{
    struct sl_file body = {0}, lod = {0}, texture = {0};
    llm_put_body(&body);
    llm_put_lod(&lod);
    dds_put_sample(&texture);
    struct made meshes[2] = {{.name = "sample.llm", .bytes = body.bytes},
                             {.name = "sample_1.llm", .bytes = lod.bytes}};
    struct made textures[1] = {{.name = "sample.dds", .bytes = texture.bytes}};
    bool done = write_made(root, "sl-llm", meshes, 2) && write_made(root, "sims3-dds", textures, 1) &&
                write_parts(root);
    free_made(meshes, 2);
    free_made(textures, 1);
    return done;
}
