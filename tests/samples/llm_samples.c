#include "tests/samples/llm_samples.h"

#include "tests/samples/output.h"
#include "tests/support/llm_files.h"

bool write_llm_samples(const char *root)
{
    struct sl_file body = {0}, lod = {0};
    llm_put_body(&body);
    llm_put_lod(&lod);
    struct made files[2] = {{.name = "sample.llm", .bytes = body.bytes},
                            {.name = "sample_1.llm", .bytes = lod.bytes}};
    bool done = write_made(root, "sl-llm", files, 2);
    free_made(files, 2);
    return done;
}
