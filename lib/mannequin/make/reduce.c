/* Merges the ends of edges, cheapest first, by the squared distances to the planes that met there (Garland and
 * Heckbert, 1997). */
#include "lib/mannequin/make/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Symmetric: xx xy xz xw yy yz yw zz zw ww. */
struct quadric {
    double q[10];
};

struct corner {
    struct quadric quadric;
    uint32_t version; /* changes when it moves */
    bool is_gone, is_rim;
    uint32_t *faces; /* those that touch it, and some that are gone */
    size_t face_count, face_room;
};

struct merge {
    double cost, place[3];
    uint32_t ends[2], version;
};

struct reduction {
    struct surface *surface;
    struct corner *corners;
    bool *is_gone; /* [face_count] */
    size_t left;   /* faces */
    struct merge *heap;
    size_t heap_count, heap_room;
};

static void cross(const double a[3], const double b[3], const double c[3], double out[3])
{
    double u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
    }
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add_plane(struct quadric *to, const double n[3], double w, double weight)
{
    const double all[4] = {n[0], n[1], n[2], w};
    int at = 0;
    for (int i = 0; i < 4; i++) {
        for (int k = i; k < 4; k++)
            to->q[at++] += weight * all[i] * all[k];
    }
}

static double error_at(const struct quadric *of, const double p[3])
{
    const double *q = of->q;
    return q[0] * p[0] * p[0] + q[4] * p[1] * p[1] + q[7] * p[2] * p[2] +
           2 * (q[1] * p[0] * p[1] + q[2] * p[0] * p[2] + q[5] * p[1] * p[2] + q[3] * p[0] + q[6] * p[1] +
                q[8] * p[2]) +
           q[9];
}

/* The point with the least error; false if there is no single one. */
static bool best_place(const struct quadric *of, double place[3])
{
    const double *q = of->q;
    double a = q[4] * q[7] - q[5] * q[5], b = q[2] * q[5] - q[1] * q[7], c = q[1] * q[5] - q[2] * q[4];
    double d = q[0] * a + q[1] * b + q[2] * c, size = q[0] + q[4] + q[7];
    if (!(fabs(d) > 1e-5 * size * size * size))
        return false;
    double e = q[0] * q[7] - q[2] * q[2], f = q[1] * q[2] - q[0] * q[5], g = q[0] * q[4] - q[1] * q[1];
    place[0] = -(a * q[3] + b * q[6] + c * q[8]) / d;
    place[1] = -(b * q[3] + e * q[6] + f * q[8]) / d;
    place[2] = -(c * q[3] + f * q[6] + g * q[8]) / d;
    return true;
}

/* --------------------------------------------------------------------------------------------------- the heap -- */

static void sift_up(struct merge *heap, size_t at)
{
    while (at && heap[at].cost < heap[(at - 1) / 2].cost) {
        struct merge other = heap[at];
        heap[at] = heap[(at - 1) / 2];
        heap[(at - 1) / 2] = other;
        at = (at - 1) / 2;
    }
}

static struct merge take_first(struct reduction *r)
{
    struct merge first = r->heap[0];
    r->heap[0] = r->heap[--r->heap_count];
    for (size_t at = 0;;) {
        size_t next = 2 * at + 1;
        if (next + 1 < r->heap_count && r->heap[next + 1].cost < r->heap[next].cost)
            next++;
        if (next >= r->heap_count || r->heap[next].cost >= r->heap[at].cost)
            return first;
        struct merge other = r->heap[at];
        r->heap[at] = r->heap[next];
        r->heap[next] = other;
        at = next;
    }
}

static void choose_place(const struct reduction *r, struct merge *merge)
{
    const double *a = r->surface->vertices[merge->ends[0]], *b = r->surface->vertices[merge->ends[1]];
    const struct corner *first = &r->corners[merge->ends[0]], *second = &r->corners[merge->ends[1]];
    struct quadric sum = first->quadric;
    double length = 0, middle[3], best = HUGE_VAL;
    for (int i = 0; i < 10; i++)
        sum.q[i] += second->quadric.q[i];
    for (int i = 0; i < 3; i++) {
        middle[i] = (a[i] + b[i]) / 2;
        length += (a[i] - b[i]) * (a[i] - b[i]);
    }
    const double *choices[3] = {middle, a, b};
    if (first->is_rim != second->is_rim) /* what lies on the rim stays there */
        choices[0] = choices[1] = choices[2] = first->is_rim ? a : b;
    for (int i = 0; i < 3; i++) {
        double error = error_at(&sum, choices[i]);
        if (error < best) {
            best = error;
            memcpy(merge->place, choices[i], sizeof merge->place);
        }
    }
    double ideal[3], off = 0;
    if (!first->is_rim && !second->is_rim && best_place(&sum, ideal)) {
        for (int i = 0; i < 3; i++)
            off += (ideal[i] - middle[i]) * (ideal[i] - middle[i]);
        if (off < 4 * length && ideal[0] > 1e-4) {
            best = error_at(&sum, ideal);
            memcpy(merge->place, ideal, sizeof ideal);
        }
    }
    merge->cost = fmax(best, 0) + 1e-6 * length * length; /* of equal ones the short go first */
}

static bool push(struct reduction *r, uint32_t a, uint32_t b)
{
    if (r->heap_count == r->heap_room) {
        size_t room = r->heap_room ? 2 * r->heap_room : 1 << 16;
        struct merge *heap = realloc(r->heap, room * sizeof *heap);
        if (!heap)
            return false;
        r->heap = heap;
        r->heap_room = room;
    }
    struct merge merge = {.ends = {a, b}, .version = r->corners[a].version + r->corners[b].version};
    choose_place(r, &merge);
    r->heap[r->heap_count] = merge;
    sift_up(r->heap, r->heap_count++);
    return true;
}

/* -------------------------------------------------------------------------------------------------- the merges -- */

static bool has(const uint32_t face[3], uint32_t vertex)
{
    return face[0] == vertex || face[1] == vertex || face[2] == vertex;
}

static bool touch(struct corner *corner, uint32_t face)
{
    if (corner->face_count == corner->face_room) {
        size_t room = corner->face_room ? 2 * corner->face_room : 8;
        uint32_t *faces = realloc(corner->faces, room * sizeof *faces);
        if (!faces)
            return false;
        corner->faces = faces;
        corner->face_room = room;
    }
    corner->faces[corner->face_count++] = face;
    return true;
}

/* Whether two vertices share a face. */
static bool is_beside(const struct reduction *r, uint32_t a, uint32_t b)
{
    const struct corner *corner = &r->corners[a];
    for (size_t i = 0; i < corner->face_count; i++) {
        if (!r->is_gone[corner->faces[i]] && has(r->surface->faces[corner->faces[i]], b))
            return true;
    }
    return false;
}

/* Merging keeps the surface a surface only if the ends have as many common neighbours as common faces. */
static bool may_merge(const struct reduction *r, uint32_t a, uint32_t b)
{
    const struct corner *first = &r->corners[a];
    unsigned faces = 0, neighbours = 0;
    uint32_t seen[64];
    for (size_t i = 0; i < first->face_count; i++) {
        const uint32_t *face = r->surface->faces[first->faces[i]];
        if (r->is_gone[first->faces[i]])
            continue;
        faces += has(face, b);
        for (int k = 0; k < 3; k++) {
            bool is_new = face[k] != a && face[k] != b;
            for (unsigned s = 0; s < neighbours && is_new; s++)
                is_new = seen[s] != face[k];
            if (is_new && is_beside(r, b, face[k])) {
                if (neighbours == 64)
                    return false;
                seen[neighbours++] = face[k];
            }
        }
    }
    bool on_rim = first->is_rim && r->corners[b].is_rim;
    return faces == neighbours && faces == (on_rim ? 1 : 2);
}

/* Whether a face of the vertex would turn over, or become a splinter. */
static bool turns_over(const struct reduction *r, uint32_t vertex, uint32_t other, const double place[3])
{
    const struct corner *corner = &r->corners[vertex];
    for (size_t i = 0; i < corner->face_count; i++) {
        const uint32_t *face = r->surface->faces[corner->faces[i]];
        if (r->is_gone[corner->faces[i]] || has(face, other))
            continue;
        const double *was[3], *is[3];
        double before[3], after[3];
        for (int k = 0; k < 3; k++) {
            was[k] = r->surface->vertices[face[k]];
            is[k] = face[k] == vertex ? place : was[k];
        }
        cross(was[0], was[1], was[2], before);
        cross(is[0], is[1], is[2], after);
        double longest = 0;
        for (int k = 0; k < 3; k++) {
            double square = 0;
            for (int x = 0; x < 3; x++)
                square += (is[k][x] - is[(k + 1) % 3][x]) * (is[k][x] - is[(k + 1) % 3][x]);
            longest = fmax(longest, square);
        }
        double area = sqrt(dot(after, after));
        if (!(dot(before, after) > 0.3 * sqrt(dot(before, before)) * area) || area < 0.06 * longest)
            return true;
    }
    return false;
}

static bool do_merge(struct reduction *r, const struct merge *merge)
{
    uint32_t a = merge->ends[0], b = merge->ends[1];
    struct corner *to = &r->corners[a], *from = &r->corners[b];
    memcpy(r->surface->vertices[a], merge->place, sizeof merge->place);
    for (int i = 0; i < 10; i++)
        to->quadric.q[i] += from->quadric.q[i];
    to->is_rim |= from->is_rim;
    to->version++;
    from->is_gone = true;
    for (size_t i = 0; i < from->face_count; i++) {
        uint32_t number = from->faces[i], *face = r->surface->faces[number];
        if (r->is_gone[number])
            continue;
        if (has(face, a)) {
            r->is_gone[number] = true;
            r->left--;
            continue;
        }
        for (int k = 0; k < 3; k++)
            face[k] = face[k] == b ? a : face[k];
        if (!touch(to, number))
            return false;
    }
    for (size_t i = 0; i < to->face_count; i++) {
        const uint32_t *face = r->surface->faces[to->faces[i]];
        for (int k = 0; k < 3 && !r->is_gone[to->faces[i]]; k++) {
            if (face[k] != a && !push(r, a, face[k]))
                return false;
        }
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------- the whole -- */

static bool prepare(struct reduction *r)
{
    struct surface *surface = r->surface;
    r->corners = calloc(surface->vertex_count, sizeof *r->corners);
    r->is_gone = calloc(surface->face_count, sizeof *r->is_gone);
    if (!r->corners || !r->is_gone)
        return false;
    for (uint32_t f = 0; f < surface->face_count; f++) {
        const uint32_t *face = surface->faces[f];
        double normal[3];
        cross(surface->vertices[face[0]], surface->vertices[face[1]], surface->vertices[face[2]], normal);
        double area = sqrt(dot(normal, normal));
        for (int i = 0; i < 3; i++)
            normal[i] = area > 0 ? normal[i] / area : 0;
        double w = -dot(normal, surface->vertices[face[0]]);
        for (int i = 0; i < 3; i++) {
            struct corner *corner = &r->corners[face[i]];
            corner->is_rim = !(surface->vertices[face[i]][0] > 0);
            add_plane(&corner->quadric, normal, w, area);
            if (!touch(corner, f))
                return false;
        }
    }
    for (uint32_t f = 0; f < surface->face_count; f++) {
        const uint32_t *face = surface->faces[f];
        for (int i = 0; i < 3; i++) {
            if ((face[i] < face[(i + 1) % 3] || r->corners[face[i]].is_rim) &&
                !push(r, face[i], face[(i + 1) % 3]))
                return false;
        }
    }
    return true;
}

static void close_up(struct reduction *r)
{
    struct surface *surface = r->surface;
    uint32_t count = 0, faces = 0;
    for (size_t v = 0; v < surface->vertex_count; v++) {
        if (r->corners[v].is_gone)
            continue;
        memmove(surface->vertices[count], surface->vertices[v], sizeof *surface->vertices);
        r->corners[v].version = count++;
    }
    for (size_t f = 0; f < surface->face_count; f++) {
        if (r->is_gone[f])
            continue;
        for (int k = 0; k < 3; k++)
            surface->faces[faces][k] = r->corners[surface->faces[f][k]].version;
        faces++;
    }
    surface->vertex_count = count;
    surface->face_count = faces;
}

bool surface_reduce(struct surface *surface, size_t face_count)
{
    struct reduction r = {.surface = surface, .left = surface->face_count};
    size_t corners = surface->vertex_count;
    bool done = prepare(&r);
    while (done && r.left > face_count && r.heap_count) {
        struct merge merge = take_first(&r);
        const struct corner *a = &r.corners[merge.ends[0]], *b = &r.corners[merge.ends[1]];
        if (a->is_gone || b->is_gone || a->version + b->version != merge.version ||
            !may_merge(&r, merge.ends[0], merge.ends[1]) ||
            turns_over(&r, merge.ends[0], merge.ends[1], merge.place) ||
            turns_over(&r, merge.ends[1], merge.ends[0], merge.place))
            continue;
        done = do_merge(&r, &merge);
    }
    if (done)
        close_up(&r);
    for (size_t v = 0; r.corners && v < corners; v++)
        free(r.corners[v].faces);
    free(r.corners);
    free(r.is_gone);
    free(r.heap);
    return done;
}
