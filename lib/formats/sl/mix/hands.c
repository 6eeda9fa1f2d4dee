/* Hand poses and facial expressions: morphs requested by the clips of a scene (sl-mix.md, 9). */
#include "lib/core/text.h"
#include "lib/formats/sl/mix/scene.h"

enum { HAND_SPREAD, HAND_RELAXED, HAND_POSES = 14 };

#define HAND_FADE 0.2    /* seconds */
#define EMOTE_UP 0.3     /* seconds from the start of a clip */
#define EMOTE_HOLD 1.4   /* at full weight until here */
#define EMOTE_LENGTH 2.8 /* over by then */

static const char *const hand_morphs[HAND_POSES] = {
    NULL, /* spread: the hand as modelled */
    "Hands_Relaxed",
    "Hands_Point",
    "Hands_Fist",
    "Hands_Relaxed_L",
    "Hands_Point_L",
    "Hands_Fist_L",
    "Hands_Relaxed_R",
    "Hands_Point_R",
    "Hands_Fist_R",
    "Hands_Salute_R",
    "Hands_Typing",
    "Hands_Peace_R",
    "Hands_Spread_R",
};

/* The expressions of the viewer's avatar. */
static const char *const emote_morphs[] = {
    "Express_Afraid_Emote", "Express_Anger_Emote",    "Express_Bored_Emote",
    "Express_Cry_Emote",    "Express_Disdain",        "Express_Embarrassed_Emote",
    "Express_Frown",        "Express_Kiss",           "Express_Laugh_Emote",
    "Express_Open_Mouth",   "Express_Repulsed_Emote", "Express_Sad_Emote",
    "Express_Shrug_Emote",  "Express_Smile",          "Express_Surprise_Emote",
    "Express_Tongue_Out",   "Express_Toothsmile",     "Express_Wink_Emote",
    "Express_Worry_Emote",
};

static const char closed_mouth[] = "Express_Closed_Mouth";

enum { EMOTES = sizeof emote_morphs / sizeof *emote_morphs };

unsigned emote_find(const char *name)
{
    for (unsigned i = 0; name && i < EMOTES; i++) {
        if (text_equal_nocase(name, emote_morphs[i]))
            return i;
    }
    return EMOTE_NONE;
}

/* ------------------------------------------------------------------------------------------------- hands -- */

/* The hand pose that the instances request at a moment; `now` if the deciding one requests an invalid pose. */
static unsigned hand_wish(const struct pose_sl_mix *scene, double t, unsigned now)
{
    const struct scene_layer *best = NULL;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const struct scene_instance *instance = &scene->instances[i];
        const struct scene_layer *layer = &scene->layers[instance->layer];
        if (instance_plays(instance, t) && !instance_is_covered(scene, instance, t) &&
            (!best || layer->hand_priority > best->hand_priority))
            best = layer; /* among equal ones the oldest stays */
    }
    if (!best)
        return HAND_RELAXED;
    return best->hand_pose >= 0 && best->hand_pose < HAND_POSES ? (unsigned)best->hand_pose : now;
}

static void change_hand(struct pose_sl_mix *scene, double at, unsigned wish)
{
    const struct hand_change *last = &scene->hands[scene->hand_count - 1];
    if (wish == last->to)
        return;
    /* A fade in progress is cancelled at once. */
    unsigned from = at < last->at + HAND_FADE ? last->from : last->to;
    scene->hands[scene->hand_count++] = (struct hand_change){at, from, wish};
}

/* Between two moments the requested pose is constant. */
void scene_make_hands(struct pose_sl_mix *scene)
{
    scene->hands[0] = (struct hand_change){-HAND_FADE, HAND_RELAXED, HAND_RELAXED};
    scene->hand_count = 1;
    for (uint32_t i = 0; i < scene->moment_count; i++) {
        double from = scene->moments[i];
        double to = i + 1 < scene->moment_count ? scene->moments[i + 1] : from + 1;
        unsigned now = scene->hands[scene->hand_count - 1].to;
        change_hand(scene, from, hand_wish(scene, from + (to - from) / 2, now));
    }
}

static uint32_t put_hands(const struct pose_sl_mix *scene, double t, struct pose_sl_morph *morphs)
{
    uint32_t last = 0, count = 0;
    while (last + 1 < scene->hand_count && scene->hands[last + 1].at <= t)
        last++;
    const struct hand_change *change = &scene->hands[last];
    double up = fmin(1, (t - change->at) / HAND_FADE);
    if (change->from == change->to)
        up = 1;
    if (hand_morphs[change->to] && up > 0)
        morphs[count++] = (struct pose_sl_morph){hand_morphs[change->to], (float)up};
    if (hand_morphs[change->from] && up < 1)
        morphs[count++] = (struct pose_sl_morph){hand_morphs[change->from], (float)(1 - up)};
    return count;
}

/* ------------------------------------------------------------------------------------------------- faces -- */

static double emote_weight(double age)
{
    if (age < EMOTE_HOLD)
        return scene_ease(age / EMOTE_UP);
    return scene_ease(1 - (age - EMOTE_HOLD) / (EMOTE_LENGTH - EMOTE_HOLD));
}

/* The start of the expression's run at time t: a running expression is not restarted. */
static bool emote_run(const struct pose_sl_mix *scene, unsigned emote, double t, double *begun)
{
    bool runs = false;
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        const struct scene_instance *instance = &scene->instances[i];
        if (scene->layers[instance->layer].emote != emote || instance->start > t)
            continue;
        if (!runs || instance->start >= *begun + EMOTE_LENGTH)
            *begun = instance->start;
        runs = true;
    }
    return runs && t < *begun + EMOTE_LENGTH;
}

static uint32_t put_emotes(const struct pose_sl_mix *scene, double t, struct pose_sl_morph *morphs)
{
    uint32_t count = 0;
    double most = -1;
    for (unsigned emote = 0; emote < EMOTES; emote++) {
        double begun = 0;
        if (!emote_run(scene, emote, t, &begun))
            continue;
        double weight = emote_weight(t - begun);
        most = fmax(most, weight);
        morphs[count++] = (struct pose_sl_morph){emote_morphs[emote], (float)weight};
    }
    if (most >= 0)
        morphs[count++] = (struct pose_sl_morph){closed_mouth, (float)(1 - most)};
    return count;
}

static uint32_t add_name(const char *name, const char **names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (names[i] == name)
            return count;
    }
    if (name)
        names[count++] = name;
    return count;
}

uint32_t pose_sl_mix_morph_names(const struct pose_sl_mix *mix, const char **names)
{
    uint32_t count = 0;
    bool has_face = false;
    for (uint32_t i = 0; i < mix->hand_count; i++) {
        count = add_name(hand_morphs[mix->hands[i].from], names, count);
        count = add_name(hand_morphs[mix->hands[i].to], names, count);
    }
    for (uint32_t i = 0; i < mix->instance_count; i++) {
        unsigned emote = mix->layers[mix->instances[i].layer].emote;
        has_face |= emote != EMOTE_NONE;
        if (emote != EMOTE_NONE)
            count = add_name(emote_morphs[emote], names, count);
    }
    return has_face ? add_name(closed_mouth, names, count) : count;
}

uint32_t pose_sl_mix_morphs(const struct pose_sl_mix *mix, double t, struct pose_sl_morph *morphs)
{
    uint32_t count = put_hands(mix, t, morphs);
    return count + put_emotes(mix, t, morphs + count);
}
