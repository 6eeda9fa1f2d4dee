#include "server/library/pose_text.h"

#include "lib/core/bytes/json_writer.h"
#include "lib/core/numbers/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { ROW = 10, MATRIX = 16, PARTS = 3 };

static const struct {
    const char *name;
    unsigned offset, count;
} parts[PARTS] = {{"translation", 0, 3}, {"rotation", 3, 4}, {"scale", 7, 3}};

/* Text, followed by count numbers "[a,b,c]" from the rows or the matrices. */
struct piece {
    uint32_t text_end; /* in the text; it starts where the previous piece ends */
    uint32_t first;    /* index of the first number */
    uint16_t count;    /* 0: text only */
    uint16_t of_matrix;
};

struct pose_text {
    struct pose_buffer text;
    struct piece *pieces;
    uint32_t piece_count, piece_capacity;
    size_t number_count;
    bool failed;
};

static void end_piece(struct pose_text *text, uint32_t first, unsigned count, bool of_matrix)
{
    if (text->piece_count == text->piece_capacity) {
        uint32_t capacity = text->piece_capacity ? text->piece_capacity * 2 : 64;
        struct piece *pieces = reallocarray(text->pieces, capacity, sizeof *pieces);
        if (!pieces) {
            text->failed = true;
            return;
        }
        text->pieces = pieces;
        text->piece_capacity = capacity;
    }
    text->pieces[text->piece_count++] = (struct piece){.text_end = (uint32_t)text->text.size,
                                                       .first = first,
                                                       .count = (uint16_t)count,
                                                       .of_matrix = of_matrix};
    text->number_count += count;
}

static void add(struct pose_text *text, const char *string)
{
    text->failed |= !pose_buffer_append(&text->text, string, strlen(string));
}

static void add_numbers(struct pose_text *text, const float *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char digits[POSE_FLOAT_TEXT + 1];
        digits[pose_float_text(values[i], digits)] = 0;
        add(text, i ? "," : "[");
        add(text, digits);
    }
    add(text, "]");
}

/* {"name":…,"id":…,"parent":…,"driven":… */
static void add_head(struct pose_text *text, const struct pose_row *row, bool with_parent, int32_t parent)
{
    char digits[32];
    add(text, "{\"name\":");
    text->failed |= !pose_json_string(&text->text, row->name);
    add(text, ",\"id\":");
    size_t length = 0;
    if (row->has_id) {
        uint32_t value = row->id, divisor = 1;
        while (value / divisor >= 10)
            divisor *= 10;
        for (; divisor; divisor /= 10)
            digits[length++] = (char)('0' + value / divisor % 10);
        digits[length] = 0;
        add(text, digits);
    } else {
        add(text, "null");
    }
    if (with_parent) {
        struct json_writer json;
        jsonw_init(&json, &text->text);
        add(text, ",\"parent\":");
        jsonw_integer(&json, NULL, parent);
        text->failed |= json.to.failed;
    }
    add(text, row->driven ? ",\"driven\":true" : ",\"driven\":false");
}

/* Whether a part of a row varies over time. On a skeleton, roots may also have root motion. */
static bool moves(const struct pose_row *row, unsigned part, bool with_skeleton)
{
    return row->moves[part] || (with_skeleton && row->parent < 0);
}

static void add_row(struct pose_text *text, const struct pose_row *row, uint32_t index, const float *still,
                    bool with_parent, int32_t parent, bool with_matrix)
{
    add_head(text, row, with_parent, parent);
    for (unsigned part = 0; part < PARTS; part++) {
        if (!row->has[part])
            continue;
        add(text, ",\"");
        add(text, parts[part].name);
        add(text, "\":");
        uint32_t first = index * ROW + parts[part].offset;
        if (moves(row, part, with_parent))
            end_piece(text, first, parts[part].count, false);
        else
            add_numbers(text, still + first, parts[part].count);
    }
    if (with_matrix) {
        add(text, ",\"matrix\":");
        end_piece(text, index * MATRIX, MATRIX, true);
    }
    add(text, "}");
}

bool pose_select_parents(const struct pose_sampler *sampler, const uint32_t *selected, uint32_t count,
                         int32_t *parents)
{
    const struct pose_row *rows = pose_sampler_rows(sampler);
    uint32_t row_count = pose_sampler_row_count(sampler);
    int32_t *place = selected ? malloc((row_count ? row_count : 1) * sizeof *place) : NULL;
    if (selected && !place)
        return false;
    for (uint32_t i = 0; place && i < row_count; i++)
        place[i] = -1;
    for (uint32_t i = 0; place && i < count; i++)
        place[selected[i]] = (int32_t)i;
    for (uint32_t i = 0; i < count; i++) {
        int32_t parent = rows[selected ? selected[i] : i].parent;
        while (place && parent >= 0 && place[parent] < 0)
            parent = rows[parent].parent;
        parents[i] = parent >= 0 && place ? place[parent] : parent;
    }
    free(place);
    return true;
}

/* What a text is made of. */
struct making {
    const struct pose_sampler *sampler;
    const float *still; /* rows of any time, for what does not move */
    const uint32_t *selected;
    uint32_t count;
    bool with_skeleton, with_matrix;
};

static uint32_t row_of(const struct making *making, uint32_t i)
{
    return making->selected ? making->selected[i] : i;
}

static void add_joints(struct pose_text *text, const struct making *making)
{
    const struct pose_row *rows = pose_sampler_rows(making->sampler);
    int32_t *parents = malloc(((size_t)making->count + 1) * sizeof *parents);
    text->failed |=
        !parents || !pose_select_parents(making->sampler, making->selected, making->count, parents);
    add(text, "[");
    for (uint32_t i = 0; i < making->count && !text->failed; i++) {
        const uint32_t row = row_of(making, i);
        if (i)
            add(text, ",");
        add_row(text, &rows[row], row, making->still, making->with_skeleton, parents[i], making->with_matrix);
    }
    add(text, "]");
    free(parents);
}

static void add_part(struct pose_text *text, const struct making *making, unsigned part)
{
    const struct pose_row *rows = pose_sampler_rows(making->sampler);
    for (uint32_t i = 0; i < making->count; i++) {
        const uint32_t row = row_of(making, i), first = row * ROW + parts[part].offset;
        if (i)
            add(text, ",");
        if (!rows[row].has[part])
            add(text, "null");
        else if (moves(&rows[row], part, making->with_skeleton))
            end_piece(text, first, parts[part].count, false);
        else
            add_numbers(text, making->still + first, parts[part].count);
    }
}

static void add_parts(struct pose_text *text, const struct making *making)
{
    for (unsigned part = 0; part < PARTS; part++) {
        add(text, part ? ",\"" : "\"");
        add(text, parts[part].name);
        add(text, "\":[");
        add_part(text, making, part);
        add(text, "]");
    }
    if (!making->with_matrix)
        return;
    add(text, ",\"matrix\":[");
    for (uint32_t i = 0; i < making->count; i++) {
        if (i)
            add(text, ",");
        end_piece(text, row_of(making, i) * MATRIX, MATRIX, true);
    }
    add(text, "]");
}

/* NULL if out of memory. */
static struct pose_text *make(struct making *making,
                              void (*fill)(struct pose_text *text, const struct making *making))
{
    const uint32_t row_count = pose_sampler_row_count(making->sampler);
    struct pose_text *text = calloc(1, sizeof *text);
    float *still = malloc(((size_t)row_count * ROW + 1) * sizeof *still);
    making->count = making->selected ? making->count : row_count;
    making->still = still;
    if (text && still) {
        pose_sample(making->sampler, 0, POSE_CLAMP, POSE_IN_PLACE, still, NULL);
        fill(text, making);
        end_piece(text, 0, 0, false);
    }
    if (text && (!still || text->failed)) {
        pose_text_free(text);
        text = NULL;
    }
    free(still);
    return text;
}

struct pose_text *pose_text_new(const struct pose_sampler *sampler, bool with_skeleton, bool with_matrix,
                                const uint32_t *selected, uint32_t count)
{
    struct making making = {sampler, NULL, selected, count, with_skeleton, with_matrix};
    return make(&making, add_joints);
}

struct pose_text *pose_text_of_parts(const struct pose_sampler *sampler, bool with_skeleton, bool with_matrix,
                                     const uint32_t *selected, uint32_t count)
{
    struct making making = {sampler, NULL, selected, count, with_skeleton, with_matrix};
    return make(&making, add_parts);
}

void pose_text_free(struct pose_text *text)
{
    if (!text)
        return;
    pose_buffer_free(&text->text);
    free(text->pieces);
    free(text);
}

size_t pose_text_size(const struct pose_text *text)
{
    return text ? sizeof *text + text->text.capacity + text->piece_capacity * sizeof *text->pieces : 0;
}

size_t pose_text_bound(const struct pose_text *text)
{
    return text->text.size + text->number_count * (POSE_FLOAT_TEXT + 1) + (size_t)text->piece_count * 2;
}

/* The numbers of as many pieces as one block holds; returns the first piece after them. */
static uint32_t gather(const struct pose_text *text, uint32_t piece, const float *rows, const float *matrices,
                       struct number_cells *cells)
{
    float values[NUMBER_BLOCK];
    size_t count = 0;
    for (; piece < text->piece_count; piece++) {
        const struct piece *next = &text->pieces[piece];
        if (count + next->count > NUMBER_BLOCK)
            break;
        const float *from = (next->of_matrix ? matrices : rows) + next->first;
        for (unsigned i = 0; i < next->count; i++)
            values[count++] = from[i];
    }
    number_cells(values, count, cells);
    return piece;
}

size_t pose_text_write(const struct pose_text *text, const float *rows, const float *matrices, char *out)
{
    struct number_cells cells;
    char *at = out;
    uint32_t begin = 0, i = 0;
    while (i < text->piece_count) {
        const uint32_t end = gather(text, i, rows, matrices, &cells);
        size_t cell = 0; /* the next number's */
        for (; i < end; i++) {
            const struct piece *piece = &text->pieces[i];
            at = mempcpy(at, text->text.data + begin, piece->text_end - begin);
            begin = piece->text_end;
            if (!piece->count)
                continue;
            *at++ = '[';
            at = number_cells_join(&cells, cell, piece->count, at);
            at[-1] = ']';
            cell += piece->count;
        }
    }
    return (size_t)(at - out);
}
