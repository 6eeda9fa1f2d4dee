/*
 * The elements of a picture before it is painted: flat triangles, lines and labels in view space (x to the right,
 * y up, z towards the viewer, metres).
 */
#ifndef POSED_SERVER_DRAW_SCENE_H
#define POSED_SERVER_DRAW_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scene_color {
    float r, g, b; /* 0 … 1 */
};

struct scene_triangle {
    float corners[3][3];
    struct scene_color color; /* after lighting */
    float depth;              /* of its centre; smaller is farther away */
};

struct scene_line {
    float ends[2][3];
    struct scene_color color;
    float width; /* pixels in a picture of 320 */
};

struct scene_label {
    float at[3];
    const char *text; /* UTF-8, outlives the scene */
};

/* Zero-initialise; grows as needed. */
struct scene {
    struct scene_triangle *triangles;
    struct scene_line *lines;
    struct scene_label *labels;
    size_t triangle_count, triangle_capacity, line_count, line_capacity, label_count, label_capacity;
    bool out_of_memory; /* some element is missing */
};

void scene_clear(struct scene *scene);
void scene_release(struct scene *scene);

/* A bone from one joint to the next: an eight-sided spindle, thickest near its start. */
void scene_add_bone(struct scene *scene, const float from[3], const float to[3], struct scene_color color);
/* A joint where no bone starts: an eight-sided ball. */
void scene_add_ball(struct scene *scene, const float center[3], float radius, struct scene_color color);
void scene_add_line(struct scene *scene, const float from[3], const float to[3], struct scene_color color,
                    float width);
void scene_add_label(struct scene *scene, const float at[3], const char *text);

/* Sorts the triangles from back to front. */
void scene_sort(struct scene *scene);

#endif
