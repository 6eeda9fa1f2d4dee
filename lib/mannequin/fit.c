#include "lib/mannequin/fit.h"

#include <string.h>

static const double lowered = 0.78539816339744831;

static struct vec vec_of(const double from[3])
{
    return (struct vec){from[0], from[1], from[2]};
}

static bool has(const struct fit *fit, int slot)
{
    return fit->humanoid->joint[slot] >= 0;
}

static int sided(int side, int bone)
{
    return MANNEQUIN_SIDES + side * MANNEQUIN_SIDE_COUNT + bone;
}

/* ------------------------------------------------------------------------------------------ the modelled pose -- */

/* In the reference pose. */
static struct vec rest_place(const struct fit *fit, int slot)
{
    const struct pose_humanoid *humanoid = fit->humanoid;
    struct vec place = humanoid->references[humanoid->joint[slot]].place;
    return vec_sub(turn_point(humanoid->figure.unbody, place), humanoid->figure.origin);
}

/* How a bone turns from a T-pose to the modelled pose. */
static struct turn attitude_of(int slot)
{
    static const struct vec forward = {0, 0, 1};
    for (int side = 0; side < 2; side++) {
        int bone = slot - slot_of(side, 0);
        bool is_arm =
            (bone >= SIDE_UPPER_ARM && bone <= SIDE_HAND) || (bone >= SIDE_FINGERS && bone < SIDE_COUNT);
        if (bone >= 0 && bone < SIDE_COUNT && is_arm)
            return turn_about(forward, side ? lowered : -lowered);
    }
    return turn_none;
}

/* The slot above it that carries it along when the pose changes; -1: it stays where it rests. */
static int carrier_of(const struct fit *fit, int slot)
{
    static const int above[SIDE_FINGERS] = {[SIDE_LOWER_ARM] = SIDE_UPPER_ARM,
                                            [SIDE_HAND] = SIDE_LOWER_ARM,
                                            [SIDE_LOWER_LEG] = SIDE_UPPER_LEG,
                                            [SIDE_FOOT] = SIDE_LOWER_LEG,
                                            [SIDE_TOES] = SIDE_FOOT};
    for (int side = 0; side < 2; side++) {
        int bone = slot - slot_of(side, 0);
        if (bone < 0 || bone >= SIDE_COUNT)
            continue;
        if (bone < SIDE_FINGERS)
            return above[bone] ? slot_of(side, above[bone]) : -1;
        int at = (bone - SIDE_FINGERS) % 3 ? slot - 1 : slot_of(side, SIDE_HAND);
        while (!has(fit, at) && at > slot_of(side, SIDE_FINGERS))
            at--;
        return has(fit, at) && at >= slot_of(side, SIDE_FINGERS) ? at : slot_of(side, SIDE_HAND);
    }
    return -1;
}

static void pose_joints(struct fit *fit)
{
    const struct figure *figure = &fit->humanoid->figure;
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        if (!has(fit, slot))
            continue;
        struct turn rest = fit->humanoid->references[fit->humanoid->joint[slot]].turn;
        /* From a T-pose to the reference pose, in body axes. */
        struct turn bent = turn_mul(figure->unbody, turn_mul(rest, figure->align[slot]));
        fit->turned[slot] = turn_unit(turn_mul(attitude_of(slot), turn_inverse(bent)));
        int above = carrier_of(fit, slot);
        fit->place[slot] = rest_place(fit, slot);
        if (above >= 0 && has(fit, above)) {
            struct vec off = vec_sub(rest_place(fit, slot), rest_place(fit, above));
            fit->place[slot] = vec_add(fit->place[above], turn_point(fit->turned[above], off));
        }
    }
}

/* ----------------------------------------------------------------------------------------------------- movers -- */

static void move_by(struct fit *fit, int bone, int slot)
{
    fit->movers[bone] = (struct fit_movers){{slot, slot}, {1, 0}};
}

/* Along a chain of count joints after the first slot, at the shares us of its length. */
static void move_along(struct fit *fit, int bone, double u, int first, const int *slots, const double *us,
                       int count)
{
    int below = first;
    double from = 0;
    for (int k = 0; k < count; k++) {
        if (u <= us[k] + 1e-9) {
            double share = us[k] > from ? (u - from) / (us[k] - from) : 1;
            fit->movers[bone] = (struct fit_movers){{slots[k], below}, {share, 1 - share}};
            return;
        }
        below = slots[k];
        from = us[k];
    }
    move_by(fit, bone, below);
}

static void find_chains(struct fit *fit)
{
    const struct pose_humanoid *humanoid = fit->humanoid;
    int spine[MAX_SPINE], neck[MAX_NECK + 1], spines = (int)humanoid->spine_count,
                                              necks = (int)humanoid->neck_count;
    for (int k = 0; k < spines; k++)
        spine[k] = SLOT_SPINE + k;
    for (int k = 0; k < necks; k++)
        neck[k] = SLOT_NECK + k;
    neck[necks] = SLOT_HEAD;
    for (int bone = MANNEQUIN_HIPS; bone <= MANNEQUIN_UPPER_CHEST; bone++)
        move_along(fit, bone, bone / 3.0, SLOT_HIPS, spine, humanoid->figure.spine_u, spines);
    int top = spines ? SLOT_SPINE + spines - 1 : SLOT_HIPS;
    move_along(fit, MANNEQUIN_NECK, necks ? humanoid->figure.neck_u[0] : 0.5, top, neck,
               humanoid->figure.neck_u, necks + 1);
    move_by(fit, MANNEQUIN_HEAD, SLOT_HEAD);
}

static void find_movers(struct fit *fit)
{
    static const int slots[MANNEQUIN_FINGERS] = {
        [MANNEQUIN_SHOULDER] = SIDE_SHOULDER,   [MANNEQUIN_UPPER_ARM] = SIDE_UPPER_ARM,
        [MANNEQUIN_LOWER_ARM] = SIDE_LOWER_ARM, [MANNEQUIN_HAND] = SIDE_HAND,
        [MANNEQUIN_UPPER_LEG] = SIDE_UPPER_LEG, [MANNEQUIN_LOWER_LEG] = SIDE_LOWER_LEG,
        [MANNEQUIN_FOOT] = SIDE_FOOT,           [MANNEQUIN_TOES] = SIDE_TOES};
    find_chains(fit);
    for (int side = 0; side < 2; side++) {
        for (int bone = 0; bone < MANNEQUIN_SIDE_COUNT; bone++) {
            int own = bone < MANNEQUIN_FINGERS ? slots[bone] : SIDE_FINGERS + bone - MANNEQUIN_FINGERS;
            int above = mannequin_parent(MANNEQUIN_SIDES + bone);
            if (has(fit, slot_of(side, own)))
                move_by(fit, sided(side, bone), slot_of(side, own));
            else
                fit->movers[sided(side, bone)] =
                    fit->movers[above < MANNEQUIN_SIDES ? above : above + side * MANNEQUIN_SIDE_COUNT];
        }
    }
}

/* ------------------------------------------------------------------------------------------------------ sizes -- */

static double held(double value, double least, double most)
{
    return value > least ? value < most ? value : most : least;
}

static struct vec middle_of(const struct fit *fit, int bone)
{
    return vec_middle(fit->place[slot_of(0, bone)], fit->place[slot_of(1, bone)]);
}

static double across(const struct fit *fit, int bone)
{
    return vec_length(vec_sub(fit->place[slot_of(0, bone)], fit->place[slot_of(1, bone)]));
}

/* The trunk is stretched between the middles of hips and shoulders, and as wide as these ask for. */
static void measure(struct fit *fit)
{
    const struct mannequin_segment *hip = &fit->segments[sided(0, MANNEQUIN_UPPER_LEG)],
                                   *shoulder = &fit->segments[sided(0, MANNEQUIN_UPPER_ARM)],
                                   *ankle = &fit->segments[sided(0, MANNEQUIN_FOOT)];
    fit->low[0] = (struct vec){0, hip->head[1], hip->head[2]};
    fit->high[0] = (struct vec){0, shoulder->head[1], shoulder->head[2]};
    fit->low[1] = middle_of(fit, SIDE_UPPER_LEG);
    fit->high[1] = middle_of(fit, SIDE_UPPER_ARM);
    double height = fit->high[1].y - fit->humanoid->figure.mean_ankle;
    fit->size = held(height / (shoulder->head[1] - ankle->head[1]), 1e-4, 1e4);
    double widths[2] = {across(fit, SIDE_UPPER_LEG) / (2 * hip->head[0]),
                        across(fit, SIDE_UPPER_ARM) / (2 * shoulder->head[0])};
    for (int i = 0; i < 2; i++)
        fit->width[i] = held(widths[i], 0.8 * fit->size, 1.25 * fit->size);
}

static struct vec trunk_point(const struct fit *fit, struct vec point)
{
    double t = (point.y - fit->low[0].y) / (fit->high[0].y - fit->low[0].y), inside = held(t, 0, 1);
    struct vec was = vec_add(fit->low[0], vec_scale(vec_sub(fit->high[0], fit->low[0]), t)),
               is = vec_add(fit->low[1], vec_scale(vec_sub(fit->high[1], fit->low[1]), t));
    double width = fit->width[0] + inside * (fit->width[1] - fit->width[0]);
    return (struct vec){is.x + width * (point.x - was.x), is.y, is.z + fit->size * (point.z - was.z)};
}

/* ------------------------------------------------------------------------------------------------------ bones -- */

/* Lays a bone between two places. */
static void lay(struct fit *fit, int bone, struct vec from, struct vec to, double girth)
{
    const struct mannequin_segment *segment = &fit->segments[bone];
    struct fit_bone *out = &fit->bones[bone];
    struct vec along = vec_sub(vec_of(segment->tail), vec_of(segment->head)), wanted = vec_sub(to, from);
    double length = vec_length(along), size = vec_length(wanted);
    *out =
        (struct fit_bone){.from = vec_of(segment->head), .to = from, .along = vec_scale(along, 1 / length)};
    out->turn = size > 1e-3 * fit->size * length ? turn_arc(along, wanted) : turn_none;
    out->length = held(size / length, 0.2 * fit->size, 5 * fit->size);
    out->girth = girth;
}

/* As big and as turned as another, which it continues. */
static void go_on(struct fit *fit, int bone, int other)
{
    struct vec head = vec_of(fit->segments[bone].head);
    fit->bones[bone] = fit->bones[other];
    fit->bones[bone].to = fit_point(fit, other, head);
    fit->bones[bone].from = head;
}

static void lay_head(struct fit *fit)
{
    struct vec head = fit->place[SLOT_HEAD],
               neck = trunk_point(fit, vec_of(fit->segments[MANNEQUIN_NECK].head));
    lay(fit, MANNEQUIN_NECK, neck, head, fit->size);
    /* Small people have large heads. */
    double size = sqrt(fit->size);
    fit->bones[MANNEQUIN_HEAD] = (struct fit_bone){.from = vec_of(fit->segments[MANNEQUIN_HEAD].head),
                                                   .to = head,
                                                   .along = {0, 1, 0},
                                                   .turn = turn_none,
                                                   .length = fit->size < 1 ? size : fit->size,
                                                   .girth = fit->size < 1 ? size : fit->size};
}

static void lay_leg(struct fit *fit, int side)
{
    static const struct vec up = {0, 1, 0};
    const struct leg_measures *leg = &fit->humanoid->figure.legs[side];
    struct vec hip = fit->place[slot_of(side, SIDE_UPPER_LEG)],
               knee = fit->place[slot_of(side, SIDE_LOWER_LEG)], ankle = fit->place[slot_of(side, SIDE_FOOT)];
    lay(fit, sided(side, MANNEQUIN_UPPER_LEG), hip, knee, fit->size);
    lay(fit, sided(side, MANNEQUIN_LOWER_LEG), knee, ankle, fit->size);
    const struct mannequin_segment *foot = &fit->segments[sided(side, MANNEQUIN_FOOT)];
    struct fit_bone *out = &fit->bones[sided(side, MANNEQUIN_FOOT)];
    double height = leg->ankle_height > 0 ? leg->ankle_height / foot->head[1] : fit->size;
    *out = (struct fit_bone){.from = vec_of(foot->head),
                             .to = ankle,
                             .along = up,
                             .turn = turn_none,
                             .length = held(height, 0.3 * fit->size, 2 * fit->size),
                             .girth = fit->size};
    if (has(fit, slot_of(side, SIDE_TOES))) {
        struct vec was = vec_sub(vec_of(foot->tail), vec_of(foot->head)),
                   is = vec_sub(fit->place[slot_of(side, SIDE_TOES)], ankle);
        was.y = is.y = 0;
        double size = vec_length(is) / vec_length(was);
        if (size > 0.5 * fit->size && size < 2 * fit->size && vec_angle(was, is) < 0.7) {
            out->turn = turn_arc(was, is);
            out->girth = size;
        }
    }
    go_on(fit, sided(side, MANNEQUIN_TOES), sided(side, MANNEQUIN_FOOT));
}

/* Joints of fingers that the skeleton has; the last one's length follows from the others'. */
static void lay_finger(struct fit *fit, int side, int finger)
{
    int slot = slot_of(side, SIDE_FINGERS + 3 * finger), bone = sided(side, MANNEQUIN_FINGERS + 3 * finger);
    double girth = fit->bones[sided(side, MANNEQUIN_HAND)].girth;
    bool is_whole = has(fit, slot) && has(fit, slot + 1);
    for (int joint = 0; joint < 3; joint++) {
        if (is_whole && joint < 2 && has(fit, slot + joint + 1))
            lay(fit, bone + joint, fit->place[slot + joint], fit->place[slot + joint + 1], girth);
        else
            go_on(fit, bone + joint, joint ? bone + joint - 1 : sided(side, MANNEQUIN_HAND));
    }
}

static void lay_hand(struct fit *fit, int side)
{
    int hand = sided(side, MANNEQUIN_HAND), middle = slot_of(side, SIDE_FINGERS + 6);
    struct vec wrist = fit->place[slot_of(side, SIDE_HAND)];
    double size = fit->bones[sided(side, MANNEQUIN_LOWER_ARM)].length;
    size = held(size, 0.85 * fit->size, 1.15 * fit->size);
    if (!has(fit, slot_of(side, SIDE_HAND))) {
        go_on(fit, hand, sided(side, MANNEQUIN_LOWER_ARM));
    } else if (has(fit, middle)) {
        lay(fit, hand, wrist, fit->place[middle], size);
        /* The form's knuckle, not its bone's end, is what lies at the joint. */
        struct vec knuckle = vec_of(fit->segments[sided(side, MANNEQUIN_FINGERS + 6)].head),
                   was = vec_sub(knuckle, fit->bones[hand].from), is = vec_sub(fit->place[middle], wrist);
        if (vec_length(is) > 0.3 * size * vec_length(was)) {
            fit->bones[hand].turn = turn_arc(was, is);
            fit->bones[hand].length = held(vec_length(is) / vec_length(was), 0.5 * fit->size, 2 * fit->size);
        }
    } else {
        fit->bones[hand] = fit->bones[sided(side, MANNEQUIN_LOWER_ARM)];
        fit->bones[hand].from = vec_of(fit->segments[hand].head);
        fit->bones[hand].to = wrist;
        fit->bones[hand].length = fit->bones[hand].girth = size;
    }
    for (int finger = 0; finger < 5; finger++)
        lay_finger(fit, side, finger);
}

static void lay_arm(struct fit *fit, int side)
{
    int shoulder = sided(side, MANNEQUIN_SHOULDER);
    struct vec upper = fit->place[slot_of(side, SIDE_UPPER_ARM)],
               lower = fit->place[slot_of(side, SIDE_LOWER_ARM)],
               collar = trunk_point(fit, vec_of(fit->segments[shoulder].head));
    lay(fit, shoulder, collar, upper, fit->size);
    lay(fit, sided(side, MANNEQUIN_UPPER_ARM), upper, lower, fit->size);
    if (has(fit, slot_of(side, SIDE_HAND)))
        lay(fit, sided(side, MANNEQUIN_LOWER_ARM), lower, fit->place[slot_of(side, SIDE_HAND)], fit->size);
    else
        go_on(fit, sided(side, MANNEQUIN_LOWER_ARM), sided(side, MANNEQUIN_UPPER_ARM));
    lay_hand(fit, side);
}

struct vec fit_point(const struct fit *fit, int bone, struct vec point)
{
    const struct fit_bone *of = &fit->bones[bone];
    if (bone <= MANNEQUIN_UPPER_CHEST)
        return trunk_point(fit, point);
    struct vec off = vec_sub(point, of->from);
    double along = vec_dot(off, of->along);
    struct vec around = vec_sub(off, vec_scale(of->along, along));
    off = vec_add(vec_scale(of->along, of->length * along), vec_scale(around, of->girth));
    return vec_add(of->to, turn_point(of->turn, off));
}

void fit_init(struct fit *fit, const struct pose_humanoid *humanoid)
{
    *fit = (struct fit){.humanoid = humanoid};
    mannequin_bones(fit->segments);
    for (int bone = 0; bone < MANNEQUIN_SIDE_COUNT; bone++) {
        struct mannequin_segment *right = &fit->segments[sided(1, bone)];
        *right = fit->segments[sided(0, bone)];
        right->head[0] = -right->head[0];
        right->tail[0] = -right->tail[0];
    }
    pose_joints(fit);
    find_movers(fit);
    measure(fit);
    lay_head(fit);
    for (int side = 0; side < 2; side++) {
        lay_leg(fit, side);
        lay_arm(fit, side);
    }
}
