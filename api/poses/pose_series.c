#include "api/poses/pose_series.h"

#include "lib/core/error.h"
#include "lib/core/numbers/floats.h"
#include "server/ops/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 10, MATRIX = 16 };

/* 2^-11: how far a half float may be from the value, as a share of it. */
#define HALF_ERROR "0.00048828125"
/* 1/65534, rounded up: how far a number in fixed point may be, as a share of its range. */
#define FIXED_ERROR "0.00001526"
enum { FIXED_ONE = 32767 };

const char *const series_forms[] = {"json", "ndjson", "f32", "posed", "f16", "snorm16", NULL};

/* ------------------------------------------------------------------------------------------------ series -- */

/* An answer in progress, generated frame by frame. */
struct series {
    struct pose_request request;
    enum series_form form;
    struct times times;
    struct series_source source; /* owner NULL: the request's clip */
    uint32_t morph_count;
    float ranges[3];         /* of translations, rotations and scales in fixed point */
    size_t next_time, next;  /* next to write: in the head, as a frame */
    struct json_writer head; /* still open, inside the array of times */
    struct pose_buffer tail; /* the text that closes it */
    struct pose_text *text;  /* of JSON's poses, but of a source's; NULL: none */
    bool has_head, finished, failed;
    float *rows, *matrices, *morphs,
        *before;                /* before: the rows of the previous frame, to keep hemispheres */
    struct pose_buffer pending; /* generated but not sent yet */
    size_t sent;
    char clip[ID_TEXT];
};

bool series_holds(const struct pose_request *request, enum series_form form, struct param_error *error)
{
    return form != SERIES_SNORM16 || !request->model ||
           param_fail(error, "space",
                      "snorm16 holds translations, rotations and scales: it needs space=local");
}

void series_headers(struct api_call *call, size_t frames, uint32_t joints, double fps)
{
    response_header_number(call->response, "Posed-Frames", frames);
    response_header_number(call->response, "Posed-Joints", joints);
    if (fps > 0) {
        char text[POSE_FLOAT_TEXT + 1];
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
    pose_text_free(series->text);
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
}

static void sample(struct series *series, double t)
{
    const struct pose_request *request = &series->request;
    const struct pose_sampler *sampler = request->player->sampler;
    float *const last = series->rows;
    series->rows = series->before;
    series->before = last;
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

static const struct {
    unsigned offset, count;
} parts[3] = {{0, 3}, {3, 4}, {7, 3}};

/* Rows in fixed point. */
static void write_fixed(const struct series *series, const float *rows, size_t count, uint8_t *to)
{
    float ranges[ROW];
    for (size_t part = 0; part < 3; part++) {
        for (unsigned i = 0; i < parts[part].count; i++)
            ranges[parts[part].offset + i] = series->ranges[part];
    }
    for (size_t row = 0; row < count; row++, rows += ROW, to += 2 * ROW) {
        for (unsigned i = 0; i < ROW; i++) {
            const float share = rows[i] / ranges[i], least = share < -1 ? -1 : share;
            const float number = (least < 1 ? least : 1) * FIXED_ONE; /* NaN: the end of the range */
            /* To the nearest, ties to even, in a number that has no room for fractions. */
            const float whole = number + 0x1.8p23f - 0x1.8p23f;
            const uint16_t word = (uint16_t)(int16_t)whole;
            to[2 * i] = (uint8_t)word;
            to[2 * i + 1] = (uint8_t)(word >> 8);
        }
    }
}

/* In place, where fmaxf is a call; like that one it passes over NaN. */
static inline float larger(float known, float value)
{
    return value > known ? value : known;
}

/* Finds the ranges, for which every pose is sampled once more: the largest translation and scale, at least 1, and 1 for
 * rotations. False if the effort, which may be NULL, is over before. */
static bool find_ranges(struct series *series, struct effort *effort)
{
    enum { LOOK_AFTER = 4096 };
    uint64_t looked = 0;
    float ranges[2] = {1, 1};
    for (size_t k = 0; k < series->times.count; k++) {
        sample(series, times_at(&series->times, k));
        for (uint32_t i = 0; i < series->request.row_count; i++) {
            const float *row = series->rows + (size_t)row_at(series, i) * ROW;
            for (unsigned c = 0; c < 3; c++) {
                ranges[0] = larger(ranges[0], fabsf(row[c]));
                ranges[1] = larger(ranges[1], fabsf(row[7 + c]));
            }
        }
        looked += series->request.row_count + 1;
        if (looked >= LOOK_AFTER && effort && effort_is_over(effort))
            return false;
        looked = looked >= LOOK_AFTER ? 0 : looked;
    }
    series->ranges[0] = ranges[0];
    series->ranges[1] = 1;
    series->ranges[2] = ranges[1];
    memset(series->rows, 0, pose_sampler_row_count(series->request.player->sampler) * ROW * sizeof(float));
    return true;
}

static enum api_outcome reply_stopped(struct api_call *call)
{
    struct pose_error error;
    error_stopped(&error);
    effort_explain(call->effort, &error);
    return reply_error(call, &error, NULL, NULL);
}

static void range_headers(struct api_call *call, const struct series *series)
{
    char text[3 * (POSE_FLOAT_TEXT + 1)];
    size_t size = 0;
    for (size_t part = 0; part < 3; part++) {
        size += pose_float_text(series->ranges[part], text + size);
        text[size++] = part < 2 ? ',' : 0;
    }
    response_header(call->response, "Posed-Range", text);
    response_header(call->response, "Posed-Error", FIXED_ERROR);
}

static size_t size_of_number(const struct series *series)
{
    return series->form == SERIES_F16 || series->form == SERIES_SNORM16 ? 2 : sizeof(float);
}

/* Rows that follow each other; returns where they end. */
static uint8_t *write_rows(const struct series *series, const float *rows, size_t count, size_t width,
                           uint8_t *to)
{
    if (series->form == SERIES_F16)
        floats_to_halves_le(to, rows, count * width);
    else if (series->form == SERIES_SNORM16)
        write_fixed(series, rows, count, to);
    else
        memcpy(to, rows, count * width * sizeof *rows);
    return to + count * width * size_of_number(series);
}

/* Bytes of a pose as floats. */
static size_t size_of_pose(const struct series *series)
{
    const size_t width = series->request.model ? MATRIX : ROW;
    return series->request.row_count * width * size_of_number(series);
}

/* The pose that was sampled last. */
static void write_floats(const struct series *series, uint8_t *to)
{
    const bool model = series->request.model;
    const size_t width = model ? MATRIX : ROW;
    const float *from = model ? series->matrices : series->rows;
    if (!series->request.selected)
        write_rows(series, from, series->request.row_count, width, to);
    for (uint32_t i = 0; series->request.selected && i < series->request.row_count; i++)
        to = write_rows(series, from + row_at(series, i) * width, 1, width, to);
}

static void put_floats(struct series *series)
{
    struct writer writer;
    const size_t size = size_of_pose(series);
    writer_init(&writer, &series->pending, NULL);
    uint8_t *to = writer_reserve(&writer, size);
    series->failed |= !to;
    if (!to)
        return;
    write_floats(series, to);
    writer_commit(&writer, size);
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

/* Of a source anything may move. */
static void put_parts(struct json_writer *json, const struct series *series)
{
    put_part(json, series, "translation", 0, 0, 3);
    put_part(json, series, "rotation", 1, 3, 4);
    put_part(json, series, "scale", 2, 7, 3);
    if (!series->request.model)
        return;
    jsonw_array(json, "matrix");
    for (uint32_t i = 0; i < series->request.row_count; i++)
        jsonw_floats(json, NULL, series->matrices + (size_t)row_at(series, i) * MATRIX, MATRIX);
    jsonw_end(json);
}

static void put_text(struct json_writer *json, const struct series *series)
{
    jsonw_key(json, NULL);
    char *to = (char *)writer_reserve(&json->to, pose_text_bound(series->text));
    if (to)
        writer_commit(&json->to, pose_text_write(series->text, series->rows, series->matrices, to));
}

static void put_pose(struct json_writer *json, const struct series *series, double t)
{
    jsonw_number(json, "t", (float)t);
    if (series->text)
        put_text(json, series);
    else
        put_parts(json, series);
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
    const struct pose_request *request = &series->request;
    uint8_t length[4] = {0};
    if (series->form < SERIES_F32 && !series->source.owner) {
        series->text = pose_text_of_parts(request->player->sampler, request->player->skeleton != NULL,
                                          request->model, request->selected, request->row_count);
        series->failed |= !series->text;
    }
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

/* Whole poses as floats, without the way through the buffer; returns the bytes. */
static size_t produce_floats(struct series *series, uint8_t *to, size_t room)
{
    const size_t size = size_of_pose(series);
    size_t used = 0;
    if (series->form < SERIES_F32 || series->has_head || series->failed)
        return 0;
    for (; series->next < series->times.count && size <= room - used; used += size) {
        sample(series, times_at(&series->times, series->next++));
        write_floats(series, to + used);
    }
    return used;
}

static ssize_t series_read(void *owner, uint8_t *buffer, size_t capacity)
{
    struct series *series = owner;
    size_t size = 0;
    forget_sent(series);
    if (!series->pending.size)
        size = produce_floats(series, buffer, capacity);
    if (size)
        return (ssize_t)size;
    if (!produce(series, capacity))
        return -1;
    size = series->pending.size < capacity ? series->pending.size : capacity;
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

/* Of the forms that hold nothing but poses of one size. */
static size_t size_of_all(const struct series *series)
{
    const bool is_known = series->form == SERIES_F32 || series->form >= SERIES_F16;
    return is_known ? size_of_pose(series) * series->times.count : API_UNKNOWN_SIZE;
}

/* Whether a block holds so few poses, of so few joints, that they take some microseconds. */
static bool is_light(const struct series *series)
{
    enum { FEWEST = 8, MOST = 4096 };
    const struct pose_request *request = &series->request;
    return !series->source.owner && !request->selected && !request->retargeting.on && !series->morph_count &&
           request->row_count >= FEWEST && request->row_count <= MOST;
}

enum api_outcome series_reply(struct api_call *call, struct pose_request *request,
                              const struct series_source *source, const struct times *times,
                              enum series_form form)
{
    enum { INLINE_ROWS = 4096, STREAMED_ROWS = 32768 };
    static const char *const types[] = {"application/json",         "application/x-ndjson",
                                        "application/octet-stream", "application/octet-stream",
                                        "application/octet-stream", "application/octet-stream"};
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
    if (form == SERIES_SNORM16) {
        if (!find_ranges(series, call->effort)) {
            series_free(series);
            return reply_stopped(call);
        }
        range_headers(call, series);
    }
    begin(series);
    /* From here on nothing may use the catalogue: the stream may outlive it. */
    series->request.clip = NULL;
    series->request.skeleton = (struct skeleton_choice){0};
    if (rows > STREAMED_ROWS) {
        response_stream(call->response, types[form], size_of_all(series), series_read, series_free, series);
        call->response->is_light = is_light(series);
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
