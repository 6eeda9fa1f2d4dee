#include "server/draw/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The share of ambient light, and the direction of the light: from above, left, behind the viewer. */
static const float ambient = 0.5f;
static const float light[3] = {-0.42f, 0.70f, 0.58f};

void scene_clear(struct scene *scene)
{
    scene->triangle_count = scene->line_count = scene->label_count = 0;
}

void scene_release(struct scene *scene)
{
    free(scene->triangles);
    free(scene->lines);
    free(scene->labels);
    *scene = (struct scene){0};
}

/* Adds room for one element; NULL with out_of_memory set if that fails. */
static void *add(struct scene *scene, void *elements, size_t size, size_t *count, size_t *capacity)
{
    void **array = elements;
    if (*count == *capacity) {
        size_t wanted = *capacity ? *capacity * 2 : 256;
        void *grown = realloc(*array, wanted * size);
        if (!grown) {
            scene->out_of_memory = true;
            return NULL;
        }
        *array = grown;
        *capacity = wanted;
    }
    return (char *)*array + size * (*count)++;
}

/* ------------------------------------------------------------------------------------------------- triangles -- */

static void subtract(const float a[3], const float b[3], float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static float length(const float a[3])
{
    return sqrtf(dot(a, a));
}

/* Adds a triangle with lighting applied; back faces (corners clockwise) are skipped. */
static void scene_add_triangle(struct scene *scene, const float a[3], const float b[3], const float c[3],
                               struct scene_color color)
{
    float ab[3], ac[3], normal[3];
    subtract(b, a, ab);
    subtract(c, a, ac);
    cross(ab, ac, normal);
    float size = length(normal);
    if (!(normal[2] > 0) || !(size > 0) || !isfinite(size))
        return;
    struct scene_triangle *triangle =
        add(scene, &scene->triangles, sizeof *triangle, &scene->triangle_count, &scene->triangle_capacity);
    if (!triangle)
        return;
    float lit = fmaxf(dot(normal, light) / size, 0);
    float shade = ambient + (1 - ambient) * lit;
    memcpy(triangle->corners[0], a, sizeof triangle->corners[0]);
    memcpy(triangle->corners[1], b, sizeof triangle->corners[1]);
    memcpy(triangle->corners[2], c, sizeof triangle->corners[2]);
    triangle->color = (struct scene_color){color.r * shade, color.g * shade, color.b * shade};
    triangle->depth = (a[2] + b[2] + c[2]) / 3;
}

/* Adds two end points and four around the line between them, counter-clockwise as seen from the second
 * one. */
static void add_spindle(struct scene *scene, const float first[3], const float second[3],
                        const float around[4][3], struct scene_color color)
{
    for (int i = 0; i < 4; i++) {
        const float *a = around[i], *b = around[(i + 1) % 4];
        scene_add_triangle(scene, a, b, second, color);
        scene_add_triangle(scene, b, a, first, color);
    }
}

/* Two unit vectors perpendicular to axis and to each other: u x v = axis. */
static void make_frame(const float axis[3], float u[3], float v[3])
{
    const float helper[3] = {fabsf(axis[0]) < 0.9f ? 1.0f : 0.0f, fabsf(axis[0]) < 0.9f ? 0.0f : 1.0f, 0.0f};
    cross(helper, axis, u);
    float size = length(u);
    for (int i = 0; i < 3; i++)
        u[i] /= size;
    cross(axis, u, v);
}

void scene_add_bone(struct scene *scene, const float from[3], const float to[3], struct scene_color color)
{
    static const float thickest_at = 0.14f, thickness = 0.085f;
    float axis[3], u[3], v[3], around[4][3];
    subtract(to, from, axis);
    float size = length(axis);
    if (!(size > 1e-6f) || !isfinite(size))
        return;
    for (int i = 0; i < 3; i++)
        axis[i] /= size;
    make_frame(axis, u, v);
    for (int k = 0; k < 4; k++) {
        static const float turns[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
        for (int i = 0; i < 3; i++)
            around[k][i] = from[i] + size * (axis[i] * thickest_at +
                                             thickness * (u[i] * turns[k][0] + v[i] * turns[k][1]));
    }
    add_spindle(scene, from, to, (const float(*)[3])around, color);
}

void scene_add_ball(struct scene *scene, const float center[3], float radius, struct scene_color color)
{
    float top[3], bottom[3], around[4][3];
    for (int i = 0; i < 3; i++) {
        top[i] = center[i] + (i == 1 ? radius : 0);
        bottom[i] = center[i] - (i == 1 ? radius : 0);
    }
    for (int k = 0; k < 4; k++) {
        static const float turns[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
        memcpy(around[k], center, sizeof around[k]);
        around[k][0] += turns[k][0] * radius;
        around[k][2] += turns[k][1] * radius;
    }
    add_spindle(scene, bottom, top, (const float(*)[3])around, color);
}

/* ----------------------------------------------------------------------------------------- lines and labels -- */

void scene_add_line(struct scene *scene, const float from[3], const float to[3], struct scene_color color,
                    float width)
{
    struct scene_line *line =
        add(scene, &scene->lines, sizeof *line, &scene->line_count, &scene->line_capacity);
    if (!line)
        return;
    memcpy(line->ends[0], from, sizeof line->ends[0]);
    memcpy(line->ends[1], to, sizeof line->ends[1]);
    line->color = color;
    line->width = width;
}

void scene_add_label(struct scene *scene, const float at[3], const char *text)
{
    struct scene_label *label =
        add(scene, &scene->labels, sizeof *label, &scene->label_count, &scene->label_capacity);
    if (!label)
        return;
    memcpy(label->at, at, sizeof label->at);
    label->text = text;
}

static int by_depth(const void *a, const void *b)
{
    float first = ((const struct scene_triangle *)a)->depth,
          second = ((const struct scene_triangle *)b)->depth;
    return (first > second) - (first < second);
}

void scene_sort(struct scene *scene)
{
    if (scene->triangle_count) /* without triangles the list is NULL, which qsort must not be given */
        qsort(scene->triangles, scene->triangle_count, sizeof *scene->triangles, by_depth);
}
