/*
 * Finds bones by words in joint names and by the hierarchy, for skeletons that no family's table fits. Hands, feet,
 * toes and head have words; limbs are the joints above them.
 */
#include "lib/core/text.h"
#include "lib/retarget/humanoid.h"

#include <string.h>

enum {
    WORD_LEFT = 1,
    WORD_RIGHT = 2,
    WORD_HAND = 4,
    WORD_FOOT = 8,
    WORD_TOES = 16,
    WORD_HEAD = 32,
    WORD_NECK = 64,
    WORD_HELPER = 128, /* not a bone, whatever other words there are */
    WORD_SIZE = 16,
};

struct searching {
    struct finding *finding;
    uint16_t *words; /* [joint_count] */
    bool *trunk;     /* [joint_count] at or above the head */
};

static unsigned meaning_of(const char *word)
{
    static const struct {
        const char *word;
        unsigned meaning;
    } meanings[] = {
        {"l", WORD_LEFT},       {"left", WORD_LEFT},     {"r", WORD_RIGHT},       {"right", WORD_RIGHT},
        {"hand", WORD_HAND},    {"wrist", WORD_HAND},    {"foot", WORD_FOOT},     {"ankle", WORD_FOOT},
        {"toe", WORD_TOES},     {"toes", WORD_TOES},     {"ball", WORD_TOES},     {"head", WORD_HEAD},
        {"neck", WORD_NECK},    {"twist", WORD_HELPER},  {"roll", WORD_HELPER},   {"helper", WORD_HELPER},
        {"dummy", WORD_HELPER}, {"offset", WORD_HELPER}, {"slot", WORD_HELPER},   {"socket", WORD_HELPER},
        {"ik", WORD_HELPER},    {"pole", WORD_HELPER},   {"target", WORD_HELPER}, {"ctrl", WORD_HELPER},
        {"end", WORD_HELPER},   {"nub", WORD_HELPER},    {"site", WORD_HELPER},
    };
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (!strcmp(meanings[i].word, word))
            return meanings[i].meaning;
    }
    return 0;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Whether a new word begins at text[i]; it and text[i - 1] are letters: "upperArm", "LHand". */
static bool begins_word(const char *text, size_t i)
{
    if (!is_capital(text[i]))
        return false;
    bool is_after_small = !is_capital(text[i - 1]);
    bool is_before_small = is_letter(text[i + 1]) && !is_capital(text[i + 1]);
    return is_after_small || is_before_small;
}

static unsigned words_of(const char *name)
{
    const char *colon = name ? strrchr(name, ':') : NULL, *bar = name ? strrchr(name, '|') : NULL;
    const char *text = bar && (!colon || bar > colon) ? bar + 1 : colon ? colon + 1 : name;
    unsigned meaning = 0;
    char word[WORD_SIZE];
    size_t used = 0;
    for (size_t i = 0; text && i < 256; i++) {
        bool ends = !is_letter(text[i]) || (i > 0 && used > 0 && begins_word(text, i));
        if (ends && used) {
            word[used] = '\0';
            meaning |= used + 1 < WORD_SIZE ? meaning_of(word) : 0;
            used = 0;
        }
        if (!text[i])
            break;
        if (is_letter(text[i]) && used + 1 < WORD_SIZE)
            word[used++] = text_lower(text[i]);
    }
    return meaning;
}

/* The joint nearest to the root that has all those words and no others. */
static int32_t find_word(const struct searching *s, unsigned wanted)
{
    const struct pose_humanoid *humanoid = s->finding->humanoid;
    unsigned without = WORD_HELPER | ((WORD_LEFT | WORD_RIGHT) & ~wanted);
    int32_t best = NO_JOINT;
    for (uint32_t i = 0; i < humanoid->skeleton->joint_count; i++) {
        bool fits = (s->words[i] & wanted) == wanted && !(s->words[i] & without);
        if (!fits || s->finding->taken[i] || humanoid->depth[i] > MAX_DEPTH)
            continue;
        if (best == NO_JOINT || humanoid->depth[i] < humanoid->depth[best])
            best = (int32_t)i;
    }
    return best;
}

static bool has_length(const struct pose_humanoid *humanoid, int32_t a, int32_t b)
{
    return vec_length(vec_sub(humanoid->references[a].place, humanoid->references[b].place)) > 1e-4;
}

/* The next joint above that may be a bone of a limb. */
static int32_t next_above(const struct searching *s, int32_t joint)
{
    const struct pose_humanoid *humanoid = s->finding->humanoid;
    int32_t at = joint;
    do
        at = humanoid->skeleton->joints[at].parent;
    while (at >= 0 && !s->trunk[at] && ((s->words[at] & WORD_HELPER) || !has_length(humanoid, at, joint)));
    return at >= 0 && !s->trunk[at] ? at : NO_JOINT;
}

/* Assigns the bones above one, each to the next joint up. */
static void climb(struct searching *s, int side, int from, const int *bones, int count)
{
    struct pose_humanoid *humanoid = s->finding->humanoid;
    int32_t joint = humanoid->joint[slot_of(side, from)];
    for (int i = 0; i < count && joint >= 0; i++) {
        int slot = slot_of(side, bones[i]);
        if (humanoid->joint[slot] == NO_JOINT)
            finding_put(s->finding, slot, next_above(s, joint), POSE_BONE_TREE);
        joint = humanoid->joint[slot];
    }
}

static void find_limbs(struct searching *s, int side)
{
    static const int arm[] = {SIDE_LOWER_ARM, SIDE_UPPER_ARM, SIDE_SHOULDER};
    static const int leg[] = {SIDE_LOWER_LEG, SIDE_UPPER_LEG};
    unsigned where = side ? WORD_RIGHT : WORD_LEFT;
    finding_put(s->finding, slot_of(side, SIDE_HAND), find_word(s, where | WORD_HAND), POSE_BONE_WORD);
    finding_put(s->finding, slot_of(side, SIDE_FOOT), find_word(s, where | WORD_FOOT), POSE_BONE_WORD);
    finding_put(s->finding, slot_of(side, SIDE_TOES), find_word(s, where | WORD_TOES), POSE_BONE_WORD);
    climb(s, side, SIDE_HAND, arm, 3);
    climb(s, side, SIDE_FOOT, leg, 2);
}

/* The lowest common ancestor of two joints, which may be one of them. */
static int32_t common_above(const struct pose_humanoid *humanoid, int32_t a, int32_t b)
{
    const struct pose_joint *joints = humanoid->skeleton->joints;
    while (a >= 0 && b >= 0 && a != b) {
        if (a > b)
            a = joints[a].parent;
        else
            b = joints[b].parent;
    }
    return a == b ? a : NO_JOINT;
}

static void find_hips(struct searching *s)
{
    struct pose_humanoid *humanoid = s->finding->humanoid;
    int32_t head = humanoid->joint[SLOT_HEAD], at = head;
    for (int side = 0; side < 2; side++) {
        int32_t leg = humanoid->joint[slot_of(side, SIDE_UPPER_LEG)];
        if (leg < 0 || at < 0)
            return;
        at = common_above(humanoid, at, leg);
    }
    finding_put(s->finding, SLOT_HIPS, at, POSE_BONE_TREE);
}

/* Finds the bones between hips and head. */
static void find_trunk(struct searching *s)
{
    struct pose_humanoid *humanoid = s->finding->humanoid;
    int32_t head = humanoid->joint[SLOT_HEAD], hips = humanoid->joint[SLOT_HIPS];
    if (head < 0 || hips < 0 || humanoid->spine_count)
        return;
    for (int32_t at = humanoid->skeleton->joints[head].parent; at >= 0 && at != hips;
         at = humanoid->skeleton->joints[at].parent) {
        if (s->words[at] & WORD_HELPER || joint_is_below(humanoid, hips, at))
            continue;
        bool is_neck = s->words[at] & WORD_NECK;
        finding_put(s->finding, is_neck ? SLOT_NECK : SLOT_SPINE, at,
                    is_neck ? POSE_BONE_WORD : POSE_BONE_TREE);
    }
}

bool humanoid_find_words(struct finding *finding)
{
    struct pose_humanoid *humanoid = finding->humanoid;
    uint32_t count = humanoid->skeleton->joint_count;
    struct searching s = {.finding = finding,
                          .words = ARENA_NEW(finding->scratch, uint16_t, count),
                          .trunk = ARENA_NEW(finding->scratch, bool, count)};
    if (!s.words || !s.trunk)
        return false;
    for (uint32_t i = 0; i < count; i++)
        s.words[i] =
            joint_is_own(humanoid, i) ? (uint16_t)words_of(humanoid->skeleton->joints[i].name) : WORD_HELPER;
    finding_put(finding, SLOT_HEAD, find_word(&s, WORD_HEAD), POSE_BONE_WORD);
    for (int32_t at = humanoid->joint[SLOT_HEAD]; at >= 0; at = humanoid->skeleton->joints[at].parent)
        s.trunk[at] = true;
    for (int side = 0; side < 2; side++)
        find_limbs(&s, side);
    find_hips(&s);
    find_trunk(&s);
    return true;
}
