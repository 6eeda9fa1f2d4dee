/*
 * The errors of the viewer's BVH reader: it reads line by line and finds keywords anywhere in a line, in their
 * usual case. Blank lines are skipped. Facts: the viewer's loader; the codes follow the names of its errors.
 */
#include "lib/formats/sl/bvh.h"

#include "lib/core/numbers/numbers.h"

#include <stdio.h>
#include <string.h>

struct line_walk {
    const char *at, *end;
    uint32_t next_number;        /* line number of `at` */
    const char *feed, *carriage; /* the next of each kind of line end, from at on; the end without one */
    const char *text;            /* the current line */
    size_t length;
    uint32_t number;
    uint32_t joint_count;
    uint64_t needed; /* numbers per frame */
    struct sl_bvh_reason *reason;
};

static bool refuse(struct line_walk *walk, const char *code, const char *message)
{
    walk->reason->code = code;
    walk->reason->line = walk->number;
    snprintf(walk->reason->message, sizeof walk->reason->message, "%s", message);
    return false;
}

static const char *find_byte(const struct line_walk *walk, char byte)
{
    const char *found = memchr(walk->at, byte, (size_t)(walk->end - walk->at));
    return found ? found : walk->end;
}

/* Where the line ends that begins at `at`. Both kinds of ends are looked for once only, or a file that has just one of
 * them would be searched to its end for every line. */
static const char *find_line_end(struct line_walk *walk)
{
    if (!walk->feed || walk->feed < walk->at)
        walk->feed = find_byte(walk, '\n');
    if (!walk->carriage || walk->carriage < walk->at)
        walk->carriage = find_byte(walk, '\r');
    return walk->feed < walk->carriage ? walk->feed : walk->carriage;
}

/* Goes to the next line that is not blank. */
static bool next_line(struct line_walk *walk)
{
    while (walk->at < walk->end && (*walk->at == '\r' || *walk->at == '\n'))
        walk->next_number += *walk->at++ == '\n';
    if (walk->at == walk->end)
        return refuse(walk, "truncated", "the file ends too early");
    walk->text = walk->at;
    walk->number = walk->next_number;
    walk->at = find_line_end(walk);
    walk->length = (size_t)(walk->at - walk->text);
    return true;
}

static const char *find(const struct line_walk *walk, const char *word)
{
    return memmem(walk->text, walk->length, word, strlen(word));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/* Counts the bytes after the first that are not blank and follow a blank. Of a block that is short enough for sums of
 * bytes, and with few comparisons (a line has no line feed, which lies between the blanks), so that the compiler can
 * vectorise it. */
static uint8_t count_starts(const char *text, size_t size)
{
    uint8_t sum = 0;
    for (size_t i = 1; i < size; i++) {
        const uint8_t before = (uint8_t)text[i - 1], at = (uint8_t)text[i];
        const uint8_t was = (uint8_t)(before == ' ' || (uint8_t)(before - '\t') <= '\f' - '\t'),
                      is = (uint8_t)(at == ' ' || (uint8_t)(at - '\t') <= '\f' - '\t');
        const uint8_t starts = was > is;
        sum = (uint8_t)(sum + starts);
    }
    return sum;
}

static uint64_t count_words(const struct line_walk *walk)
{
    enum { BLOCK = 255 };
    uint64_t count = walk->length && !is_blank(walk->text[0]);
    for (size_t block = 0; block + 1 < walk->length; block += BLOCK)
        count += count_starts(walk->text + block,
                              walk->length - block <= BLOCK ? walk->length - block : BLOCK + 1);
    return count;
}

static bool expect_line(struct line_walk *walk, const char *word, const char *code, const char *message)
{
    return next_line(walk) && (find(walk, word) || refuse(walk, code, message));
}

/* "CHANNELS 6 …" at the start of the line; otherwise what the viewer assumes. */
static unsigned read_channel_count(const struct line_walk *walk)
{
    const char *at = walk->text, *end = at + walk->length, *word = "CHANNELS";
    unsigned fallback = walk->joint_count ? 3 : 6, count = 0;
    while (at < end && is_blank(*at))
        at++;
    if ((size_t)(end - at) < strlen(word) || memcmp(at, word, strlen(word)) != 0)
        return fallback;
    for (at += strlen(word); at < end && is_blank(*at);)
        at++;
    if (at == end || *at < '0' || *at > '9')
        return fallback;
    for (; at < end && *at >= '0' && *at <= '9' && count < 1000; at++)
        count = count * 10 + (unsigned)(*at - '0');
    return count;
}

static bool check_channels(struct line_walk *walk)
{
    if (!expect_line(walk, "CHANNELS", "no_channels",
                     "a line with CHANNELS must follow the line with OFFSET"))
        return false;
    const char *at = walk->text, *end = at + walk->length;
    for (int i = 0; i < 3; i++) {
        const char *found = memmem(at, (size_t)(end - at), "rotation", 8);
        if (!found)
            return refuse(walk, "no_rotation", "every joint needs three rotation channels");
        if (found == walk->text || !memchr("XYZ", found[-1], 3))
            return refuse(walk, "no_axis", "a rotation that is not about X, Y or Z");
        at = found + 8;
    }
    unsigned count = read_channel_count(walk);
    walk->needed += count == 6 ? 6 : 3;
    walk->joint_count++;
    return true;
}

static bool check_joint(struct line_walk *walk)
{
    if (count_words(walk) < 2)
        return refuse(walk, "no_name", "the name must follow ROOT or JOINT on its line");
    return expect_line(walk, "{", "no_offset", "the brace { must be on the line after the name") &&
           expect_line(walk, "OFFSET", "no_offset",
                       "a line with OFFSET must follow the line with the brace {") &&
           check_channels(walk);
}

static bool check_hierarchy(struct line_walk *walk)
{
    if (!expect_line(walk, "HIERARCHY", "no_hierarchy", "the first line must be HIERARCHY"))
        return false;
    for (;;) {
        if (!next_line(walk))
            return false;
        if (find(walk, "}"))
            continue;
        if (find(walk, "MOTION"))
            return true;
        if (find(walk, "ROOT") || find(walk, "JOINT")) {
            if (!check_joint(walk))
                return false;
        } else if (!find(walk, "End Site")) {
            return refuse(walk, "no_joint",
                          "a line with ROOT, JOINT, End Site, } or MOTION is expected here");
        } else if (!next_line(walk) || !next_line(walk) || !next_line(walk)) {
            return false;
        }
    }
}

/* "Frames: 12", "Frames:12": whether the line begins with the word, and with a number after it. */
static bool has_number(const struct line_walk *walk, const char *word)
{
    const size_t length = strlen(word);
    if (walk->length < length || memcmp(walk->text, word, length) != 0)
        return false;
    const char *at = walk->text + length, *end = walk->text + walk->length;
    while (at < end && is_blank(*at))
        at++;
    return at < end && ((*at >= '0' && *at <= '9') || *at == '+' || *at == '-' || *at == '.');
}

/* Whether all words of the line are numbers: the viewer also reads those that it has no use for. */
static bool has_numbers_only(const struct line_walk *walk)
{
    const char *at = walk->text, *end = at + walk->length;
    for (;;) {
        float number;
        while (at < end && is_blank(*at))
            at++;
        const char *word = at;
        while (at < end && !is_blank(*at))
            at++;
        if (at == word)
            return true;
        if (!number_parse_float(word, (size_t)(at - word), &number))
            return false;
    }
}

static bool check_motion(struct line_walk *walk, uint32_t frame_count)
{
    if (!next_line(walk))
        return false;
    if (!has_number(walk, "Frames:"))
        return refuse(walk, "no_frames", "the line after MOTION must begin with Frames: and their number");
    if (!next_line(walk))
        return false;
    if (!has_number(walk, "Frame Time:"))
        return refuse(walk, "no_frame_time", "the next line must begin with Frame Time: and the seconds");
    for (uint32_t i = 0; i < frame_count; i++) {
        if (!next_line(walk))
            return false;
        const uint64_t words = count_words(walk);
        if (words < walk->needed)
            return refuse(walk, "no_positions", "all numbers of a frame must be on one line");
        if (words > walk->needed && !has_numbers_only(walk))
            return refuse(walk, "no_positions", "a line of a frame must have numbers only");
    }
    return true;
}

bool sl_bvh_check_lines(struct pose_bytes bytes, uint32_t frame_count, struct sl_bvh_reason *reason)
{
    const char *start = bytes.size ? (const char *)bytes.data : "";
    struct line_walk walk = {.at = start, .end = start + bytes.size, .next_number = 1, .reason = reason};
    reason->code = NULL;
    return check_hierarchy(&walk) && check_motion(&walk, frame_count);
}
