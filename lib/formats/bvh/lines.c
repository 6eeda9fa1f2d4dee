#include "lib/formats/bvh/lines.h"

#include <string.h>

static bool ends_line(uint8_t c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == 0;
}

static const uint8_t *pass_blanks(const uint8_t *at, const uint8_t *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

/* Counts the words up to the end of the line; returns that. */
static const uint8_t *count_words(const uint8_t *at, const uint8_t *end, uint64_t *count)
{
    bool was_blank = true;
    *count = 0;
    for (; at < end && !ends_line(*at); at++) {
        *count += was_blank && !is_blank(*at);
        was_blank = is_blank(*at);
    }
    return at;
}

static bool starts_number(uint8_t c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

/* Counts the lines from here on that could be a frame, up to most, or to the first that is too short. Empty lines are
 * skipped. *at_end: there is nothing else. */
static uint64_t count_frames(const uint8_t *at, const uint8_t *end, uint32_t numbers, uint64_t most,
                             bool *at_end)
{
    uint64_t found = 0;
    *at_end = false;
    while (found < most) {
        uint64_t words;
        while (at < end && (ends_line(*at) || is_blank(*at)))
            at++;
        *at_end = at == end;
        if (at == end || !starts_number(*at))
            break;
        at = count_words(at, end, &words);
        if (words < numbers)
            break;
        found++;
    }
    return found;
}

void bvh_lines_start(struct bvh_layout *layout, struct bvh_words *words)
{
    struct reader *reader = &words->reader;
    const uint8_t *at = pass_blanks(reader->at, reader->end);
    uint64_t count;
    bool at_end;
    if (at == reader->end || ends_line(*at))
        return;
    const uint8_t *line_end = count_words(at, reader->end, &count);
    if (starts_number(*at) && count_frames(line_end, reader->end, layout->number_count, layout->frame_count,
                                           &at_end) < layout->frame_count)
        return;
    layout->extra_line = layout->extra_line ? layout->extra_line : reader->line;
    reader->at = line_end;
}

void bvh_lines_end_frame(struct bvh_lines *lines, struct bvh_words *words, uint32_t frames_left)
{
    struct reader *reader = &words->reader;
    if (lines->how == BVH_LINES_UNDECIDED && words->ended_line)
        lines->how = BVH_LINES_STREAM;
    if (lines->how == BVH_LINES_STREAM)
        return;
    const uint8_t *at = pass_blanks(reader->at, reader->end);
    if (at == reader->end || ends_line(*at))
        return;
    uint64_t words_left;
    bool at_end;
    const uint8_t *line_end = count_words(at, reader->end, &words_left);
    if (lines->how == BVH_LINES_UNDECIDED &&
        count_frames(line_end, reader->end, lines->numbers, frames_left, &at_end) < frames_left) {
        lines->how = BVH_LINES_STREAM;
        return;
    }
    lines->how = BVH_LINES_DECIDE;
    if (!lines->line_count++) {
        lines->first_line = reader->line;
        lines->first_count = lines->numbers + words_left;
    }
    reader->at = line_end;
}

void bvh_lines_warn(const struct bvh_lines *lines, struct bvh_words *words, const struct bvh_layout *layout,
                    struct warning_list *warnings)
{
    const struct reader *reader = &words->reader;
    const uint32_t frame_count = layout->frame_count;
    if (layout->extra_line)
        warning_add(warnings, POSE_WARNING, "extra_text", POSE_NO_OFFSET,
                    "line %u: what follows its numbers was left out", layout->extra_line);
    if (lines->line_count)
        warning_add(
            warnings, POSE_WARNING, "extra_numbers", POSE_NO_OFFSET,
            "line %u: %llu numbers for %u channels; what is too many was left out, on %u line%s in all",
            lines->first_line, (unsigned long long)lines->first_count, lines->numbers, lines->line_count,
            lines->line_count == 1 ? "" : "s");
    if (bvh_at_end(words))
        return;
    bool at_end = false;
    uint64_t more = lines->numbers ? count_frames((const uint8_t *)words->word, reader->end, lines->numbers,
                                                  UINT64_MAX, &at_end)
                                   : 0;
    if (at_end)
        warning_add(warnings, POSE_WARNING, "extra_frames", reader_last_offset(reader),
                    "%llu frames for the %u that Frames: says; those from line %u on were left out",
                    (unsigned long long)(frame_count + more), frame_count, reader->line);
    else
        warning_add(warnings, POSE_WARNING, "trailing_text", reader_last_offset(reader),
                    "text after the last frame, from line %u on", reader->line);
}
