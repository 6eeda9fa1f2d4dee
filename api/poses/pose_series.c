#include "api/poses/pose_series.h"

#include "lib/core/numbers/floats.h"
#include "server/ops/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 10, MATRIX = 16 };

/* 2^-11: how far a half float may be from the value, as a share of it. */
#define HALF_ERROR "0.00048828125"

/* ------------------------------------------------------------------------------------------------- times -- */

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

/* ------------------------------------------------------------------------------------------------ series -- */

/* An answer in progress, generated frame by frame. */
struct series {
    struct pose_request request;
    enum series_form form;
    struct times times;
    struct series_source source; /* owner NULL: the request's clip */
    uint32_t morph_count;
    size_t next_time, next;  /* next to write: in the head, as a frame */
    struct json_writer head; /* still open, inside the array of times */
    struct pose_buffer tail; /* the text that closes it */
    bool has_head, finished, failed;
    float *rows, *matrices, *morphs,
        *before;                /* before: the rows of the previous frame, to keep hemispheres */
    struct pose_buffer pending; /* generated but not sent yet */
    size_t sent;
    char clip[ID_TEXT];
};

void series_headers(struct api_call *call, size_t frames, uint32_t joints, double fps)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", frames);
    response_header(call->response, "Posed-Frames", text);
    snprintf(text, sizeof text, "%u", joints);
    response_header(call->response, "Posed-Joints", text);
    if (fps > 0) {
        text[pose_float_text((float)fps, text)] = 0;
        response_header(call->response, "Posed-Fps", text);
    }
}

static void series_free(void *owner)
{
    struct series *series = owner;
    if (series->source.owner)
        series->source.free(series->source.owner);
    pose_request_close(&series->request);
    times_release(&series->times);
    pose_buffer_free(&series->pending);
    pose_buffer_free(&series->tail);
    free(series->rows);
    free(series->matrices);
    free(series->morphs);
    free(series->before);
    free(series);
}

/* Moves the contents of the request into the series. */
static void take_request(struct series *series, struct pose_request *request)
{
    series->request = *request;
    request->player = NULL;
    request->selected = NULL;
    request->morph_names = NULL;
}

/* NULL if out of memory: then it takes over nothing. */
static struct series *series_new(struct pose_request *request, const struct series_source *source,
                                 const struct times *times, enum series_form form)
{
    const struct pose_sampler *sampler = request->player->sampler;
    size_t rows = pose_sampler_row_count(sampler);
    size_t morphs = source ? source->morph_count : pose_sampler_morph_count(sampler);
    struct series *series = try_alloc(1, sizeof *series);
    if (!series)
        return NULL;
    series->form = form;
    series->morph_count = (uint32_t)morphs;
    series->times = *times;
    series->times.items = times->items ? try_alloc(times->count, sizeof *times->items) : NULL;
    series->rows = try_alloc(rows, ROW * sizeof(float));
    series->before = try_alloc(rows, ROW * sizeof(float));
    series->matrices = request->model ? try_alloc(rows, MATRIX * sizeof(float)) : NULL;
    series->morphs = morphs ? try_alloc(morphs, sizeof(float)) : NULL;
    id_write(&request->clip->asset->id, series->clip);
    if ((times->items && !series->times.items) || !series->rows || !series->before ||
        (request->model && !series->matrices) || (morphs && !series->morphs)) {
        series_free(series);
        return NULL;
    }
    if (times->items)
        memcpy(series->times.items, times->items, times->count * sizeof *times->items);
    take_request(series, request);
    if (source)
        series->source = *source;
    return series;
}

/* With axes=gltf a rotation keeps the hemisphere of the previous frame. */
static void keep_hemisphere(struct series *series)
{
    size_t rows = pose_sampler_row_count(series->request.player->sampler);
    for (size_t i = 0; i < rows; i++) {
        float *now = series->rows + i * ROW + 3;
        const float *before = series->before + i * ROW + 3;
        if (now[0] * before[0] + now[1] * before[1] + now[2] * before[2] + now[3] * before[3] < 0) {
            for (int k = 0; k < 4; k++)
                now[k] = -now[k];
        }
    }
    memcpy(series->before, series->rows, rows * ROW * sizeof *series->rows);
}

static void sample(struct series *series, double t)
{
    const struct pose_request *request = &series->request;
    const struct pose_sampler *sampler = request->player->sampler;
    if (series->source.owner)
        series->source.sample(series->source.owner, t, series->rows, series->morphs);
    else
        pose_sample(sampler, t, request->wrap, request->flags, series->rows, series->morphs);
    if (request->gltf)
        keep_hemisphere(series);
    if (request->model)
        pose_model(sampler, series->rows, series->matrices);
}

static uint32_t row_at(const struct series *series, uint32_t i)
{
    return series->request.selected ? series->request.selected[i] : i;
}

static void put(struct series *series, const void *bytes, size_t size)
{
    if (!pose_buffer_append(&series->pending, bytes, size))
        series->failed = true;
}

static void put_floats(struct series *series)
{
    bool model = series->request.model;
    unsigned width = model ? MATRIX : ROW;
    const float *from = model ? series->matrices : series->rows;
    for (uint32_t i = 0; i < series->request.row_count; i++) {
        const float *row = from + (size_t)row_at(series, i) * width;
        if (series->form == SERIES_F16) {
            uint8_t halves[2 * MATRIX];
            floats_to_halves_le(halves, row, width);
            put(series, halves, 2 * (size_t)width);
        } else {
            put(series, row, width * sizeof *from);
        }
    }
}

/* "translation":[[…],…]: null where neither the clip nor a skeleton has that component. */
static void put_part(struct json_writer *json, const struct series *series, const char *name, int part,
                     unsigned offset, unsigned count)
{
    const struct pose_row *rows = pose_sampler_rows(series->request.player->sampler);
    jsonw_array(json, name);
    for (uint32_t i = 0; i < series->request.row_count; i++) {
        uint32_t row = row_at(series, i);
        if (rows[row].has[part])
            jsonw_floats(json, NULL, series->rows + (size_t)row * ROW + offset, count);
        else
            jsonw_null(json, NULL);
    }
    jsonw_end(json);
}

static void put_pose(struct json_writer *json, const struct series *series, double t)
{
    jsonw_number(json, "t", (float)t);
    put_part(json, series, "translation", 0, 0, 3);
    put_part(json, series, "rotation", 1, 3, 4);
    put_part(json, series, "scale", 2, 7, 3);
    if (series->request.model) {
        jsonw_array(json, "matrix");
        for (uint32_t i = 0; i < series->request.row_count; i++)
            jsonw_floats(json, NULL, series->matrices + (size_t)row_at(series, i) * MATRIX, MATRIX);
        jsonw_end(json);
    }
    if (series->morph_count)
        jsonw_floats(json, "morphs", series->morphs, series->morph_count);
    if (series->source.put)
        series->source.put(series->source.owner, &series->request, t, json);
}

static void put_joints(struct json_writer *json, const struct series *series)
{
    const struct pose_request *request = &series->request;
    const struct pose_row *rows = pose_sampler_rows(request->player->sampler);
    int32_t *parents = try_alloc(request->row_count, sizeof *parents);
    if (!parents ||
        !pose_select_parents(request->player->sampler, request->selected, request->row_count, parents)) {
        json->to.failed = true;
        free(parents);
        return;
    }
    const struct pose_skeleton *skeleton = request->player->skeleton;
    bool *skinned = skeleton ? try_alloc(skeleton->joint_count, sizeof *skinned) : NULL;
    bool has_skin = skinned && pose_skinned_joints(skeleton, skinned);
    json->to.failed |= skeleton && !skinned;
    jsonw_array(json, "joints");
    for (uint32_t i = 0; i < request->row_count; i++) {
        const struct pose_row *row = &rows[row_at(series, i)];
        jsonw_object(json, NULL);
        jsonw_string(json, "name", row->name);
        if (row->has_id)
            jsonw_integer(json, "id", row->id);
        else
            jsonw_null(json, "id");
        if (request->player->skeleton)
            jsonw_integer(json, "parent", parents[i]);
        jsonw_bool(json, "driven",
                   series->source.owner ? series->source.driven[row_at(series, i)] : row->driven);
        if (has_skin)
            jsonw_bool(json, "skinned", skinned[row_at(series, i)]);
        jsonw_end(json);
    }
    jsonw_end(json);
    free(skinned);
    free(parents);
    if (!series->morph_count)
        return;
    jsonw_array(json, "morphs");
    for (uint32_t i = 0; i < series->morph_count; i++) {
        char room[16];
        jsonw_string(json, NULL,
                     series->source.owner ? series->source.morphs[i] : pose_request_morph(request, i, room));
    }
    jsonw_end(json);
}

/* Writes everything except times and poses: the text before the times and the text after them. This uses
 * the catalogue, which a stream may outlive. */
static void open_head(struct series *series)
{
    struct json_writer *json = &series->head;
    jsonw_object(json, NULL);
    jsonw_string(json, "clip", series->source.owner ? NULL : series->clip);
    pose_request_head(json, &series->request);
    if (series->times.fps > 0)
        jsonw_number(json, "fps", (float)series->times.fps);
    else
        jsonw_null(json, "fps");
    jsonw_array(json, "times");
    struct json_writer tail = *json;
    tail.to.out = &series->tail;
    jsonw_end(&tail);
    put_joints(&tail, series);
    pose_request_tail(&tail, &series->request, series->source.warnings, series->source.warning_count);
    if (series->form == SERIES_POSED)
        jsonw_end(&tail);
    series->failed |= json->to.failed || tail.to.failed;
}

/* The size of all times as text. */
static size_t measure_times(const struct times *times)
{
    char text[POSE_FLOAT_TEXT];
    size_t size = times->count ? times->count - 1 : 0;
    for (size_t i = 0; i < times->count; i++)
        size += pose_float_text((float)times_at(times, i), text);
    return size;
}

/* Writes what precedes the first pose, up to the times, which may be many. */
static void begin(struct series *series)
{
    uint8_t length[4] = {0};
    jsonw_init(&series->head, &series->pending);
    series->has_head = series->form == SERIES_JSON || series->form == SERIES_POSED;
    if (!series->has_head)
        return;
    if (series->form == SERIES_POSED)
        put(series, length, sizeof length);
    open_head(series);
    if (series->form == SERIES_POSED && !series->failed) {
        size_t size = series->pending.size - 4 + measure_times(&series->times) + series->tail.size;
        for (int i = 0; i < 4; i++)
            series->pending.data[i] = (uint8_t)(size >> 8 * i);
        static const uint8_t zeros[4] = {0};
        if (!pose_buffer_append(&series->tail, zeros, (4 - size % 4) % 4))
            series->failed = true;
    } else if (!pose_buffer_append(&series->tail, ",\"poses\":[", 10)) {
        series->failed = true;
    }
}

/* Writes the next time of the head; after the last one, the end of the head. */
static void put_head(struct series *series)
{
    if (series->next_time < series->times.count) {
        jsonw_number(&series->head, NULL, (float)times_at(&series->times, series->next_time++));
        series->failed |= series->head.to.failed;
        return;
    }
    put(series, series->tail.data, series->tail.size);
    pose_buffer_free(&series->tail);
    series->has_head = false;
}

static void put_frame(struct series *series)
{
    double t = times_at(&series->times, series->next);
    struct json_writer json;
    sample(series, t);
    if (series->form >= SERIES_F32) {
        put_floats(series);
    } else {
        if (series->form == SERIES_JSON && series->next)
            put(series, ",", 1);
        jsonw_init(&json, &series->pending);
        jsonw_object(&json, NULL);
        put_pose(&json, series, t);
        jsonw_end(&json);
        series->failed |= json.to.failed;
        if (series->form == SERIES_NDJSON)
            put(series, "\n", 1);
    }
    series->next++;
}

/* Generates at least `wanted` more bytes, or the rest. False if out of memory. */
static bool produce(struct series *series, size_t wanted)
{
    while (!series->failed && !series->finished && series->pending.size - series->sent < wanted) {
        if (series->has_head) {
            put_head(series);
        } else if (series->next < series->times.count) {
            put_frame(series);
        } else {
            series->finished = true;
            if (series->form == SERIES_JSON)
                put(series, "]}", 2);
        }
    }
    return !series->failed;
}

/* Drops what has been sent, so that a stream holds only a block and a frame. */
static void forget_sent(struct series *series)
{
    struct pose_buffer *pending = &series->pending;
    pending->size -= series->sent;
    if (pending->size && series->sent)
        memmove(pending->data, pending->data + series->sent, pending->size);
    series->sent = 0;
}

static ssize_t series_read(void *owner, uint8_t *buffer, size_t capacity)
{
    struct series *series = owner;
    forget_sent(series);
    if (!produce(series, capacity))
        return -1;
    size_t size = series->pending.size < capacity ? series->pending.size : capacity;
    if (size)
        memcpy(buffer, series->pending.data, size);
    series->sent = size;
    return (ssize_t)size;
}

/* Generates everything and moves it to the buffer; frees the series. False if out of memory. */
static bool finish_text(struct series *series, struct pose_buffer *out)
{
    begin(series);
    bool done =
        produce(series, SIZE_MAX) && pose_buffer_append(out, series->pending.data, series->pending.size);
    series_free(series);
    return done;
}

static void drop(struct pose_request *request, const struct series_source *source)
{
    if (source)
        source->free(source->owner);
    pose_request_close(request);
}

bool series_text(struct pose_request *request, const struct series_source *source, const struct times *times,
                 struct pose_buffer *out)
{
    struct series *series = series_new(request, source, times, SERIES_JSON);
    if (!series)
        drop(request, source);
    return series && finish_text(series, out);
}

enum api_outcome series_reply(struct api_call *call, struct pose_request *request,
                              const struct series_source *source, const struct times *times,
                              enum series_form form)
{
    enum { INLINE_ROWS = 4096, STREAMED_ROWS = 32768 };
    static const char *const types[] = {"application/json", "application/x-ndjson",
                                        "application/octet-stream", "application/octet-stream",
                                        "application/octet-stream"};
    uint64_t rows = (uint64_t)times->count * request->row_count;
    if (rows > INLINE_ROWS && !call->request->may_wait) {
        drop(request, source);
        return API_WAIT;
    }
    series_headers(call, times->count, request->row_count, times->fps);
    if (form == SERIES_F16)
        response_header(call->response, "Posed-Error", HALF_ERROR);
    struct series *series = series_new(request, source, times, form);
    if (!series) {
        drop(request, source);
        return reply_no_memory(call);
    }
    double started = clock_seconds();
    begin(series);
    /* From here on nothing may use the catalogue: the stream may outlive it. */
    series->request.clip = NULL;
    series->request.skeleton = (struct skeleton_choice){0};
    if (rows > STREAMED_ROWS) {
        response_stream(call->response, types[form], API_UNKNOWN_SIZE, series_read, series_free, series);
        return API_DONE;
    }
    if (!produce(series, SIZE_MAX)) {
        series_free(series);
        return reply_no_memory(call);
    }
    call->write_seconds = clock_seconds() - started;
    struct pose_buffer body = series->pending;
    series->pending = (struct pose_buffer){0};
    series_free(series);
    return reply_body(call, types[form], &body, form < SERIES_F32);
}
