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

/* What lines of numbers are, from the start of a frame on. */
struct survey {
    uint64_t whole;             /* lines before the first that is too short for a frame */
    const uint8_t *short_at;    /* that line; NULL: none */
    uint32_t short_line;        /* its number */
    uint64_t short_count;       /* its words */
    bool is_whole, is_mistaken; /* a line for each frame; neither that nor one stream */
};

static const uint8_t *pass_lines(const uint8_t *at, const uint8_t *end, uint32_t *line)
{
    for (; at < end && (ends_line(*at) || is_blank(*at)); at++)
        *line += *at == '\n';
    return at;
}

/* A stream ends with the last line of numbers, or its lines hold whole frames, or its frames whole lines. If neither is
 * so, and some lines hold a whole frame, a short one lacks numbers; not one at the very end, where the file was cut. */
static struct survey survey_lines(const uint8_t *at, const uint8_t *end, uint32_t line, uint32_t numbers,
                                  uint64_t frames)
{
    struct survey survey = {0};
    uint64_t total = 0, filled = 0, words;
    const uint64_t wanted = frames * numbers;
    bool has_whole = false, are_rows = true, is_stream = false, is_followed = false;
    at = pass_lines(at, end, &line);
    while (at < end && starts_number(*at) && survey.whole < frames && !(survey.short_at && total >= wanted)) {
        const uint8_t *start = at;
        at = count_words(at, end, &words);
        total += words;
        filled = filled == numbers ? words : filled + words;
        are_rows &= filled <= numbers;
        has_whole |= words >= numbers;
        is_followed |= survey.short_at != NULL;
        if (!survey.short_at && words < numbers) {
            survey.short_at = start;
            survey.short_line = line;
            survey.short_count = words;
        }
        survey.whole += !survey.short_at;
        is_stream |= total == wanted && !survey.short_at;
        at = pass_lines(at, end, &line);
    }
    const bool goes_on = at < end && starts_number(*at);
    is_stream |= total == wanted && (are_rows || !goes_on);
    survey.is_whole = survey.whole == frames;
    survey.is_mistaken =
        survey.short_at && has_whole && !is_stream && (is_followed || goes_on || total > wanted);
    return survey;
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
    if (starts_number(*at) &&
        count_frames(line_end, reader->end, layout->number_count, layout->frame_count, &at_end) <
            layout->frame_count &&
        !survey_lines(at, reader->end, reader->line, layout->number_count, layout->frame_count).is_mistaken)
        return;
    layout->extra_line = layout->extra_line ? layout->extra_line : reader->line;
    reader->at = line_end;
}

/* For the first frame that is not exactly a line: whether lines decide. False if the file is refused. */
static bool decide(struct bvh_lines *lines, struct bvh_words *words, uint32_t frame, uint32_t frame_count)
{
    struct reader *reader = &words->reader;
    const struct survey survey =
        survey_lines(words->frame, reader->end, words->frame_line, lines->numbers, frame_count - frame);
    lines->how = survey.is_whole ? BVH_LINES_DECIDE : BVH_LINES_STREAM;
    if (!survey.is_mistaken)
        return true;
    reader->line = survey.short_line;
    reader->last = survey.short_at;
    reader->last_field = NULL;
    reader_enter(reader, "frames", frame + survey.whole);
    return reader_fail(
        reader, "short_frame", "%llu number%s for %u channels, though other lines hold a whole frame",
        (unsigned long long)survey.short_count, survey.short_count == 1 ? "" : "s", lines->numbers);
}

bool bvh_lines_end_frame(struct bvh_lines *lines, struct bvh_words *words, uint32_t frame,
                         uint32_t frame_count)
{
    struct reader *reader = &words->reader;
    if (lines->how == BVH_LINES_STREAM)
        return true;
    const uint8_t *at = pass_blanks(reader->at, reader->end);
    const bool is_line = (at == reader->end || ends_line(*at)) && !words->ended_line;
    if (is_line)
        return true;
    if (lines->how == BVH_LINES_UNDECIDED && !decide(lines, words, frame, frame_count))
        return false;
    if (lines->how == BVH_LINES_STREAM)
        return true;
    uint64_t words_left;
    const uint8_t *line_end = count_words(at, reader->end, &words_left);
    if (!lines->line_count++) {
        lines->first_line = reader->line;
        lines->first_count = lines->numbers + words_left;
    }
    reader->at = line_end;
    return true;
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
