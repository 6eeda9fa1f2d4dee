/* Finds the joint of each bone, by the tables of names and by the user's map. */
#include "lib/core/nearest.h"
#include "lib/core/text.h"
#include "lib/retarget/humanoid.h"

#include <stdio.h>
#include <string.h>

enum {
    NAME_SIZE = 96,   /* no table has longer names */
    MAX_ALIASES = 16, /* of a joint that are checked */
    MAX_MAP = 4096,   /* lines of a map */
    FEW = 8,          /* a family that finds fewer of the required bones is ignored */
};

/* -------------------------------------------------------------------------------------------------- names -- */

static const char *const side_names[SIDE_COUNT] = {
    "Eye",
    "Shoulder",
    "UpperArm",
    "LowerArm",
    "Hand",
    "UpperLeg",
    "LowerLeg",
    "Foot",
    "Toes",
    "ThumbMetacarpal",
    "ThumbProximal",
    "ThumbDistal",
    "IndexProximal",
    "IndexIntermediate",
    "IndexDistal",
    "MiddleProximal",
    "MiddleIntermediate",
    "MiddleDistal",
    "RingProximal",
    "RingIntermediate",
    "RingDistal",
    "LittleProximal",
    "LittleIntermediate",
    "LittleDistal",
};

static void spine_name(uint32_t k, uint32_t count, char *text)
{
    if (k == 0)
        snprintf(text, 32, "spine");
    else if (k + 1 == count && count > 2)
        snprintf(text, 32, "upperChest");
    else if (k == 1)
        snprintf(text, 32, "chest");
    else
        snprintf(text, 32, "chest%u", k);
}

void slot_name(const struct pose_humanoid *humanoid, int slot, char *text)
{
    static const char *const single[] = {"hips", "head", "jaw"};
    if (slot < SLOT_SIDES) {
        snprintf(text, 32, "%s", single[slot]);
    } else if (slot < SLOT_SPINE) {
        int side = (slot - SLOT_SIDES) / SIDE_COUNT;
        snprintf(text, 32, "%s%s", side ? "right" : "left", side_names[(slot - SLOT_SIDES) % SIDE_COUNT]);
    } else if (slot < SLOT_NECK) {
        spine_name((uint32_t)(slot - SLOT_SPINE), humanoid->spine_count, text);
    } else if (slot == SLOT_NECK) {
        snprintf(text, 32, "neck");
    } else {
        snprintf(text, 32, "neck%d", slot - SLOT_NECK + 1);
    }
}

/* The slot of a bone outside the chains, by name; -1 if no bone has that name. */
static int slot_find(const char *name)
{
    char text[32];
    for (int slot = 0; slot < SLOT_SPINE; slot++) {
        slot_name(NULL, slot, text);
        if (!strcmp(text, name))
            return slot;
    }
    return -1;
}

/* Members of chains; their order follows from the hierarchy. */
static bool is_spine(const char *bone)
{
    return !strcmp(bone, "spine") || !strcmp(bone, "chest") || !strcmp(bone, "upperChest");
}

bool pose_is_bone(const char *name)
{
    return is_spine(name) || !strcmp(name, "neck") || !strcmp(name, "root") || slot_find(name) >= 0;
}

/* ------------------------------------------------------------------------------------------ joints by name -- */

/* In lower case, without namespace and common prefixes, and with '_' for blanks and dashes. False if it is too
 * long. */
static bool plain_name(const char *name, char text[NAME_SIZE])
{
    static const char *const prefixes[] = {"mixamorig", "bip001_", "bip01_",   "valvebiped.bip01_",
                                           "def_",      "org_",    "cc_base_", "model_"};
    const char *colon = strrchr(name, ':'), *bar = strrchr(name, '|');
    name = colon && colon[1] ? colon + 1 : name;
    name = bar && bar >= name && bar[1] ? bar + 1 : name;
    size_t length = strlen(name);
    if (!length || length >= NAME_SIZE)
        return false;
    for (size_t i = 0; i <= length; i++)
        text[i] = name[i] == ' ' || name[i] == '-' ? '_' : text_lower(name[i]);
    size_t drop = !strncmp(text, "avatar_m", 8) ? 7 : 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !drop; i++) {
        size_t size = strlen(prefixes[i]);
        if (length > size && !strncmp(text, prefixes[i], size))
            drop = size;
    }
    memmove(text, text + drop, length - drop + 1);
    return true;
}

/* Joints by their plain names: a hash table, since all names of all families are looked up. */
struct joint_names {
    uint32_t mask;
    const char **names;
    int32_t *joints;
};

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 0x811c9dc5;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 0x01000193;
    return hash ^ hash >> 15;
}

static int32_t names_find(const struct joint_names *table, const char *name)
{
    for (uint32_t at = hash_of(name) & table->mask;; at = (at + 1) & table->mask) {
        if (!table->names[at])
            return NO_JOINT;
        if (!strcmp(table->names[at], name))
            return table->joints[at];
    }
}

/* The first joint with a name gets it. */
static bool names_add(struct joint_names *table, struct arena *scratch, const char *name, int32_t joint)
{
    char plain[NAME_SIZE];
    if (!name || !plain_name(name, plain))
        return true;
    uint32_t at = hash_of(plain) & table->mask;
    for (; table->names[at]; at = (at + 1) & table->mask) {
        if (!strcmp(table->names[at], plain))
            return true;
    }
    table->names[at] = arena_text(scratch, plain, strlen(plain));
    table->joints[at] = joint;
    return table->names[at];
}

static uint32_t alias_count(const struct pose_joint *joint)
{
    uint32_t count = 0;
    for (; joint->aliases && joint->aliases[count] && count < MAX_ALIASES; count++)
        continue;
    return count;
}

/* Own names before aliases. */
static bool names_init(struct joint_names *table, struct arena *scratch, const struct pose_humanoid *humanoid)
{
    const struct pose_skeleton *skeleton = humanoid->skeleton;
    uint64_t count = skeleton->joint_count;
    for (uint32_t i = 0; i < skeleton->joint_count; i++)
        count += alias_count(&skeleton->joints[i]);
    uint64_t size = 16;
    while (size < 2 * count)
        size *= 2;
    table->mask = (uint32_t)(size - 1);
    table->names = ARENA_NEW(scratch, const char *, size);
    table->joints = ARENA_NEW(scratch, int32_t, size);
    if (!table->names || !table->joints)
        return false;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        if (joint_is_own(humanoid, i) && !names_add(table, scratch, skeleton->joints[i].name, (int32_t)i))
            return false;
    }
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        uint32_t aliases = joint_is_own(humanoid, i) ? alias_count(&skeleton->joints[i]) : 0;
        for (uint32_t k = 0; k < aliases; k++) {
            if (!names_add(table, scratch, skeleton->joints[i].aliases[k], (int32_t)i))
                return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------- tables -- */

/* The k-th word of a blank-separated list; false when there are fewer. */
static bool word_of(const char *list, int k, char text[NAME_SIZE])
{
    for (; list && *list; k--) {
        size_t length = strcspn(list, " ");
        if (k == 0 && length < NAME_SIZE) {
            memcpy(text, list, length);
            text[length] = '\0';
            return true;
        }
        list += length + (list[length] == ' ');
    }
    return false;
}

/* The replacements of placeholders in a pattern. */
struct pattern_words {
    const char *side, *finger, *number;
};

static void expand(const char *pattern, const struct pattern_words *words, char text[NAME_SIZE])
{
    size_t used = 0;
    for (; *pattern && used + 1 < NAME_SIZE; pattern++) {
        const char *word = *pattern == '#'   ? words->side
                           : *pattern == '%' ? words->finger
                           : *pattern == '@' ? words->number
                                             : NULL;
        if (!word)
            text[used++] = *pattern;
        for (; word && *word && used + 1 < NAME_SIZE; word++)
            text[used++] = *word;
    }
    text[used] = '\0';
}

static int32_t find_pattern(const struct joint_names *joints, const char *pattern,
                            const struct pattern_words *words)
{
    char text[NAME_SIZE];
    if (!pattern)
        return NO_JOINT;
    expand(pattern, words, text);
    return names_find(joints, text);
}

static const char *pattern_of(const struct humanoid_names *names, int bone)
{
    const char *const patterns[SIDE_FINGERS] = {
        [SIDE_EYE] = names->eye,
        [SIDE_SHOULDER] = names->shoulder,
        [SIDE_UPPER_ARM] = names->upper_arm,
        [SIDE_LOWER_ARM] = names->lower_arm,
        [SIDE_HAND] = names->hand,
        [SIDE_UPPER_LEG] = names->upper_leg,
        [SIDE_LOWER_LEG] = names->lower_leg,
        [SIDE_FOOT] = names->foot,
        [SIDE_TOES] = names->toes,
    };
    return patterns[bone];
}

static int32_t find_finger(const struct joint_names *joints, const struct humanoid_names *names,
                           const char *side, int finger, int number)
{
    const char *fingers = names->fingers ? names->fingers : "thumb index middle ring little";
    const char *numbers = finger ? names->finger_joints : names->thumb_joints;
    char word[NAME_SIZE], digit[NAME_SIZE];
    if (!names->finger || !word_of(fingers, finger, word) ||
        !word_of(numbers ? numbers : "1 2 3", number, digit))
        return NO_JOINT;
    return find_pattern(joints, names->finger, &(struct pattern_words){side, word, digit});
}

/* The bones found by one family. */
struct found {
    const struct humanoid_names *names;
    int32_t joint[SLOT_COUNT];
    int32_t root;
    uint32_t required, all;
};

static void found_put(struct found *found, int slot, int32_t joint, bool is_required)
{
    found->joint[slot] = joint;
    found->all += joint >= 0;
    found->required += joint >= 0 && is_required;
}

static void find_chain(const struct joint_names *joints, const char *list, int first, int most,
                       struct found *found)
{
    char word[NAME_SIZE];
    for (int k = 0, count = 0; count < most && word_of(list, k, word); k++) {
        int32_t joint = names_find(joints, word);
        if (joint >= 0)
            found_put(found, first + count, joint, first == SLOT_SPINE && count == 0);
        count += joint >= 0;
    }
}

static bool is_required_side(int bone)
{
    return bone >= SIDE_UPPER_ARM && bone <= SIDE_FOOT;
}

static void find_family(const struct joint_names *joints, const struct humanoid_names *names,
                        struct found *found)
{
    const struct pattern_words none = {"", "", ""};
    *found = (struct found){.names = names, .root = find_pattern(joints, names->root, &none)};
    for (int slot = 0; slot < SLOT_COUNT; slot++)
        found->joint[slot] = NO_JOINT;
    found_put(found, SLOT_HIPS, find_pattern(joints, names->hips, &none), true);
    found_put(found, SLOT_HEAD, find_pattern(joints, names->head, &none), true);
    found_put(found, SLOT_JAW, find_pattern(joints, names->jaw, &none), false);
    find_chain(joints, names->spine, SLOT_SPINE, MAX_SPINE, found);
    find_chain(joints, names->neck, SLOT_NECK, MAX_NECK, found);
    for (int side = 0; side < 2; side++) {
        const struct pattern_words words = {side ? names->right : names->left, "", ""};
        for (int bone = 0; bone < SIDE_FINGERS; bone++)
            found_put(found, slot_of(side, bone), find_pattern(joints, pattern_of(names, bone), &words),
                      is_required_side(bone));
        for (int k = 0; k < 15; k++)
            found_put(found, slot_of(side, SIDE_FINGERS + k),
                      find_finger(joints, names, words.side, k / 3, k % 3), false);
    }
}

static void try_families(const struct joint_names *joints, const struct humanoid_names *const *list,
                         struct found *best)
{
    for (; list && *list; list++) {
        struct found found;
        find_family(joints, *list, &found);
        if (found.required > best->required || (found.required == best->required && found.all > best->all))
            *best = found;
    }
}

/* ----------------------------------------------------------------------------------------------- the user -- */

/* A chain's joints of one kind, from the bottom. */
static bool chain_has(const struct pose_humanoid *humanoid, int first, uint32_t count, int32_t joint)
{
    for (uint32_t k = 0; k < count; k++) {
        if (humanoid->joint[first + (int)k] == joint)
            return true;
    }
    return false;
}

static bool chain_add(struct pose_humanoid *humanoid, bool is_neck, int32_t joint, enum pose_bone_how how)
{
    int first = is_neck ? SLOT_NECK : SLOT_SPINE, most = is_neck ? MAX_NECK : MAX_SPINE;
    uint32_t *count = is_neck ? &humanoid->neck_count : &humanoid->spine_count;
    if (chain_has(humanoid, first, *count, joint))
        return true;
    if ((int)*count == most)
        return false;
    int at = first + (int)(*count)++;
    for (; at > first && humanoid->depth[humanoid->joint[at - 1]] > humanoid->depth[joint]; at--) {
        humanoid->joint[at] = humanoid->joint[at - 1];
        humanoid->how[at] = humanoid->how[at - 1];
    }
    humanoid->joint[at] = joint;
    humanoid->how[at] = (uint8_t)how;
    return true;
}

void finding_put(struct finding *finding, int slot, int32_t joint, enum pose_bone_how how)
{
    struct pose_humanoid *humanoid = finding->humanoid;
    if (joint < 0 || finding->taken[joint] || humanoid->depth[joint] > MAX_DEPTH)
        return;
    if (slot >= SLOT_SPINE) {
        finding->taken[joint] = chain_add(humanoid, slot >= SLOT_NECK, joint, how);
        return;
    }
    if (humanoid->joint[slot] != NO_JOINT)
        return;
    humanoid->joint[slot] = joint;
    humanoid->how[slot] = (uint8_t)how;
    finding->taken[joint] = true;
}

static bool refuse_map(struct pose_error *error, const char *code, const char *joint, const char *what)
{
    return error_set(error, POSE_BAD_ARGUMENT, code, "\"%.60s\": %s", joint, what);
}

/* With the joint whose name is nearest, of a bounded number. */
static bool refuse_joint(const struct finding *finding, const char *joint, struct pose_error *error)
{
    enum { MAX_LOOKED_AT = 1000 };
    const struct pose_skeleton *skeleton = finding->humanoid->skeleton;
    struct nearest nearest;
    char hint[NEAREST_HINT];
    nearest_begin(&nearest, joint, strlen(joint));
    for (uint32_t i = 0; i < skeleton->joint_count && i < MAX_LOOKED_AT; i++) {
        if (skeleton->joints[i].name)
            nearest_offer(&nearest, skeleton->joints[i].name);
    }
    nearest_hint(&nearest, hint);
    return error_set(error, POSE_BAD_ARGUMENT, "unknown_joint", "\"%.60s\": the skeleton has no such joint%s",
                     joint, hint);
}

static bool put_user(struct finding *finding, const struct pose_bone_map *line, int32_t joint,
                     struct pose_error *error)
{
    struct pose_humanoid *humanoid = finding->humanoid;
    if (finding->taken[joint])
        return refuse_map(error, "two_joints", line->joint, "this joint is in the map twice");
    if (!line->bone) {
        finding->taken[joint] = true;
        return true;
    }
    if (!strcmp(line->bone, "root")) {
        if (humanoid->named_root != NO_JOINT)
            return refuse_map(error, "two_joints", line->joint, "another joint is the root already");
        humanoid->named_root = joint;
        return true;
    }
    bool is_neck = !strcmp(line->bone, "neck");
    int slot = is_neck ? SLOT_NECK : is_spine(line->bone) ? SLOT_SPINE : slot_find(line->bone);
    if (slot < 0)
        return error_set(error, POSE_BAD_ARGUMENT, "unknown_bone", "\"%.60s\" is not a bone of a person",
                         line->bone);
    if (slot < SLOT_SPINE && humanoid->joint[slot] != NO_JOINT)
        return error_set(error, POSE_BAD_ARGUMENT, "two_joints", "\"%.60s\": another joint is %.40s already",
                         line->joint, line->bone);
    finding_put(finding, slot, joint, POSE_BONE_USER);
    return true;
}

static bool take_map(struct finding *finding, const struct joint_names *joints,
                     const struct pose_bone_map *map, uint32_t count, struct pose_error *error)
{
    struct name_index exact;
    const struct pose_skeleton *skeleton = finding->humanoid->skeleton;
    if (!count)
        return true;
    if (count > MAX_MAP)
        return error_set(error, POSE_BAD_ARGUMENT, "map_too_long", "a map of %u lines, more than %d", count,
                         MAX_MAP);
    if (!name_index_init(&exact, finding->scratch, skeleton->joint_count))
        return error_no_memory(error);
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        if (joint_is_own(finding->humanoid, i))
            name_index_add(&exact, skeleton->joints[i].name, i);
    }
    name_index_sort(&exact);
    for (uint32_t i = 0; i < count; i++) {
        char plain[NAME_SIZE];
        int64_t joint = name_index_find(&exact, map[i].joint);
        if (joint < 0 && plain_name(map[i].joint, plain))
            joint = names_find(joints, plain);
        if (joint < 0)
            return refuse_joint(finding, map[i].joint, error);
        if (!put_user(finding, &map[i], (int32_t)joint, error))
            return false;
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------- chains -- */

bool joint_is_below(const struct pose_humanoid *humanoid, int32_t joint, int32_t above)
{
    for (; joint != NO_JOINT && joint != above; joint = humanoid->skeleton->joints[joint].parent)
        continue;
    return joint != NO_JOINT && joint == above;
}

/* Keeps the members of a chain that are ancestors of the head, but not of anything below the chain. */
static void clean_chain(struct pose_humanoid *humanoid, int first, uint32_t *count, int32_t below)
{
    uint32_t kept = 0;
    int32_t head = humanoid->joint[SLOT_HEAD];
    for (uint32_t k = 0; k < *count; k++) {
        int32_t joint = humanoid->joint[first + (int)k];
        bool leads = head < 0 || (joint != head && joint_is_below(humanoid, head, joint));
        if (!leads || (below >= 0 && joint_is_below(humanoid, below, joint)))
            continue;
        humanoid->joint[first + (int)kept] = joint;
        humanoid->how[first + (int)kept++] = humanoid->how[first + (int)k];
    }
    for (uint32_t k = kept; k < *count; k++)
        humanoid->joint[first + (int)k] = NO_JOINT;
    *count = kept;
}

static void clean_chains(struct pose_humanoid *humanoid)
{
    clean_chain(humanoid, SLOT_SPINE, &humanoid->spine_count, humanoid->joint[SLOT_HIPS]);
    int32_t last = humanoid->spine_count ? humanoid->joint[SLOT_SPINE + (int)humanoid->spine_count - 1]
                                         : humanoid->joint[SLOT_HIPS];
    clean_chain(humanoid, SLOT_NECK, &humanoid->neck_count, last);
}

static void count_depths(struct pose_humanoid *humanoid)
{
    for (uint32_t i = 0; i < humanoid->skeleton->joint_count; i++) {
        int32_t parent = humanoid->skeleton->joints[i].parent;
        unsigned depth = parent < 0 ? 0 : humanoid->depth[parent] + 1u;
        humanoid->depth[i] = (uint16_t)(depth > MAX_DEPTH ? MAX_DEPTH + 1 : depth);
    }
}

bool humanoid_find(struct pose_humanoid *humanoid, const struct humanoid_names *const *games,
                   const struct pose_bone_map *map, uint32_t map_count, struct arena *scratch,
                   struct pose_error *error)
{
    struct joint_names joints;
    struct finding finding = {.humanoid = humanoid, .scratch = scratch};
    finding.taken = ARENA_NEW(scratch, bool, humanoid->skeleton->joint_count);
    if (!finding.taken || !names_init(&joints, scratch, humanoid))
        return error_no_memory(error);
    count_depths(humanoid);
    if (!take_map(&finding, &joints, map, map_count, error))
        return false;
    struct found best = {.names = NULL, .root = NO_JOINT};
    try_families(&joints, games, &best);
    try_families(&joints, humanoid_names_common, &best);
    if (best.names && best.required >= FEW) {
        humanoid->family = best.names->id;
        for (int slot = 0; slot < SLOT_COUNT; slot++)
            finding_put(&finding, slot, best.joint[slot], POSE_BONE_TABLE);
        if (humanoid->named_root == NO_JOINT)
            humanoid->named_root = best.root;
    }
    if (best.required < 15 && !humanoid_find_words(&finding))
        return error_no_memory(error);
    clean_chains(humanoid);
    return true;
}
