#include "tests/samples/body_samples.h"

#include "tests/samples/output.h"
#include "tests/support/dds_files.h"
#include "tests/support/llm_files.h"

bool write_body_samples(const char *root)
{
    struct sl_file body = {0}, lod = {0}, texture = {0};
    llm_put_body(&body);
    llm_put_lod(&lod);
    dds_put_sample(&texture);
    struct made meshes[2] = {{.name = "sample.llm", .bytes = body.bytes},
                             {.name = "sample_1.llm", .bytes = lod.bytes}};
    struct made textures[1] = {{.name = "sample.dds", .bytes = texture.bytes}};
    bool done = write_made(root, "sl-llm", meshes, 2) && write_made(root, "sims3-dds", textures, 1);
    free_made(meshes, 2);
    free_made(textures, 1);
    return done;
}
