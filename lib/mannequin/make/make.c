/* Writes the mannequin's vertices and faces as C: `make-mannequin FILE`. Runs when the library is built. */
#include "lib/mannequin/make/surface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FACES = 3000, CENTRAL_AND_LEFT = MANNEQUIN_SIDES + MANNEQUIN_SIDE_COUNT };

static int mirrored(int bone)
{
    return bone < MANNEQUIN_SIDES ? bone : bone + MANNEQUIN_SIDE_COUNT;
}

/* Puts the heaviest bones first; what is left out is shared among them. */
static void take_heaviest(double weights[MANNEQUIN_BONES], struct mannequin_vertex *vertex)
{
    double sum = 0;
    memset(vertex->bones, 0, sizeof vertex->bones);
    for (int k = 0; k < MANNEQUIN_WEIGHTS; k++) {
        int best = 0;
        for (int bone = 1; bone < MANNEQUIN_BONES; bone++)
            best = weights[bone] > weights[best] ? bone : best;
        double weight = weights[best] > 0.005 ? weights[best] : 0;
        vertex->bones[k] = (uint8_t)(weight > 0 ? best : 0);
        vertex->weights[k] = (float)weight;
        sum += weight;
        weights[best] = 0;
    }
    for (int k = 0; k < MANNEQUIN_WEIGHTS; k++)
        vertex->weights[k] = (float)((double)vertex->weights[k] / sum);
}

/* Weights change smoothly over the surface: each vertex takes half of its neighbours'. */
static bool soften(const struct surface *surface, double (*weights)[CENTRAL_AND_LEFT])
{
    double(*sums)[CENTRAL_AND_LEFT] = calloc(surface->vertex_count, sizeof *sums);
    double *counts = calloc(surface->vertex_count, sizeof *counts);
    for (size_t f = 0; sums && counts && f < surface->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            uint32_t to = surface->faces[f][k], from = surface->faces[f][(k + 1) % 3];
            for (int bone = 0; bone < CENTRAL_AND_LEFT; bone++) {
                sums[to][bone] += weights[from][bone];
                sums[from][bone] += weights[to][bone];
            }
            counts[to]++;
            counts[from]++;
        }
    }
    for (size_t v = 0; sums && counts && v < surface->vertex_count; v++) {
        for (int bone = 0; bone < CENTRAL_AND_LEFT && counts[v] > 0; bone++)
            weights[v][bone] = 0.6 * weights[v][bone] + 0.4 * sums[v][bone] / counts[v];
    }
    bool done = sums && counts;
    free(sums);
    free(counts);
    return done;
}

static void put_vertex(const struct mannequin_vertex *vertex, FILE *out)
{
    const float *w = vertex->weights;
    const uint8_t *b = vertex->bones;
    fprintf(out, "    {{%.5ff, %.5ff, %.5ff}, {%u, %u, %u, %u}, {%.4ff, %.4ff, %.4ff, %.4ff}},\n",
            (double)vertex->place[0], (double)vertex->place[1], (double)vertex->place[2], b[0], b[1], b[2],
            b[3], (double)w[0], (double)w[1], (double)w[2], (double)w[3]);
}

/* The left half, then the right one without the rim. to: the right vertex of each left one. */
static uint32_t put_vertices(const struct surface *surface, const double (*weights)[CENTRAL_AND_LEFT],
                             uint32_t *to, FILE *out)
{
    uint32_t count = (uint32_t)surface->vertex_count;
    for (int side = 0; side < 2; side++) {
        for (size_t v = 0; v < surface->vertex_count; v++) {
            const double *place = surface->vertices[v];
            bool is_rim = !(place[0] > 0);
            double all[MANNEQUIN_BONES] = {0};
            struct mannequin_vertex vertex = {
                .place = {(float)(side ? -place[0] : place[0]), (float)place[1], (float)place[2]}};
            for (int bone = 0; bone < CENTRAL_AND_LEFT; bone++) {
                all[side ? mirrored(bone) : bone] += weights[v][bone] / (is_rim ? 2 : 1);
                if (is_rim)
                    all[mirrored(bone)] += weights[v][bone] / 2;
            }
            if (side)
                to[v] = is_rim ? (uint32_t)v : count++;
            if (side && is_rim)
                continue;
            take_heaviest(all, &vertex);
            put_vertex(&vertex, out);
        }
    }
    return count;
}

static bool put_all(const struct surface *surface, const double (*weights)[CENTRAL_AND_LEFT], FILE *out)
{
    uint32_t *to = calloc(surface->vertex_count, sizeof *to);
    if (!to)
        return false;
    fprintf(out, "/* Written by make-mannequin. */\n#include \"lib/mannequin/mannequin.h\"\n\n"
                 "const struct mannequin_vertex mannequin_vertices[] = {\n");
    uint32_t count = put_vertices(surface, weights, to, out);
    fprintf(out, "};\n\nconst uint32_t mannequin_faces[][3] = {\n");
    for (size_t f = 0; f < surface->face_count; f++) {
        const uint32_t *face = surface->faces[f];
        fprintf(out, "    {%u, %u, %u},\n    {%u, %u, %u},\n", face[0], face[1], face[2], to[face[0]],
                to[face[2]], to[face[1]]);
    }
    fprintf(out, "};\n\nconst uint32_t mannequin_vertex_count = %u, mannequin_face_count = %zu;\n", count,
            2 * surface->face_count);
    free(to);
    return true;
}

/* With another grid if the surface runs through a cell of it twice. */
static bool make_surface(struct surface *surface)
{
    static const double steps[] = {0.0050, 0.0047, 0.0053, 0.0044};
    static struct shape shape;
    shape_init(&shape);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (!surface_make(&shape, steps[i], surface) || !surface_reduce(surface, FACES / 2))
            return false;
        if (surface_is_closed(surface))
            return true;
        surface_free(surface);
    }
    return false;
}

int main(int argc, char **argv)
{
    struct surface surface = {0};
    if (argc != 2)
        return 2;
    FILE *out = fopen(argv[1], "w");
    if (!out)
        return 1;
    bool done = make_surface(&surface);
    double(*weights)[CENTRAL_AND_LEFT] = done ? calloc(surface.vertex_count, sizeof *weights) : NULL;
    if (weights) {
        struct shape shape;
        shape_init(&shape);
        for (size_t v = 0; v < surface.vertex_count; v++)
            shape_weights(&shape, surface.vertices[v], weights[v]);
        done = soften(&surface, weights) && soften(&surface, weights) &&
               put_all(&surface, (const double(*)[CENTRAL_AND_LEFT])weights, out);
    }
    done = fclose(out) == 0 && done && weights;
    free(weights);
    surface_free(&surface);
    return done ? 0 : 1;
}
