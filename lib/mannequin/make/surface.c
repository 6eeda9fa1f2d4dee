#include "lib/mannequin/make/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 8 };
/* What the figure fills, a little more. */
static const double low = -0.006, back = -0.185, width = 0.74, height = 1.79, depth = 0.42;

/* The first two layers of points lie half a step to both sides of x = 0. */
struct grid {
    const struct shape *shape;
    double step;
    int wide, high, deep; /* points */
    float *distances;     /* [wide][high][deep] */
    int32_t *cells;       /* the same: the vertex of the cell after that point, -1: none */
};

static size_t place_of(const struct grid *grid, int x, int y, int z)
{
    return ((size_t)x * (size_t)grid->high + (size_t)y) * (size_t)grid->deep + (size_t)z;
}

static void point_of(const struct grid *grid, int x, int y, int z, double point[3])
{
    point[0] = (x - 0.5) * grid->step;
    point[1] = low + y * grid->step;
    point[2] = back + z * grid->step;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* A block far from the surface is given one distance, which saves most of the work. */
static void fill_block(struct grid *grid, int x0, int y0, int z0)
{
    double point[3];
    point_of(grid, x0, y0, z0, point);
    for (int i = 0; i < 3; i++)
        point[i] += grid->step * BLOCK / 2;
    double middle = shape_distance(grid->shape, point), reach = 1.6 * grid->step * BLOCK;
    for (int x = x0; x < least(x0 + BLOCK, grid->wide); x++) {
        for (int y = y0; y < least(y0 + BLOCK, grid->high); y++) {
            for (int z = z0; z < least(z0 + BLOCK, grid->deep); z++) {
                point_of(grid, x, y, z, point);
                bool is_far = fabs(middle) > reach;
                grid->distances[place_of(grid, x, y, z)] =
                    (float)(is_far ? middle : shape_distance(grid->shape, point));
            }
        }
    }
}

static void fill(struct grid *grid)
{
    for (int x = 0; x < grid->wide; x += BLOCK) {
        for (int y = 0; y < grid->high; y += BLOCK) {
            for (int z = 0; z < grid->deep; z += BLOCK)
                fill_block(grid, x, y, z);
        }
    }
}

/* ----------------------------------------------------------------------------------------------- vertices -- */

static bool grow(struct surface *surface)
{
    if (surface->vertex_count == surface->vertex_room) {
        size_t room = surface->vertex_room ? 2 * surface->vertex_room : 4096;
        double(*vertices)[3] = realloc(surface->vertices, room * sizeof *vertices);
        if (!vertices)
            return false;
        surface->vertices = vertices;
        surface->vertex_room = room;
    }
    if (surface->face_count + 2 > surface->face_room) {
        size_t room = surface->face_room ? 2 * surface->face_room : 8192;
        uint32_t(*faces)[3] = realloc(surface->faces, room * sizeof *faces);
        if (!faces)
            return false;
        surface->faces = faces;
        surface->face_room = room;
    }
    return true;
}

/* Moves a point along the steepest slope to where the distance is 0. */
static void settle(const struct shape *shape, double step, double point[3])
{
    static const double h = 5e-4;
    for (int round = 0; round < 2; round++) {
        double slope[3], square = 0, here = shape_distance(shape, point);
        for (int i = 0; i < 3; i++) {
            double aside[3] = {point[0], point[1], point[2]};
            aside[i] += h;
            slope[i] = (shape_distance(shape, aside) - here) / h;
            square += slope[i] * slope[i];
        }
        for (int i = 0; i < 3 && square > 0.04; i++)
            point[i] -= fmin(fmax(here * slope[i] / square, -step / 2), step / 2);
    }
}

/* The middle of the places at which the surface meets the cell's edges; false if it does not. */
static bool meet(const struct grid *grid, int x, int y, int z, double point[3])
{
    static const int edges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                     {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    double sum[3] = {0};
    int count = 0;
    for (int i = 0; i < 12; i++) {
        double ends[2][3], d[2];
        for (int k = 0; k < 2; k++) {
            int corner = edges[i][k], cx = x + (corner & 1), cy = y + (corner >> 1 & 1),
                cz = z + (corner >> 2);
            point_of(grid, cx, cy, cz, ends[k]);
            d[k] = (double)grid->distances[place_of(grid, cx, cy, cz)];
        }
        if ((d[0] < 0) == (d[1] < 0))
            continue;
        double t = d[0] / (d[0] - d[1]);
        for (int k = 0; k < 3; k++)
            sum[k] += ends[0][k] + t * (ends[1][k] - ends[0][k]);
        count++;
    }
    for (int k = 0; k < 3 && count; k++)
        point[k] = sum[k] / count;
    return count > 0;
}

static bool add_vertices(struct grid *grid, struct surface *surface)
{
    for (int x = 0; x + 1 < grid->wide; x++) {
        for (int y = 0; y + 1 < grid->high; y++) {
            for (int z = 0; z + 1 < grid->deep; z++) {
                double point[3];
                int32_t *cell = &grid->cells[place_of(grid, x, y, z)];
                *cell = -1;
                if (!meet(grid, x, y, z, point))
                    continue;
                if (!grow(surface))
                    return false;
                settle(grid->shape, grid->step, point);
                point[0] = x ? fmax(point[0], grid->step / 4) : 0;
                *cell = (int32_t)surface->vertex_count;
                memcpy(surface->vertices[surface->vertex_count++], point, sizeof point);
            }
        }
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------- faces -- */

static bool add_quad(struct surface *surface, const int32_t corners[4], bool turned)
{
    static const int orders[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 2, 1, 0, 3, 2}};
    if (!grow(surface))
        return false;
    for (int i = 0; i < 6; i++)
        surface->faces[surface->face_count + (size_t)i / 3][i % 3] = (uint32_t)corners[orders[turned][i]];
    surface->face_count += 2;
    return true;
}

/* The four cells around an edge of the grid that the surface crosses. */
static bool add_faces(const struct grid *grid, struct surface *surface)
{
    for (int x = 1; x + 1 < grid->wide; x++) {
        for (int y = 1; y + 1 < grid->high; y++) {
            for (int z = 1; z + 1 < grid->deep; z++) {
                for (int axis = 0; axis < 3; axis++) {
                    int u[3] = {axis == 1, axis == 2, axis == 0}, v[3] = {axis == 2, axis == 0, axis == 1};
                    bool in = grid->distances[place_of(grid, x, y, z)] < 0,
                         out = grid->distances[place_of(grid, x + (axis == 0), y + (axis == 1),
                                                        z + (axis == 2))] < 0;
                    if (in == out)
                        continue;
                    const int32_t corners[4] = {
                        grid->cells[place_of(grid, x - u[0] - v[0], y - u[1] - v[1], z - u[2] - v[2])],
                        grid->cells[place_of(grid, x - v[0], y - v[1], z - v[2])],
                        grid->cells[place_of(grid, x, y, z)],
                        grid->cells[place_of(grid, x - u[0], y - u[1], z - u[2])]};
                    if (!add_quad(surface, corners, in))
                        return false;
                }
            }
        }
    }
    return true;
}

bool surface_make(const struct shape *shape, double step, struct surface *surface)
{
    struct grid grid = {.shape = shape,
                        .step = step,
                        .wide = (int)(width / step),
                        .high = (int)(height / step),
                        .deep = (int)(depth / step)};
    size_t count = (size_t)grid.wide * (size_t)grid.high * (size_t)grid.deep;
    grid.distances = malloc(count * sizeof *grid.distances);
    grid.cells = malloc(count * sizeof *grid.cells);
    *surface = (struct surface){0};
    bool done = grid.distances && grid.cells;
    if (done) {
        fill(&grid);
        done = add_vertices(&grid, surface) && add_faces(&grid, surface);
    }
    free(grid.distances);
    free(grid.cells);
    return done;
}

/* ------------------------------------------------------------------------------------------------- checking -- */

struct edge {
    uint32_t low, high;
    bool is_turned;
};

static int compare(const void *a, const void *b)
{
    const struct edge *first = a, *second = b;
    if (first->low != second->low)
        return first->low < second->low ? -1 : 1;
    if (first->high != second->high)
        return first->high < second->high ? -1 : 1;
    return first->is_turned - second->is_turned;
}

static bool is_on_rim(const struct surface *surface, const struct edge *edge)
{
    return !(surface->vertices[edge->low][0] > 0) && !(surface->vertices[edge->high][0] > 0);
}

bool surface_is_closed(const struct surface *surface)
{
    size_t count = 3 * surface->face_count;
    struct edge *edges = malloc(count * sizeof *edges);
    bool is_closed = edges;
    for (size_t i = 0; edges && i < count; i++) {
        uint32_t a = surface->faces[i / 3][i % 3], b = surface->faces[i / 3][(i + 1) % 3];
        edges[i] = a < b ? (struct edge){a, b, false} : (struct edge){b, a, true};
    }
    if (edges)
        qsort(edges, count, sizeof *edges, compare);
    for (size_t i = 0; is_closed && i < count;) {
        size_t same = 1;
        while (i + same < count && edges[i + same].low == edges[i].low &&
               edges[i + same].high == edges[i].high)
            same++;
        is_closed = same == 2 ? edges[i].is_turned != edges[i + 1].is_turned
                              : same == 1 && is_on_rim(surface, &edges[i]);
        i += same;
    }
    free(edges);
    return is_closed;
}

void surface_free(struct surface *surface)
{
    free(surface->vertices);
    free(surface->faces);
    *surface = (struct surface){0};
}
