/*
 * Clips of The Sims 3: decoding keys against a copy of the same bytes, and out of a package whose entries are RefPack.
 * Every bone of a figure turns, one moves as well: what the tools of modders write.
 */
#include "pose.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACKS = 110, FRAMES = 300, KEYS = (TRACKS + 1) * FRAMES };

/* ------------------------------------------------------------------------------------------------- a clip -- */

struct made {
    struct pose_clip clip;
    struct pose_track tracks[TRACKS];
    float times[FRAMES];
    float turns[TRACKS][FRAMES][4], places[FRAMES][3];
};

/* Every joint sways at its own pace, a quarter of them stands still. */
static void fill_track(struct made *made, int track)
{
    for (int k = 0; k < FRAMES; k++) {
        double angle = track % 4 ? 0.4 * sin(k * (0.02 + 0.001 * track)) : 0.3;
        float *turn = made->turns[track][k];
        turn[0] = (float)(0.6 * sin(angle));
        turn[2] = (float)(0.8 * sin(angle));
        turn[3] = (float)cos(angle);
    }
    made->tracks[track] = (struct pose_track){
        .has_id = true,
        .id = 0x9e3779b9u * (uint32_t)(track + 1),
        .channels[POSE_ROTATION] = {FRAMES, made->times, made->turns[track][0]},
    };
}

static struct made *make_clip(void)
{
    struct made *made = bench_need(calloc(1, sizeof *made));
    for (int k = 0; k < FRAMES; k++) {
        made->times[k] = (float)(k / 30.0);
        made->places[k][1] = 1 + 0.1f * sinf(0.05f * (float)k);
    }
    for (int t = 0; t < TRACKS; t++)
        fill_track(made, t);
    made->tracks[0].channels[POSE_TRANSLATION] = (struct pose_channel){FRAMES, made->times, made->places[0]};
    made->clip = (struct pose_clip){.name = "a_bench_x",
                                    .axes = POSE_AXES_GLTF,
                                    .rules = POSE_RULES_SIMS3,
                                    .duration = (float)((FRAMES - 1) / 30.0),
                                    .fps = 30,
                                    .frame_count = FRAMES,
                                    .track_count = TRACKS,
                                    .tracks = made->tracks,
                                    .key_count = KEYS};
    return made;
}

/* ----------------------------------------------------------------------------------------------- the rows -- */

struct file {
    struct pose_buffer clip, package;
    struct pose_archive *archive;
    uint8_t *copy;
};

static void copy_file(void *subject)
{
    const struct file *file = subject;
    memcpy(file->copy, file->clip.data, file->clip.size);
    bench_use(file->copy);
}

static void decode_bytes(struct pose_bytes bytes)
{
    struct pose_source source = {.bytes = bytes, .format = "sims3-clip"};
    struct pose_document *document = bench_need(pose_decode(&source, NULL, NULL));
    if (document->clips->key_count != KEYS)
        abort();
    pose_document_free(document);
}

static void decode_file(void *subject)
{
    const struct file *file = subject;
    decode_bytes((struct pose_bytes){file->clip.data, file->clip.size});
}

static void read_entry(const struct file *file, struct pose_buffer *bytes)
{
    if (!pose_archive_read(file->archive, 0, bytes, NULL) || bytes->size != file->clip.size)
        abort();
}

static void unpack_entry(void *subject)
{
    struct pose_buffer bytes = {0};
    read_entry(subject, &bytes);
    bench_use(bytes.data);
    pose_buffer_free(&bytes);
}

static void decode_entry(void *subject)
{
    struct pose_buffer bytes = {0};
    read_entry(subject, &bytes);
    decode_bytes((struct pose_bytes){bytes.data, bytes.size});
    pose_buffer_free(&bytes);
}

static void make_files(struct file *file, const struct made *made)
{
    struct pose_content content = {.clip_count = 1, .clips = &made->clip};
    if (!pose_encode("sims3-clip", &content, NULL, NULL, NULL, &file->clip, NULL))
        abort();
    const struct pose_pack_item item = {"a_bench_x.clip", {file->clip.data, file->clip.size}};
    if (!pose_pack("dbpf", &item, 1, NULL, NULL, &file->package, NULL))
        abort();
    const struct pose_source source = {.bytes = {file->package.data, file->package.size}};
    file->archive = bench_need(pose_archive_open(&source, NULL, NULL));
    file->copy = bench_need(malloc(file->clip.size));
}

static void run(void)
{
    struct made *made = make_clip();
    struct file file = {0};
    make_files(&file, made);
    double size = (double)file.clip.size;
    const struct bench_contestant keys[] = {
        {"copy of the file", copy_file, &file, KEYS},
        {"sims3-clip, decode", decode_file, &file, KEYS},
        {"sims3-clip out of a .package, decode", decode_entry, &file, KEYS},
    };
    const struct bench_contestant bytes[] = {
        {"copy of the unpacked bytes", copy_file, &file, size},
        {"an entry of a .package, RefPack", unpack_entry, &file, size},
    };
    bench_compare("110 bones by 300 frames, The Sims 3, keys", "M keys/s", 1e6, keys, 3);
    bench_compare("the same, bytes out", "MB/s", 1e6, bytes, 2);
    pose_archive_close(file.archive);
    pose_buffer_free(&file.clip);
    pose_buffer_free(&file.package);
    free(file.copy);
    free(made);
}

const struct bench_part bench_sims3 = {"sims3", run};
