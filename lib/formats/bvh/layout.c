#include "lib/formats/bvh/layout.h"

#include "lib/core/numbers/decimal.h"
#include "lib/core/numbers/numbers.h"
#include "lib/core/text.h"

#include <string.h>

const char *const bvh_channel_names[BVH_CHANNEL_KINDS] = {"Xposition", "Yposition", "Zposition",
                                                          "Xrotation", "Yrotation", "Zrotation",
                                                          "Xscale",    "Yscale",    "Zscale"};

/* With frame times outside these limits, clip times would not ascend or not be finite. */
#define MIN_FRAME 1e-6f
#define MAX_FRAME 1e6f

/* ------------------------------------------------------------------------------------------------- words -- */

void bvh_words_init(struct bvh_words *words, struct pose_bytes bytes, struct pose_error *error)
{
    *words = (struct bvh_words){.word = ""};
    reader_init(&words->reader, bytes, error);
    words->reader.line = 1;
    if (bytes.size >= 3 && !memcmp(bytes.data, "\xef\xbb\xbf", 3))
        words->reader.at += 3;
}

static inline bool is_blank(const struct bvh_words *words, uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0 || (c == ':' && words->colons);
}

static inline bool is_brace(uint8_t c)
{
    return c == '{' || c == '}';
}

/* Skips blanks, counting lines. */
static void pass_blanks(struct bvh_words *words)
{
    struct reader *reader = &words->reader;
    const uint8_t *at = reader->at, *end = reader->end;
    for (; at < end && is_blank(words, *at); at++) {
        reader->line += *at == '\n';
        words->ended_line |= *at == '\n' || *at == '\r';
    }
    reader->at = at;
    reader->last = at;
}

/* The next word; false at the end of the file. */
static bool next_word(struct bvh_words *words)
{
    struct reader *reader = &words->reader;
    pass_blanks(words);
    const uint8_t *start = reader->at, *at = start;
    if (at < reader->end && is_brace(*at))
        at++;
    else
        while (at < reader->end && !is_blank(words, *at) && !is_brace(*at))
            at++;
    reader->at = at;
    words->word = (const char *)start;
    words->length = (size_t)(at - start);
    return words->length > 0;
}

void bvh_frame_start(struct bvh_words *words)
{
    pass_blanks(words);
    words->ended_line = false;
    words->frame = words->reader.at;
    words->frame_line = words->reader.line;
}

bool bvh_at_end(struct bvh_words *words)
{
    return !next_word(words);
}

static bool is_word(const struct bvh_words *words, const char *keyword)
{
    size_t i = 0;
    while (i < words->length && keyword[i] && text_lower(words->word[i]) == keyword[i])
        i++;
    return i == words->length && !keyword[i];
}

bool bvh_starts(struct bvh_words *words)
{
    return next_word(words) && is_word(words, "hierarchy");
}

/* The part of the word that an error shows. */
struct shown {
    char text[33];
};

static struct shown show(const struct bvh_words *words)
{
    struct shown shown;
    size_t count = words->length < sizeof shown.text - 1 ? words->length : sizeof shown.text - 1;
    for (size_t i = 0; i < count; i++)
        shown.text[i] = words->word[i] > ' ' && words->word[i] <= '~' ? words->word[i] : '?';
    shown.text[count] = 0;
    return shown;
}

/* Fails because the current word is not what was expected. */
static bool fail_word(struct bvh_words *words, const char *field, const char *code, const char *expected)
{
    struct reader *reader = &words->reader;
    reader->last_field = field;
    if (!words->length)
        return reader_fail(reader, "truncated", "the file ends where %s should be", expected);
    return reader_fail(reader, code, "\"%s\" instead of %s", show(words).text, expected);
}

/* The next word, which must be that keyword. */
static bool expect_word(struct bvh_words *words, const char *keyword, const char *code, const char *shown)
{
    next_word(words);
    return is_word(words, keyword) || fail_word(words, NULL, code, shown);
}

static bool fail_number(struct bvh_words *words, enum decimal_result result, const char *field)
{
    struct reader *reader = &words->reader;
    reader->last_field = field;
    if (result == DECIMAL_NON_FINITE)
        return reader_fail(reader, "non_finite", "\"%s\" is not a finite number", show(words).text);
    if (result == DECIMAL_TOO_LARGE)
        return reader_fail(reader, "bad_number", "%s does not fit into 32 bits", show(words).text);
    return fail_word(words, field, "bad_number", "a number");
}

/* A number as nearly all are, after which a word ends; false, with nothing read, for any other. */
static inline bool read_usual_number(struct bvh_words *words, float *value)
{
    struct reader *reader = &words->reader;
    const uint8_t *at = reader->at;
    if (at < reader->end && *at == ' ')
        at++;
    const uint8_t *end =
        (const uint8_t *)number_scan_float((const char *)at, (const char *)reader->end, value);
    if (!end || end == reader->end || !is_blank(words, *end))
        return false;
    reader->last = at;
    reader->at = end;
    return true;
}

float bvh_number(struct bvh_words *words, const char *field)
{
    float value = 0;
    if (words->reader.failed)
        return 0;
    if (read_usual_number(words, &value))
        return value;
    value = 0;
    next_word(words);
    enum decimal_result result = decimal_float(words->word, words->length, &value);
    if (result != DECIMAL_OK)
        fail_number(words, result, field);
    return value;
}

static bool read_integer(struct bvh_words *words, const char *field, int32_t *value)
{
    next_word(words);
    enum decimal_result result = decimal_i32(words->word, words->length, value);
    return result == DECIMAL_OK || fail_number(words, result, field);
}

/* --------------------------------------------------------------------------------------------- hierarchy -- */

struct parsing {
    struct bvh_words *words;
    struct arena *arena;
    const struct pose_limits *limits;
    struct bvh_layout *layout;
    int32_t open; /* the joint whose braces are open, -1: none */
};

/* Goes to the end of the line or to a brace in it: names may contain blanks. */
static const uint8_t *pass_name(struct reader *reader)
{
    while (reader->at < reader->end && *reader->at != '\n' && *reader->at != '\r' && !is_brace(*reader->at))
        reader->at++;
    return reader->at;
}

/* Three numbers. Other readers ignore what else is on the line, such as a comment; here a keyword may
 * follow. */
static bool read_offset(struct parsing *parsing, float offset[3])
{
    struct reader *reader = &parsing->words->reader;
    for (int i = 0; i < 3; i++)
        offset[i] = bvh_number(parsing->words, "OFFSET");
    if (reader->failed)
        return false;
    const uint8_t *at = reader->at, *end = pass_name(reader);
    while (at < end && is_blank(parsing->words, *at))
        at++;
    const char first = at < end ? text_lower((char)*at) : 'a';
    if (first >= 'a' && first <= 'z')
        reader->at = at;
    else if (!parsing->layout->extra_line)
        parsing->layout->extra_line = reader->line;
    return true;
}

static bool read_name(struct parsing *parsing, struct bvh_joint *joint)
{
    struct reader *reader = &parsing->words->reader;
    const uint8_t *at = reader->at, *end = pass_name(reader);
    while (at < end && is_blank(parsing->words, *at))
        at++;
    while (end > at && is_blank(parsing->words, end[-1]))
        end--;
    reader->last = at;
    reader->last_field = "name";
    joint->line = reader->line;
    joint->offset_in_file = reader_last_offset(reader);
    if (at == end)
        return reader_fail(reader, "no_name", "a joint has no name");
    joint->name = text_from_bytes(parsing->arena, (const char *)at, (size_t)(end - at), &joint->is_utf8);
    return joint->name != NULL;
}

static bool open_joint(struct parsing *parsing)
{
    struct bvh_layout *layout = parsing->layout;
    struct bvh_words *words = parsing->words;
    if (layout->joint_count == parsing->limits->joints)
        return error_limit(words->reader.error, "joints", "line %u: more than %u joints", words->reader.line,
                           parsing->limits->joints);
    struct bvh_joint *joints = arena_grow(parsing->arena, layout->joints, layout->joint_count,
                                          &layout->joint_capacity, sizeof *joints);
    if (!joints)
        return false;
    layout->joints = joints;
    struct bvh_joint *joint = &joints[layout->joint_count];
    *joint = (struct bvh_joint){.parent = parsing->open};
    if (!read_name(parsing, joint) || !expect_word(words, "{", "no_offset", "the brace { of the joint"))
        return false;
    parsing->open = (int32_t)layout->joint_count++;
    return true;
}

/* "End Site { OFFSET x y z }"; the offset is optional. "End Site NAME" and "End NAME" occur as well. */
static bool read_end(struct parsing *parsing)
{
    struct bvh_layout *layout = parsing->layout;
    struct bvh_words *words = parsing->words;
    struct bvh_end end = {.joint = (uint32_t)parsing->open};
    pass_name(&words->reader);
    if (!expect_word(words, "{", "no_offset", "the brace { of the End Site"))
        return false;
    next_word(words);
    if (is_word(words, "offset")) {
        if (!read_offset(parsing, end.offset))
            return false;
        next_word(words);
    }
    if (!is_word(words, "}"))
        return fail_word(words, NULL, "no_offset", "OFFSET or the brace } of the End Site");
    struct bvh_end *ends =
        arena_grow(parsing->arena, layout->ends, layout->end_count, &layout->end_capacity, sizeof *ends);
    if (!ends)
        return false;
    layout->ends = ends;
    ends[layout->end_count++] = end;
    return true;
}

/* The channel that the word names, -1: none. */
static int find_channel(const struct bvh_words *words)
{
    static const char *const lower[BVH_CHANNEL_KINDS] = {"xposition", "yposition", "zposition",
                                                         "xrotation", "yrotation", "zrotation",
                                                         "xscale",    "yscale",    "zscale"};
    for (int i = 0; i < BVH_CHANNEL_KINDS; i++) {
        if (is_word(words, lower[i]))
            return i;
    }
    return -1;
}

static bool read_channel(struct bvh_words *words, struct bvh_joint *joint, uint32_t seen[BVH_CHANNEL_KINDS],
                         uint32_t *rotations)
{
    next_word(words);
    int channel = find_channel(words);
    if (channel < 0)
        return fail_word(words, "CHANNELS", "bad_channel", "a channel such as Xrotation");
    bool is_rotation = channel >= BVH_ROTATION && channel < BVH_SCALE;
    if (is_rotation ? ++*rotations > 3 : seen[channel]++)
        return reader_fail(&words->reader, "bad_channel", "%s occurs too often", bvh_channel_names[channel]);
    joint->channels[joint->channel_count++] = (uint8_t)channel;
    return true;
}

static bool read_channels(struct parsing *parsing, struct bvh_joint *joint)
{
    uint32_t seen[BVH_CHANNEL_KINDS] = {0}, rotations = 0;
    int32_t count;
    if (!read_integer(parsing->words, "CHANNELS", &count))
        return false;
    if (count < 0 || count > BVH_CHANNEL_LIMIT || joint->channel_count)
        return reader_fail(&parsing->words->reader, "bad_channel", "%d channels; a joint has up to %d, once",
                           count, BVH_CHANNEL_LIMIT);
    for (int32_t i = 0; i < count; i++) {
        if (!read_channel(parsing->words, joint, seen, &rotations))
            return false;
    }
    parsing->layout->number_count += (uint32_t)count;
    return true;
}

/* An item inside a joint. *known is false if the word does not start one. */
static bool read_in_joint(struct parsing *parsing, bool *known)
{
    struct bvh_words *words = parsing->words;
    struct bvh_joint *joint = &parsing->layout->joints[parsing->open];
    *known = true;
    if (is_word(words, "offset"))
        return read_offset(parsing, joint->offset);
    if (is_word(words, "channels"))
        return read_channels(parsing, joint);
    if (is_word(words, "joint"))
        return open_joint(parsing);
    if (is_word(words, "end"))
        return read_end(parsing);
    if (is_word(words, "}")) {
        parsing->open = joint->parent;
        return true;
    }
    *known = false;
    return true;
}

static bool is_utf16(const struct reader *reader)
{
    const uint8_t *start = reader->start;
    return reader->end - start >= 2 &&
           ((start[0] == 0xff && start[1] == 0xfe) || (start[0] == 0xfe && start[1] == 0xff) ||
            (!start[0] && start[1] == 'H') || (start[0] == 'H' && !start[1]));
}

static bool read_hierarchy(struct parsing *parsing)
{
    struct bvh_words *words = parsing->words;
    if (is_utf16(&words->reader))
        return reader_fail(&words->reader, "no_hierarchy", "the text is UTF-16; save the file as UTF-8");
    if (!expect_word(words, "hierarchy", "no_hierarchy", "HIERARCHY"))
        return false;
    for (;;) {
        bool known = false;
        next_word(words);
        if (parsing->open >= 0) {
            if (!read_in_joint(parsing, &known))
                return false;
        } else if (is_word(words, "root") || is_word(words, "joint")) {
            known = true;
            if (!open_joint(parsing))
                return false;
        } else if (is_word(words, "motion") && parsing->layout->joint_count) {
            return true;
        }
        if (!known)
            return fail_word(words, NULL, parsing->open >= 0 ? "unclosed_joint" : "no_joint",
                             parsing->open >= 0 ? "a part of the joint or its brace }" : "ROOT or MOTION");
    }
}

/* Groups End Sites in the order of their joints; they are already in order unless joints stand between them. */
static bool group_ends(struct parsing *parsing)
{
    struct bvh_layout *layout = parsing->layout;
    struct bvh_end *ends = ARENA_NEW(parsing->arena, struct bvh_end, layout->end_count);
    if (!ends)
        return false;
    for (uint32_t i = 0; i < layout->end_count; i++)
        layout->joints[layout->ends[i].joint].end_count++;
    for (uint32_t i = 0, first = 0; i < layout->joint_count; i++) {
        layout->joints[i].first_end = first;
        first += layout->joints[i].end_count;
        layout->joints[i].end_count = 0;
    }
    for (uint32_t i = 0; i < layout->end_count; i++) {
        struct bvh_joint *joint = &layout->joints[layout->ends[i].joint];
        ends[joint->first_end + joint->end_count++] = layout->ends[i];
    }
    layout->ends = ends;
    return true;
}

/* ------------------------------------------------------------------------------------------------ motion -- */

/* A number takes at least a digit and a blank, a frame without numbers at least the end of its line. */
static bool check_frames(struct parsing *parsing, int32_t count)
{
    struct bvh_layout *layout = parsing->layout;
    struct reader *reader = &parsing->words->reader;
    uint64_t left = reader_left(reader), numbers = (uint64_t)count * layout->number_count;
    if (numbers ? numbers > (left + 1) / 2 : (uint64_t)count > left + 1)
        return reader_fail_at(reader, reader_offset(reader), "Frames", "truncated",
                              "%d frames of %u numbers promised, %llu bytes left", count,
                              layout->number_count, (unsigned long long)left);
    if ((uint64_t)count * layout->joint_count > parsing->limits->keys)
        return error_limit(reader->error, "keys", "line %u: %d frames of %u joints; the limit is %llu keys",
                           layout->frames_line, count, layout->joint_count,
                           (unsigned long long)parsing->limits->keys);
    layout->frame_count = (uint32_t)count;
    return true;
}

/* "3", or "3.0" as programs write it that count in floats. */
static bool read_frame_count(struct bvh_words *words, int32_t *count)
{
    next_word(words);
    size_t length = words->length;
    while (length > 1 && words->word[length - 1] == '0')
        length--;
    const bool is_whole = length > 1 && words->word[length - 1] == '.';
    enum decimal_result result = decimal_i32(words->word, is_whole ? length - 1 : words->length, count);
    return result == DECIMAL_OK || fail_number(words, result, "Frames");
}

/* Goes to the word Frame. Other readers ignore what else is on the line of Frames: */
static bool find_frame_time(struct parsing *parsing)
{
    struct bvh_words *words = parsing->words;
    struct bvh_layout *layout = parsing->layout;
    words->ended_line = false;
    while (next_word(words) && !words->ended_line && !is_word(words, "frame"))
        layout->extra_line = layout->extra_line ? layout->extra_line : layout->frames_line;
    return is_word(words, "frame") || fail_word(words, NULL, "no_frame_time", "Frame Time:");
}

static bool read_frame_time(struct parsing *parsing)
{
    struct bvh_words *words = parsing->words;
    struct bvh_layout *layout = parsing->layout;
    if (!find_frame_time(parsing) || !expect_word(words, "time", "no_frame_time", "Frame Time:"))
        return false;
    float seconds = bvh_number(words, "Frame Time");
    if (words->reader.failed)
        return false;
    layout->frame_time = arena_text(parsing->arena, words->word, words->length);
    layout->frame_seconds = seconds;
    if (seconds == 0 && layout->frame_count <= 1)
        return true;
    if (!(seconds >= MIN_FRAME && seconds <= MAX_FRAME)) {
        words->reader.last_field = "Frame Time";
        return reader_fail(&words->reader, "bad_frame_time", "frames of %g seconds", (double)seconds);
    }
    return true;
}

static bool read_motion_head(struct parsing *parsing)
{
    struct bvh_words *words = parsing->words;
    int32_t count;
    words->colons = true;
    if (!expect_word(words, "frames", "no_frames", "Frames:"))
        return false;
    parsing->layout->frames_line = words->reader.line;
    if (!read_frame_count(words, &count))
        return false;
    words->reader.last_field = "Frames";
    if (count < 0)
        return reader_fail(&words->reader, "no_frames", "%d frames", count);
    parsing->layout->frame_count = (uint32_t)count;
    if (!read_frame_time(parsing))
        return false;
    words->colons = false;
    return check_frames(parsing, count);
}

bool bvh_layout_read(struct bvh_words *words, struct arena *arena, const struct pose_limits *limits,
                     struct bvh_layout *layout)
{
    struct parsing parsing = {words, arena, limits, layout, -1};
    *layout = (struct bvh_layout){0};
    return read_hierarchy(&parsing) && group_ends(&parsing) && read_motion_head(&parsing) && !arena->failed;
}
