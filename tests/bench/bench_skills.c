/*
 * Skills of The Sims: decoding against a copy of the same bytes. Keys as The Sims 1 packs them are decoded with their
 * skill, which is a few kilobytes of text or of bytes beside them.
 */
#include "pose.h"
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACKS = 29, FRAMES = 1000 };

/* ------------------------------------------------------------------------------------------------ a skill -- */

struct skill {
    struct pose_clip clip;
    struct pose_track tracks[TRACKS];
    char names[TRACKS][8];
    float times[FRAMES];
    float turns[TRACKS][FRAMES][4], places[FRAMES][3];
};

/* Every joint sways at its own pace, a quarter of them stands still, as figures do. */
static void fill_track(struct skill *skill, int track)
{
    for (int k = 0; k < FRAMES; k++) {
        double angle = track % 4 ? 0.4 * sin(k * (0.02 + 0.003 * track)) : 0.3;
        float *turn = skill->turns[track][k];
        turn[0] = (float)(0.6 * sin(angle));
        turn[2] = (float)(0.8 * sin(angle));
        turn[3] = (float)cos(angle);
    }
}

static struct skill *make_skill(void)
{
    struct skill *skill = bench_need(calloc(1, sizeof *skill));
    for (int k = 0; k < FRAMES; k++) {
        skill->times[k] = (float)(k / 30.0);
        skill->places[k][1] = 3 + 0.1f * sinf(0.05f * (float)k);
    }
    for (int t = 0; t < TRACKS; t++) {
        fill_track(skill, t);
        snprintf(skill->names[t], sizeof skill->names[t], "BONE%d", t);
        skill->tracks[t].name = skill->names[t];
        skill->tracks[t].channels[POSE_ROTATION] =
            (struct pose_channel){FRAMES, skill->times, skill->turns[t][0]};
    }
    skill->tracks[0].channels[POSE_TRANSLATION] =
        (struct pose_channel){FRAMES, skill->times, skill->places[0]};
    skill->clip = (struct pose_clip){.name = "a2o-bench",
                                     .axes = POSE_AXES_SIMS,
                                     .rules = POSE_RULES_SIMS,
                                     .duration = (float)(FRAMES / 30.0),
                                     .frame_count = FRAMES,
                                     .track_count = TRACKS,
                                     .tracks = skill->tracks,
                                     .key_count = (TRACKS + 1) * FRAMES};
    return skill;
}

/* -------------------------------------------------------------------------------------------------- files -- */

/* A file and the one beside it. */
struct file {
    const char *format;
    struct pose_buffer bytes, keys;
    uint8_t *copy;
};

static struct pose_buffer encode(const char *format, const struct skill *skill, const char *mode)
{
    struct pose_value value = {.kind = POSE_STRING, .key = "cfp", .as.string = mode};
    struct pose_value settings = {.kind = POSE_OBJECT, .first = &value};
    struct pose_content content = {.clip_count = 1, .clips = &skill->clip, .settings = &settings};
    struct pose_buffer bytes = {0};
    if (!pose_encode(format, &content, NULL, NULL, NULL, &bytes, NULL))
        abort();
    return bytes;
}

static struct file make_file(const char *format, const struct skill *skill, const char *mode)
{
    struct file file = {.format = format, .bytes = encode(format, skill, mode)};
    if (strcmp(format, "tso-anim"))
        file.keys = encode("sims1-cfp", skill, mode);
    file.copy = bench_need(malloc(file.bytes.size + file.keys.size));
    return file;
}

static void free_file(struct file *file)
{
    pose_buffer_free(&file->bytes);
    pose_buffer_free(&file->keys);
    free(file->copy);
}

static double size_of(const struct file *file)
{
    return (double)(file->bytes.size + file->keys.size);
}

/* ----------------------------------------------------------------------------------------------- the rows -- */

static bool find_keys(void *user, const char *name, struct pose_bytes *bytes)
{
    const struct file *file = user;
    (void)name;
    *bytes = (struct pose_bytes){file->keys.data, file->keys.size};
    return true;
}

static void decode_file(void *subject)
{
    struct file *file = subject;
    struct pose_source source = {.bytes = {file->bytes.data, file->bytes.size},
                                 .format = file->format,
                                 .find = find_keys,
                                 .user = file};
    struct pose_document *document = bench_need(pose_decode(&source, NULL, NULL));
    if (document->clips->key_count != (TRACKS + 1) * FRAMES)
        abort();
    pose_document_free(document);
}

static void copy_file(void *subject)
{
    const struct file *file = subject;
    memcpy(file->copy, file->bytes.data, file->bytes.size);
    bench_use(file->copy);
}

/* What a document of these keys costs without looking at any: its memory, asked for, cleared and given back. */
static void make_room(void *subject)
{
    const struct file *file = subject;
    float *room = bench_need(calloc((size_t)TRACKS * FRAMES * 4 + 3 * FRAMES, sizeof *room));
    for (size_t i = 0; i < (size_t)TRACKS * FRAMES * 4; i += 1024)
        room[i] = 1;
    bench_use(room);
    free(room);
    (void)file;
}

static void run(void)
{
    struct skill *skill = make_skill();
    struct file anim = make_file("tso-anim", skill, "compact"),
                text = make_file("sims1-cmx", skill, "compact");
    struct file binary = make_file("sims1-bcf", skill, "compact");
    struct file lossless = make_file("sims1-bcf", skill, "lossless");
    const struct bench_contestant online[] = {
        {"memcpy", copy_file, &anim, size_of(&anim)},
        {"tso-anim, decode", decode_file, &anim, size_of(&anim)},
    };
    const struct bench_contestant packed[] = {
        {"room for the keys", make_room, &binary, size_of(&binary)},
        {"sims1-bcf with .cfp", decode_file, &binary, size_of(&binary)},
        {"sims1-cmx with .cfp", decode_file, &text, size_of(&text)},
    };
    const struct bench_contestant literals[] = {
        {"room for the keys", make_room, &lossless, size_of(&lossless)},
        {"sims1-bcf with .cfp", decode_file, &lossless, size_of(&lossless)},
    };
    bench_compare("29 joints by 1000 frames, The Sims Online", "MB/s", 1e6, online, 2);
    bench_compare("the same of The Sims 1, compact keys, of input", "MB/s", 1e6, packed, 3);
    bench_compare("the same, lossless keys, of input", "MB/s", 1e6, literals, 2);
    free_file(&anim);
    free_file(&text);
    free_file(&binary);
    free_file(&lossless);
    free(skill);
}

const struct bench_part bench_skills = {"skills", run};
