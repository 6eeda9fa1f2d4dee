#include "lib/formats/gltf/write/path.h"

#include "lib/model/axes.h"

#include <math.h>

/* As the kernels do it (sample_scalar.c). On the arc if is_easy says so. */
static enum gltf_blending find_blending(enum pose_rules rules, double cosine)
{
    switch (rules) {
    case POSE_RULES_SL:
        return cosine < 0 ? GLTF_BLEND_ON_ARC : GLTF_BLEND_LINEAR;
    case POSE_RULES_SIMS:
        return GLTF_BLEND_LINEAR;
    case POSE_RULES_PRIME:
    case POSE_RULES_PRIME_FRAMES:
        return cosine < 0 ? GLTF_BLEND_OTHERWISE : cosine > 0.95 ? GLTF_BLEND_LINEAR : GLTF_BLEND_ON_ARC;
    default:
        return GLTF_BLEND_ON_ARC;
    }
}

void gltf_path_init(struct gltf_path *path, enum pose_rules rules, const float *a, const float *b)
{
    double cosine = quat_dot(a, b), from = quat_dot(a, a), to = quat_dot(b, b);
    path->kernel = sample_kernels_scalar(rules).rotations;
    path->blending = from > 0 && to > 0 ? find_blending(rules, cosine) : GLTF_BLEND_OTHERWISE;
    path->cosine = fabs(cosine) / from;
    path->square = to / from;
    path->sine = sqrt(fmax(path->square - path->cosine * path->cosine, 0));
    path->is_symmetric =
        path->blending == GLTF_BLEND_LINEAR && fabs(path->square - 1) < 0.04 * path->sine * path->sine;
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            path->from[i * LANES + lane] = a[i];
            path->to[i * LANES + lane] = b[i];
        }
    }
}

/* The engine's rotations at eight fractions of the path. */
void gltf_path_follow(const struct gltf_path *path, const double fractions[LANES], float rotations[LANES][4])
{
    static const uint32_t places[LANES] = {0, 4, 8, 12, 16, 20, 24, 28};
    path->kernel(1, path->from, path->to, fractions, places, rotations[0]);
}

/*
 * Where the k-th of n pieces begins. Linear interpolation is slow at both ends and fast in the middle, where it
 * meets the arc: it deviates most in between, so pieces are shorter near the ends. If there are many pieces,
 * equal ones are as good, and better where keys of different lengths bend the path in its middle too.
 */
double gltf_path_piece(const struct gltf_path *path, uint32_t piece, uint32_t pieces)
{
    double place = (double)piece / (double)pieces, side = 1 - 2 * place;
    return path->is_symmetric && pieces < 16 ? (1 - copysign(sqrt(fabs(side)), side)) / 2 : place;
}

/* The angle between two nearby rotations. */
static double angle_between(const double *a, const float *b)
{
    double near = 0, far = 0;
    for (unsigned i = 0; i < 4; i++) {
        near += (a[i] - (double)b[i]) * (a[i] - (double)b[i]);
        far += (a[i] + (double)b[i]) * (a[i] + (double)b[i]);
    }
    return 2 * sqrt(fmin(near, far));
}

/* glTF's interpolation. */
static void slerp(const float *a, const float *b, double fraction, double out[4])
{
    double cosine = quat_dot(a, b), sign = cosine < 0 ? -1 : 1, size = fmin(fabs(cosine), 1);
    double angle = acos(size), whole = sin(angle);
    double from = whole > 1e-7 ? sin(angle * (1 - fraction)) / whole : 1 - fraction;
    double to = sign * (whole > 1e-7 ? sin(angle * fraction) / whole : fraction);
    for (unsigned i = 0; i < 4; i++)
        out[i] = from * (double)a[i] + to * (double)b[i];
}

/* How far glTF deviates from the engine's path if this part is one piece, measured at a few points. */
static double measure(const struct gltf_path *path, double from, double to)
{
    /* The ends of a piece, and where a cubic error is largest; the remaining lanes are unused. */
    static const double spots[LANES] = {0, 0.2113, 0.5, 0.7887, 1, 1, 1, 1};
    double worst = 0, fractions[LANES];
    float way[LANES][4];
    for (unsigned lane = 0; lane < LANES; lane++)
        fractions[lane] = from + (to - from) * spots[lane];
    gltf_path_follow(path, fractions, way);
    for (unsigned spot = 1; spot < 4; spot++) {
        double there[4];
        slerp(way[0], way[4], spots[spot], there);
        worst = fmax(worst, angle_between(there, way[spot]));
    }
    return worst;
}

/* The position of linear interpolation on the arc at a fraction of the path: in radians of quaternions, half
 * those of the rotation. */
static double arc_at(const struct gltf_path *path, double fraction)
{
    return atan2(fraction * path->sine, 1 - fraction + fraction * path->cosine);
}

/*
 * The same for linear interpolation, exactly: both stay on one arc, and are farthest apart where their speeds
 * are equal. The speed at x is sine / ((1 - x)^2 + 2 x (1 - x) cosine + x^2 square), which takes any value at
 * most twice. start and end: where from and to are on the arc.
 */
static double calculate(const struct gltf_path *path, double from, double to, double start, double end)
{
    double speed = (end - start) / (to - from), worst = 0;
    double a = 1 - 2 * path->cosine + path->square, b = path->cosine - 1;
    if (!(a > 0) || !(speed > 0))
        return 0; /* equal keys */
    double root = b * b - a * (1 - path->sine / speed);
    for (int side = -1; side <= 1 && root >= 0; side += 2) {
        double place = (-b + side * sqrt(root)) / a;
        if (place > from && place < to)
            worst = fmax(worst, fabs(arc_at(path, place) - start - speed * (place - from)));
    }
    return 2 * worst;
}

/* The largest deviation of all pieces of the path up to end. */
static double error_of(const struct gltf_path *path, double end, uint32_t pieces)
{
    bool is_linear = path->blending == GLTF_BLEND_LINEAR;
    double worst = 0, from = 0, from_arc = 0, to_arc = 0;
    for (uint32_t piece = 1; piece <= pieces; piece++) {
        double to = end * gltf_path_piece(path, piece, pieces);
        to_arc = is_linear ? arc_at(path, to) : 0;
        worst =
            fmax(worst, is_linear ? calculate(path, from, to, from_arc, to_arc) : measure(path, from, to));
        from = to;
        from_arc = to_arc;
    }
    return worst;
}

/* The number of pieces needed for the tolerance. It is odd if linear interpolation meets the arc in the middle,
 * since a key there would change nothing. */
uint32_t gltf_path_pieces(const struct gltf_path *path, double end, float tolerance)
{
    uint32_t pieces = 1;
    if (path->blending == GLTF_BLEND_ON_ARC)
        return 1;
    while (pieces < GLTF_MOST_PIECES && error_of(path, end, pieces) > (double)tolerance)
        pieces += path->is_symmetric ? 2 * ((pieces + 3) / 4) : (pieces + 1) / 2;
    return pieces;
}
