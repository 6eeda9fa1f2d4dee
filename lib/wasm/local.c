#include "lib/wasm/local.h"

#include "lib/core/error.h"
#include "lib/wasm/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Floats of a series, at most. */
#define MOST_FLOATS ((size_t)32 << 20)

static struct bundle bundle;
static struct player player;
static struct pose_buffer text;

static void forget_text(void)
{
    pose_buffer_free(&text);
    text = (struct pose_buffer){0};
}

static bool fail(const struct pose_error *error)
{
    struct json_writer json;
    forget_text();
    jsonw_init(&json, &text);
    jsonw_object(&json, NULL);
    jsonw_error_members(&json, error);
    jsonw_end(&json);
    return false;
}

static void stop_playing(void)
{
    player_free(&player);
}

void *local_alloc(size_t size)
{
    return malloc(size ? size : 1);
}

bool local_add(char *name, uint8_t *bytes, size_t size)
{
    struct pose_error error;
    struct pose_buffer buffer = {.data = bytes, .size = size, .capacity = size ? size : 1};
    pose_error_init(&error);
    return bundle_add(&bundle, name, &buffer, 0, &error) || fail(&error);
}

bool local_open(void)
{
    struct pose_error error;
    pose_error_init(&error);
    forget_text();
    if (!bundle_scan(&bundle, &error))
        return fail(&error);
    bundle_describe(&bundle, &text);
    return text.size || (error_no_memory(&error), fail(&error));
}

bool local_play(uint32_t clip, int32_t skeleton, enum pose_axes axes)
{
    struct pose_error error;
    pose_error_init(&error);
    forget_text();
    stop_playing();
    if ((unsigned)axes > POSE_AXES_Z_UP)
        error_set(&error, POSE_BAD_ARGUMENT, "bad_axes", "there are no axes %d", (int)axes);
    else if (player_load(&player, &bundle, clip, skeleton, &error) && player_compile(&player, axes, &error)) {
        player_describe(&player, &text);
        return true;
    }
    stop_playing();
    return fail(&error);
}

uint32_t local_row_count(void)
{
    return player.sampler ? pose_sampler_row_count(player.sampler) : 0;
}

uint32_t local_morph_count(void)
{
    return player.sampler ? pose_sampler_morph_count(player.sampler) : 0;
}

const float *local_sample(double t, enum pose_wrap wrap, unsigned flags)
{
    if (!player.sampler || !isfinite(t))
        return NULL;
    pose_sample(player.sampler, t, wrap, flags, player.rows, player.rows + (size_t)local_row_count() * 10);
    return player.rows;
}

const float *local_series(double start, double step, uint32_t count, enum pose_wrap wrap, unsigned flags)
{
    const size_t each = (size_t)local_row_count() * 10;
    if (!each || !count || count > MOST_FLOATS / each || !isfinite(start + step * count))
        return NULL;
    free(player.series);
    player.series = malloc(each * count * sizeof *player.series);
    for (uint32_t i = 0; player.series && i < count; i++)
        pose_sample(player.sampler, start + step * i, wrap, flags, player.series + each * i, NULL);
    return player.series;
}

const float *local_model(void)
{
    if (!player.sampler || !player.skeleton)
        return NULL;
    pose_model(player.sampler, player.rows, player.matrices);
    return player.matrices;
}

bool local_glb(uint32_t clip, int32_t skeleton)
{
    struct player drawn;
    struct pose_error error;
    pose_error_init(&error);
    forget_text();
    bool done = player_load(&drawn, &bundle, clip, skeleton, &error) && player_glb(&drawn, &text, &error);
    player_free(&drawn);
    return done || fail(&error);
}

const uint8_t *local_text(void)
{
    return text.data;
}

size_t local_text_size(void)
{
    return text.size;
}

void local_close(void)
{
    stop_playing();
    forget_text();
    bundle_free(&bundle);
}
