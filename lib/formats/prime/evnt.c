/*
 * Metroid Prime: events of a clip (EVNT), a separate file in the first game; in the second they are part of
 * character sets, but such a body alone can be read as well. See events.c for the layout.
 *
 * The file does not name its game, but the word before each event does: the majority decides if its layout can
 * be followed to the end, otherwise the first event. Without any such word, it is the layout that ends exactly
 * at the end of the file.
 */
#include "lib/formats/prime/events.h"
#include "lib/formats/pages.h"

#include "lib/core/text.h"
#include "lib/core/value.h"

#define EXTENSIONS ".evnt"

static bool walk(struct pose_bytes bytes, enum prime_game game, struct prime_events *events)
{
    struct reader reader;
    reader_init(&reader, bytes, NULL);
    return prime_events_read(NULL, &reader, game, events) && prime_check_end(&reader);
}

/* The u16 before the first event: 1 in the first game, 2 in the second. 0: there is none. */
static unsigned head_of(struct pose_bytes bytes)
{
    struct reader reader;
    uint32_t count = 0;
    reader_init(&reader, bytes, NULL);
    reader_skip(&reader, 4, NULL);
    for (int i = 0; i < PRIME_EVENT_KINDS && !count && !reader.failed; i++)
        count = reader_u32be(&reader, NULL);
    return count ? reader_u16be(&reader, NULL) : 0;
}

static enum prime_game find_game(const struct pose_source *source)
{
    int forced = prime_forced_game(source, PRIME_MP2_DEMO);
    if (forced >= 0)
        return (enum prime_game)forced;
    struct prime_events first, second;
    bool is_first = walk(source->bytes, PRIME_MP1, &first),
         is_second = walk(source->bytes, PRIME_MP2, &second);
    const uint32_t *heads = is_second ? second.heads : first.heads;
    if (!is_first && !is_second)
        return head_of(source->bytes) == 2 ? PRIME_MP2 : PRIME_MP1;
    if (heads[0] != heads[1])
        return heads[1] > heads[0] ? PRIME_MP2 : PRIME_MP1;
    return is_first ? PRIME_MP1 : PRIME_MP2;
}

static bool decode(struct decode_job *job)
{
    enum prime_game game = find_game(job->source);
    struct prime_events events;
    struct value_list extras = value_object(job->arena);
    struct reader reader;
    reader_init(&reader, job->source->bytes, job->error);
    if (!prime_events_read(job, &reader, game, &events) || !prime_check_end(&reader))
        return false;
    value_put_string(&extras, "game", prime_games[game]);
    value_put_int(&extras, "version", events.version);
    job->document->events = events.items;
    job->document->event_count = events.count;
    job->document->extras = value_done(&extras);
    return !job->arena->failed;
}

/* Without an event the walk proves little: a few zeros. */
static enum probe_result probe(const struct pose_source *source)
{
    bool is_named = source->name && text_has_extension(source->name, EXTENSIONS);
    struct prime_events events;
    if (walk(source->bytes, PRIME_MP1, &events) || walk(source->bytes, PRIME_MP2, &events))
        return is_named || events.count ? PROBE_SURE : PROBE_NO;
    return is_named ? PROBE_NAME : PROBE_NO;
}

const struct codec codec_prime_evnt = {
    .format = {.id = "prime-evnt",
               .title = "Metroid Prime events",
               .extensions = EXTENSIONS,
               .media_type = "application/x-prime-evnt",
               .kinds = "events",
               .games = prime_released_games},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(prime_evnt_encode),
};
