/* Measures how well a clip fits the figure that it was retargeted to. */
#include "lib/retarget/motion.h"

static const double DEGREES = 57.29577951308232;

/* A point of a planted foot stands while it is less above its lowest moment than this fraction of the hip height. */
static const double POINT_STANDS = 0.02;
enum { POINTS = 4 }; /* ankle and ball of both feet */

/* A point of a foot at a moment. */
struct footprint {
    bool is_planted; /* the foot */
    double height;   /* of the source's, over the ground */
    struct vec off;  /* the target's from the source's, scaled, in the plane of the ground */
};

struct measuring {
    const struct pose_retarget *r;
    struct moment moment;
    struct vec *from, *to; /* positions of all nodes of source and target, in their worlds */
    struct pose_retarget_measures *measures;
    double sum;
    uint64_t count;
    struct footprint *prints[POINTS]; /* a row per moment */
    uint32_t row, row_count;
};

static void place_all(struct measuring *m)
{
    const struct pose_retarget *r = m->r;
    for (uint32_t i = 0; i < r->source_count; i++) {
        const struct source_node *node = &r->source_nodes[i];
        const float *row = m->moment.rows + (size_t)i * ROW_FLOATS;
        struct vec offset = {(double)row[0], (double)row[1], (double)row[2]};
        m->from[i] = node->parent < 0
                         ? offset
                         : vec_add(m->from[node->parent], turn_point(m->moment.from_turns[node->parent],
                                                                     vec_mul(node->stretch, offset)));
    }
    for (uint32_t i = 0; i < r->target_count; i++) {
        const struct target_node *node = &r->nodes[i];
        struct turn above = node->parent < 0 ? turn_none : m->moment.turns[node->parent];
        m->moment.turns[i] = turn_unit(turn_mul(above, m->moment.locals[i]));
        m->to[i] = node->parent < 0 ? node->offset
                                    : vec_add(m->to[node->parent],
                                              turn_point(above, vec_mul(node->stretch, node->offset)));
    }
}

/* ------------------------------------------------------------------------------------------------- attitudes -- */

static void measure_limb(struct measuring *m, int side, int bone)
{
    const struct pose_retarget *r = m->r;
    int a = slot_of(side, bone), b = slot_of(side, bone + 1);
    if (r->source->joint[b] < 0 || r->target->joint[b] < 0)
        return;
    int32_t from_a = r->source_node_of[r->source->joint[a]], from_b = r->source_node_of[r->source->joint[b]];
    int32_t to_a = r->target_node_of[r->target->joint[a]], to_b = r->target_node_of[r->target->joint[b]];
    if (from_a < 0 || from_b < 0 || to_a < 0 || to_b < 0 || !r->nodes[to_a].is_driven)
        return;
    struct vec from = turn_point(r->turn_body, vec_sub(m->from[from_b], m->from[from_a]));
    struct vec to = turn_point(r->target->figure.unbody, vec_sub(m->to[to_b], m->to[to_a]));
    double angle = vec_angle(from, to) * DEGREES;
    m->sum += angle;
    m->count++;
    m->measures->limbs_max = fmax(m->measures->limbs_max, angle);
    if (bone < SIDE_UPPER_LEG)
        m->measures->arms_max = fmax(m->measures->arms_max, angle);
}

static double measure_bone(const struct measuring *m, int slot)
{
    const struct pose_retarget *r = m->r;
    int32_t from = r->source_node_of[r->source->joint[slot]], to = r->target_node_of[r->target->joint[slot]];
    if (from < 0 || to < 0 || !r->nodes[to].is_driven)
        return 0;
    struct turn a =
        turn_mul(r->turn_body, turn_mul(m->moment.from_turns[from], r->source->figure.align[slot]));
    struct turn b =
        turn_mul(r->target->figure.unbody, turn_mul(m->moment.turns[to], r->target->figure.align[slot]));
    return turn_angle(turn_mul(turn_inverse(a), b)) * DEGREES;
}

static void measure_attitudes(struct measuring *m)
{
    for (int side = 0; side < 2; side++) {
        measure_limb(m, side, SIDE_UPPER_ARM);
        measure_limb(m, side, SIDE_LOWER_ARM);
        measure_limb(m, side, SIDE_UPPER_LEG);
        measure_limb(m, side, SIDE_LOWER_LEG);
    }
    m->measures->head = fmax(m->measures->head, measure_bone(m, SLOT_HEAD));
    m->measures->hips = fmax(m->measures->hips, measure_bone(m, SLOT_HIPS));
}

/* ------------------------------------------------------------------------------------------------------ feet -- */

static struct vec target_place(const struct measuring *m, int32_t node)
{
    return target_over(m->r, vec_add(m->to[node], m->moment.shift));
}

/* low: the foot's lowest point. */
static void note_print(struct measuring *m, int point, int32_t from, int32_t to, double low)
{
    const struct pose_retarget *r = m->r;
    struct footprint *print = &m->prints[point][m->row];
    *print = (struct footprint){.height = INFINITY};
    if (from < 0 || to < 0)
        return;
    struct vec source = source_over(r, &m->moment, from);
    print->is_planted = foot_is_planted(r, low);
    print->height = source.y;
    print->off = vec_sub(target_place(m, to), vec_scale(source, r->scale));
    print->off.y = 0;
}

static void measure_foot(struct measuring *m, int side)
{
    const struct pose_retarget *r = m->r;
    const struct foot_motion *foot = &r->feet[side];
    struct pose_retarget_measures *to = m->measures;
    double low = source_lowest(r, &m->moment, side), lowest = INFINITY;
    for (uint32_t i = 0; i < foot->low_count; i++)
        lowest = fmin(lowest, target_place(m, foot->low[i]).y);
    to->lowest_source = fmin(to->lowest_source, r->scale * low);
    to->lowest_target = fmin(to->lowest_target, lowest);
    if (m->moment.weights[side] >= 1)
        to->reach = fmax(to->reach, m->moment.missed[side]);
    note_print(m, 2 * side, foot->source_foot, foot->foot, low);
    note_print(m, 2 * side + 1, foot->ball < 0 ? -1 : foot->source_ball, foot->ball, low);
}

/* How wide the offsets of a point are spread while it stands once: the diagonal of the rectangle around them. */
static double wandering(const struct footprint *prints, uint32_t count)
{
    struct vec low = prints[0].off, high = low;
    for (uint32_t i = 1; i < count; i++) {
        struct vec off = prints[i].off;
        low = (struct vec){fmin(low.x, off.x), 0, fmin(low.z, off.z)};
        high = (struct vec){fmax(high.x, off.x), 0, fmax(high.z, off.z)};
    }
    return vec_length(vec_sub(high, low));
}

/* Every time that a point stands. Returns the sum of its wanderings. */
static double measure_stances(struct measuring *m, const struct footprint *prints)
{
    double lowest = INFINITY, sum = 0, h = m->r->source->figure.hip_height;
    for (uint32_t i = 0; i < m->row_count; i++)
        lowest = fmin(lowest, prints[i].height);
    for (uint32_t i = 0, begin = 0; i <= m->row_count; i++) {
        if (i < m->row_count && prints[i].is_planted && prints[i].height <= lowest + POINT_STANDS * h)
            continue;
        if (i - begin > 1) {
            double wide = wandering(prints + begin, i - begin);
            m->measures->skate_max = fmax(m->measures->skate_max, wide);
            m->measures->skate_stances++;
            sum += wide;
        }
        begin = i + 1;
    }
    return sum;
}

/* README.md defines it. */
static void measure_skate(struct measuring *m)
{
    double sum = 0;
    for (int point = 0; point < POINTS; point++)
        sum += measure_stances(m, m->prints[point]);
    m->measures->skate_mean = m->measures->skate_stances ? sum / m->measures->skate_stances : 0;
}

/* --------------------------------------------------------------------------------------------------- the whole -- */

static void measure_moment(struct measuring *m, double t)
{
    moment_at(m->r, t, POSE_CLAMP, 0, &m->moment);
    place_all(m);
    measure_attitudes(m);
    for (int side = 0; side < 2; side++)
        measure_foot(m, side);
}

bool pose_retarget_measure(const struct pose_retarget *retarget, uint32_t moments,
                           struct pose_retarget_measures *measures)
{
    struct arena arena;
    arena_init(&arena, retarget->arena.allocator, 0, NULL);
    void *scratch = arena_alloc(&arena, moment_size(retarget), 1);
    struct measuring m = {.r = retarget,
                          .measures = measures,
                          .from = ARENA_NEW(&arena, struct vec, retarget->source_count),
                          .to = ARENA_NEW(&arena, struct vec, retarget->target_count)};
    double duration = (double)retarget->clip->duration;
    double fps = retarget->clip->fps > 0 && isfinite(retarget->clip->fps) ? (double)retarget->clip->fps : 30;
    /* Every frame, and the end. */
    uint32_t steps = (uint32_t)fmin(fmax(round(duration * fps), 0), moments > 1 ? moments - 1 : 0);
    bool done = scratch && m.from && m.to;
    m.row_count = steps + 1;
    for (int point = 0; point < POINTS; point++) {
        m.prints[point] = ARENA_NEW(&arena, struct footprint, m.row_count);
        done = done && m.prints[point];
    }
    *measures = (struct pose_retarget_measures){.lowest_source = INFINITY, .lowest_target = INFINITY};
    if (done)
        m.moment = moment_in(retarget, scratch);
    for (m.row = 0; m.row < m.row_count && done; m.row++)
        measure_moment(&m, steps ? duration * m.row / steps : 0);
    if (done)
        measure_skate(&m);
    measures->limbs_mean = m.count ? m.sum / (double)m.count : 0;
    arena_release(&arena);
    return done;
}
