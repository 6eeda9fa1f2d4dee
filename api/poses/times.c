#include "api/poses/times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void times_release(struct times *times)
{
    free(times->items);
    times->items = NULL;
}

double times_at(const struct times *times, size_t i)
{
    if (times->items)
        return times->items[i];
    double t =
        i == times->count - 1 && times->has_final ? times->final : (times->first + (double)i) / times->fps;
    return pose_time_within(times->wrap, times->duration, t);
}

struct asset_id times_digest(struct asset_id digest, const struct times *times)
{
    const double grid[] = {times->fps, (double)times->count, times->first,
                           times->has_final ? times->final : -1};
    return times->items ? id_quick(&digest, times->items, times->count * sizeof *times->items)
                        : id_quick(&digest, grid, sizeof grid);
}

/* Reports that the answer would have more poses than --max-frames allows. */
static bool too_many(struct param_error *error, const char *name, double frames, uint64_t most)
{
    param_fail(error, name, "%.0f frames exceed max-frames, %llu", frames, (unsigned long long)most);
    snprintf(error->limit, sizeof error->limit, "max-frames");
    return false;
}

static bool read_list(const struct api_call *call, const struct pose_request *request, const char *text,
                      struct times *times, struct param_error *error)
{
    size_t commas = 0, most = (size_t)call->service->config->max_frames;
    for (const char *at = text; *at; at++)
        commas += *at == ',';
    if (commas + 1 > most)
        return too_many(error, "t", (double)commas + 1, most);
    times->items = try_alloc(commas + 1, sizeof *times->items);
    if (!times->items)
        return param_fail(error, "t", "out of memory");
    for (const char *at = text;;) {
        char word[48];
        size_t length = strcspn(at, ",");
        double t;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        if (length >= sizeof word || !number_parse(word, &t)) {
            times_release(times);
            return param_fail(error, "t", "\"%.40s\" is not a finite number", word);
        }
        times->items[times->count++] = pose_time(request, t);
        at += length;
        if (!*at++)
            return true;
    }
}

/* The duration as the decimal that is printed: floor(0.7 * 30) is 21, which the 32-bit float just misses. */
static double decimal_duration(float duration)
{
    char text[POSE_FLOAT_TEXT + 1];
    double value = 0;
    text[pose_float_text(duration, text)] = 0;
    number_parse(text, &value);
    return value;
}

static bool read_grid(const struct api_call *call, const struct pose_request *request, struct times *times,
                      struct param_error *error)
{
    const struct index_asset *asset = request->clip->asset;
    double fps = asset->fps > 0 ? (double)asset->fps : 30, duration = decimal_duration(asset->duration),
           from = 0, to = duration;
    int64_t end = 0;
    if (!params_number(&call->params, "fps", 1e-3, 1e5, &fps, error) ||
        !params_number(&call->params, "from", 0, 1e9, &from, error) ||
        !params_number(&call->params, "to", 0, 1e9, &to, error) ||
        !params_integer(&call->params, "end", 0, 1, &end, error))
        return false;
    if (from > to)
        return params_get(&call->params, "to")
                   ? param_fail(error, "from", "must not be after to")
                   : param_fail(error, "from", "must not be after the end of the clip, at %g s", duration);
    if (to > duration)
        to = duration;
    /* The first and last k whose k/fps is within the window, with 1e-9 s of tolerance for the rounding of
     * the division. */
    uint64_t most = call->service->config->max_frames;
    double first = ceil((from - 1e-9) * fps);
    double frames = fmax(fmin(floor((to + 1e-9) * fps), floor(duration * fps)) - first + 1, 0);
    if (frames > (double)most)
        return too_many(error, "fps", frames, most);
    *times = (struct times){.count = (size_t)frames,
                            .fps = fps,
                            .first = first,
                            .wrap = request->wrap,
                            .duration = (double)asset->duration};
    double last = times->count ? times_at(times, times->count - 1) : -1;
    if (!end || from > to || (times->count && pose_time(request, to) <= last))
        return true;
    if (times->count == most)
        return too_many(error, "end", (double)most + 1, most);
    times->count++;
    times->final = to;
    times->has_final = true;
    return true;
}

bool times_read(const struct api_call *call, const struct pose_request *request, struct times *times,
                struct param_error *error)
{
    static const char *const grid[] = {"fps", "from", "to", "end", NULL};
    const char *list = params_get(&call->params, "t");
    *times = (struct times){0};
    if (!list)
        return read_grid(call, request, times, error);
    for (const char *const *name = grid; *name; name++) {
        if (params_get(&call->params, *name))
            return param_fail(error, *name, "cannot be combined with t");
    }
    return read_list(call, request, list, times, error);
}
