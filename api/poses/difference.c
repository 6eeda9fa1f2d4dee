#include "api/poses/difference.h"

#include "lib/core/bytes/markup.h"
#include "lib/core/error.h"
#include "server/ops/region.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 10, MATRIX = 16, ROTATION = 3, POSITION = 12 };

/* ---------------------------------------------------------------------------------------------------- measuring -- */

/* The angle between two unit quaternions in degrees, exact for small ones too. */
static double angle_between(const float *a, const float *b)
{
    double dot = 0, apart = 0;
    for (int i = 0; i < 4; i++)
        dot += (double)a[i] * (double)b[i];
    for (int i = 0; i < 4; i++) {
        double gap = (double)a[i] - (dot < 0 ? -1 : 1) * (double)b[i];
        apart += gap * gap;
    }
    return 4 * asin(fmin(1, sqrt(apart) / 2)) * 180 / M_PI;
}

static double distance_between(const float *a, const float *b)
{
    return hypot(hypot((double)a[0] - (double)b[0], (double)a[1] - (double)b[1]),
                 (double)a[2] - (double)b[2]);
}

/* A value that is not finite, of a hostile file, is as large as can be shown. */
static float shown(double value)
{
    const double most = 1e9;
    return (float)(value < most ? value : most);
}

struct poses {
    float *rows[2], *matrices[2], *morphs;
};

static void measure(struct difference *difference, const struct poses *poses, size_t frame)
{
    uint32_t count = pose_sampler_row_count(difference->sampler);
    size_t column = frame * difference->columns / difference->frames;
    double turns = 0, distances = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct joint_difference *joint = &difference->joints[i];
        float *peak = &difference->turns[i * difference->columns + column];
        float turn = shown(angle_between(poses->rows[0] + i * (size_t)ROW + ROTATION,
                                         poses->rows[1] + i * (size_t)ROW + ROTATION));
        float distance = shown(distance_between(poses->matrices[0] + i * (size_t)MATRIX + POSITION,
                                                poses->matrices[1] + i * (size_t)MATRIX + POSITION));
        joint->turn_sum += (double)turn;
        joint->distance_sum += (double)distance;
        joint->turn_max = fmaxf(joint->turn_max, turn);
        joint->distance_max = fmaxf(joint->distance_max, distance);
        *peak = fmaxf(*peak, turn);
        turns += (double)turn;
        distances += (double)distance;
    }
    difference->mean_turns[frame] = count ? (float)(turns / count) : 0;
    difference->mean_distances[frame] = count ? (float)(distances / count) : 0;
}

static bool measure_all(struct difference *difference, const struct player *const players[2],
                        const struct poses *poses, struct effort *effort, struct pose_error *error)
{
    for (size_t k = 0; k < difference->frames; k++) {
        if (effort && effort_is_over(effort)) {
            error_stopped(error);
            effort_explain(effort, error);
            return false;
        }
        for (int i = 0; i < 2; i++) {
            pose_sample(players[i]->sampler, (double)k / difference->fps, POSE_CLAMP, POSE_IN_PLACE,
                        poses->rows[i], poses->morphs);
            pose_model(players[i]->sampler, poses->rows[i], poses->matrices[i]);
        }
        measure(difference, poses, k);
    }
    return true;
}

bool difference_make(const struct player *const players[2], double fps, size_t frames, struct effort *effort,
                     struct difference *difference, struct pose_error *error)
{
    const struct pose_sampler *sampler = players[0]->sampler;
    size_t count = pose_sampler_row_count(sampler), morphs = pose_sampler_morph_count(sampler);
    size_t more_morphs = pose_sampler_morph_count(players[1]->sampler);
    *difference = (struct difference){.sampler = sampler, .fps = fps, .frames = frames};
    pose_error_init(error);
    difference->columns = frames < DIFFERENCE_COLUMNS ? frames : DIFFERENCE_COLUMNS;
    difference->joints = try_alloc(count, sizeof *difference->joints);
    difference->turns = try_alloc(count * difference->columns, sizeof(float));
    difference->mean_turns = try_alloc(2 * frames, sizeof(float));
    float *room =
        try_alloc(2 * count * (ROW + MATRIX) + (morphs > more_morphs ? morphs : more_morphs), sizeof *room);
    bool done = difference->joints && difference->turns && difference->mean_turns && room;
    if (done) {
        difference->mean_distances = difference->mean_turns + frames;
        float *matrices = room + 2 * count * ROW;
        const struct poses poses = {{room, room + count * ROW},
                                    {matrices, matrices + count * MATRIX},
                                    room + 2 * count * (ROW + MATRIX)};
        done = measure_all(difference, players, &poses, effort, error);
    } else {
        error_no_memory(error);
    }
    free(room);
    if (!done)
        difference_free(difference);
    return done;
}

void difference_free(struct difference *difference)
{
    free(difference->joints);
    free(difference->turns);
    free(difference->mean_turns);
    *difference = (struct difference){0};
}

/* --------------------------------------------------------------------------------------------------------- JSON -- */

static void put_measure(struct json_writer *json, const char *key, double sum, float most, size_t frames)
{
    jsonw_object(json, key);
    jsonw_number(json, "mean", (float)(sum / (double)frames));
    jsonw_number(json, "max", most);
    jsonw_end(json);
}

void difference_json(const struct difference *difference, struct json_writer *json)
{
    const struct pose_row *rows = pose_sampler_rows(difference->sampler);
    jsonw_array(json, "joints");
    for (uint32_t i = 0; i < pose_sampler_row_count(difference->sampler); i++) {
        const struct joint_difference *joint = &difference->joints[i];
        jsonw_object(json, NULL);
        jsonw_string(json, "name", rows[i].name);
        put_measure(json, "rotation_deg", joint->turn_sum, joint->turn_max, difference->frames);
        put_measure(json, "distance_m", joint->distance_sum, joint->distance_max, difference->frames);
        jsonw_end(json);
    }
    jsonw_end(json);
    jsonw_array(json, "times");
    for (size_t k = 0; k < difference->frames; k++)
        jsonw_number(json, NULL, (float)((double)k / difference->fps));
    jsonw_end(json);
    jsonw_floats(json, "rotation_deg", difference->mean_turns, difference->frames);
    jsonw_floats(json, "distance_m", difference->mean_distances, difference->frames);
}

/* ---------------------------------------------------------------------------------------------------------- SVG -- */

enum { MAX_SHOWN = 24, CELL = 5, LINE = 16, LEFT = 150, TOP = 44, RIGHT = 150, BOTTOM = 30 };

/* The rows that differ most, greatest first; returns their number. */
static uint32_t choose_rows(const struct difference *difference, uint32_t chosen[MAX_SHOWN])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pose_sampler_row_count(difference->sampler); i++) {
        float turn = difference->joints[i].turn_max;
        uint32_t at = count;
        while (at && difference->joints[chosen[at - 1]].turn_max < turn)
            at--;
        if (at == MAX_SHOWN)
            continue;
        count += count < MAX_SHOWN;
        memmove(&chosen[at + 1], &chosen[at], (count - at - 1) * sizeof *chosen);
        chosen[at] = i;
    }
    return count;
}

static void put_text(struct writer *to, int x, int y, const char *style, const char *text)
{
    writer_format(to, "<text x=\"%d\" y=\"%d\"%s>", x, y, style);
    markup_text(to, text);
    writer_text(to, "</text>\n");
}

/* From nothing to most: light to dark red. */
static void put_cell(struct writer *to, size_t column, int y, double share)
{
    unsigned green = (unsigned)lround(235 - 195 * share), blue = (unsigned)lround(225 - 190 * share);
    writer_format(to, "<rect x=\"%zu\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\"/>\n",
                  LEFT + column * CELL, y, CELL, LINE - 2, (unsigned)lround(245 - 60 * share), green, blue);
}

static void put_row(struct writer *to, const struct difference *difference, uint32_t row, int y, double most)
{
    const struct joint_difference *joint = &difference->joints[row];
    const char *name = pose_sampler_rows(difference->sampler)[row].name;
    char cut[28], measure[64];
    snprintf(cut, sizeof cut, "%s", name ? name : "");
    put_text(to, LEFT - 6, y + 11, " text-anchor=\"end\"", cut);
    for (size_t k = 0; k < difference->columns; k++)
        put_cell(to, k, y, (double)difference->turns[row * difference->columns + k] / most);
    snprintf(measure, sizeof measure, "%.1f°, %.1f cm", (double)joint->turn_max,
             (double)joint->distance_max * 100);
    put_text(to, LEFT + (int)difference->columns * CELL + 6, y + 11, "", measure);
}

void difference_svg(const struct difference *difference, const char *const names[2], struct pose_buffer *out)
{
    uint32_t chosen[MAX_SHOWN], count = choose_rows(difference, chosen);
    int width = LEFT + (int)difference->columns * CELL + RIGHT, height = TOP + (int)count * LINE + BOTTOM;
    double most = count ? fmax((double)difference->joints[chosen[0]].turn_max, 1) : 1;
    struct pose_error error;
    struct writer to;
    char text[200];
    pose_error_init(&error);
    writer_init(&to, out, &error);
    writer_format(
        &to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
        "font-family=\"DejaVu Sans, sans-serif\" font-size=\"11\" fill=\"#222\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
        width, height, width, height);
    snprintf(text, sizeof text, "%.60s against %.60s", names[0] ? names[0] : "", names[1] ? names[1] : "");
    put_text(&to, 12, 20, " font-size=\"14\"", text);
    put_text(&to, 12, 36, " fill=\"#666\"",
             "rotation of each joint against its parent, the greatest first; at right the maxima");
    for (uint32_t i = 0; i < count; i++)
        put_row(&to, difference, chosen[i], TOP + (int)i * LINE, most);
    put_text(&to, LEFT, height - 12, " fill=\"#666\"", "0 s");
    snprintf(text, sizeof text, "%.2f s", (double)(difference->frames - 1) / difference->fps);
    put_text(&to, LEFT + (int)difference->columns * CELL, height - 12, " fill=\"#666\" text-anchor=\"end\"",
             text);
    writer_text(&to, "</svg>\n");
    if (error.status != POSE_OK)
        pose_buffer_free(out);
}
