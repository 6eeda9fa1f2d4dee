/*
 * native_poses FILE...: what lib/wasm says of each file, natively: for each clip, on the skeleton that fits and on none, the
 * poses at MOMENTS times as raw floats, each block after a line "NAME clip skeleton floats". local.test.mjs expects the same
 * bytes of the WebAssembly module.
 */
#include "lib/wasm/local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOMENTS = 23 };

bool local_ask(void)
{
    return false;
}

static void put_poses(const char *name, uint32_t clip, int32_t skeleton)
{
    if (!local_play(clip, skeleton, POSE_AXES_GLTF))
        return;
    const float *floats = local_series(-0.1, 0.0731, MOMENTS, POSE_WRAP, POSE_MOTION);
    size_t count = floats ? (size_t)MOMENTS * local_row_count() * 10 : 0;
    printf("%s %u %d %zu\n", name, clip, skeleton, count);
    fwrite(floats, sizeof *floats, count, stdout);
}

static bool read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        return false;
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = local_alloc((size_t)size);
    bool whole = bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    return whole ? local_add(strdup(name), bytes, (size_t)size) : (free(bytes), false);
}

int main(int count, char **names)
{
    for (int i = 1; i < count; i++) {
        if (read_file(names[i]) && local_open()) {
            for (uint32_t clip = 0; clip < 50; clip++) {
                put_poses(names[i], clip, LOCAL_AUTO);
                put_poses(names[i], clip, LOCAL_NONE);
            }
        }
        local_close();
    }
    return 0;
}
