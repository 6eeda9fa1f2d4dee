/*
 * The Sims 3: clip (type id 0x6B20C4F3), one animation of one actor. Little-endian, unaligned. An offset counts
 * from its own position; 0: none.
 *
 *     0x00  u32 type id, linked clip   u32 section size, section offset
 *     0x10  u32 offsets of the table of inverse kinematics, the actor's name, the events   u32 unknown_28
 *     0x20  u32 unknown_32, offset of the end data (4 floats)   16 bytes of zeros
 *     0x38  the clip section (section.h), then inverse kinematics (ik.h), the actor's name, events (events.h)
 *           and end data, each at a multiple of 4 with 0x7e in the gaps
 *
 * Facts: sims3-clip.md, checked there on 34 user-made clips. No clip of the game itself was available; palettes,
 * most constants and half of the kinds of events are verified only with generated files. Values are complete
 * local transforms, in glTF's axes and metres. Writing is in clip_write.c.
 */
#include "lib/core/hash.h"
#include "lib/core/text.h"
#include "lib/formats/pages.h"
#include "lib/formats/sims3/clip/clip_write.h"
#include "lib/formats/sims3/clip/events.h"
#include "lib/formats/sims3/clip/ik.h"
#include "lib/formats/sims3/clip/layout.h"
#include "lib/formats/sims3/clip/tracks.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ the head -- */

static bool refuse_successor(struct reader *reader, uint32_t version)
{
    error_set(reader->error, POSE_UNSUPPORTED, "sims4_clip",
              "type_id at byte 0: a clip of The Sims 4 (version %u), whose wrapper is not supported",
              version);
    if (reader->error)
        reader->error->offset = 0;
    return false;
}

static bool read_head(struct sims3_file *file)
{
    struct reader *reader = &file->reader;
    uint32_t type = reader_u32le(reader, "type_id");
    if (!reader->failed && type && type <= SIMS4_VERSION_LAST)
        return refuse_successor(reader, type);
    if (!reader->failed && type != SIMS3_CLIP_TYPE)
        return reader_fail(reader, "bad_type_id", "0x%08X instead of 0x%08X", type, SIMS3_CLIP_TYPE);
    uint32_t linked = reader_u32le(reader, "linked_clip");
    reader_skip(reader, SIMS3_HEAD - 8, "head");
    if (linked && !reader->failed)
        warning_add(&file->job->warnings, POSE_WARNING, "linked_clip", 4,
                    "a link to clip 0x%08X, which is ignored", linked);
    sims3_used(file, reader);
    return !reader->failed;
}

/* The position of a block that the head points to, 0: none. Reads its offset. */
static uint64_t find_block(struct reader *reader, unsigned head_offset, const char *field)
{
    reader_seek(reader, head_offset, field);
    return sims3_follow(reader, field);
}

static bool read_section(struct sims3_file *file, struct sims3_section *section)
{
    struct reader *reader = &file->reader;
    reader_seek(reader, SIMS3_AT_SECTION_SIZE, "section_size");
    uint32_t size = reader_u32le(reader, "section_size");
    uint64_t at = find_block(reader, SIMS3_AT_SECTION, "section_offset");
    if (!reader->failed && !at)
        return reader_fail(reader, "bad_offset", "no clip section");
    return !reader->failed && sims3_section_read(file, at, size, section);
}

/* ---------------------------------------------------------------------------------- the blocks and extras -- */

static void put_section(struct value_list *extras, const struct sims3_section *section, uint64_t odd_flags)
{
    value_put_string(extras, "source_name", section->source_name);
    value_put_int(extras, "version", section->version);
    value_put_int(extras, "flags", section->flags);
    value_put_float(extras, "frame_duration", section->frame_duration);
    value_put_floats(extras, "palette", section->palette, section->palette_count);
    value_put_int(extras, "flagged_keys", (int64_t)odd_flags);
}

static bool read_actor(struct sims3_file *file, struct value_list *extras)
{
    struct reader *reader = &file->reader;
    uint64_t at = find_block(reader, SIMS3_AT_ACTOR, "actor");
    const char *actor = NULL;
    if (at && sims3_go(reader, at, "actor"))
        actor = sims3_read_text(file, reader, SIMS3_TEXT_LIMIT, "actor");
    sims3_used(file, reader);
    sims3_know_name(file, actor);
    value_put_string(extras, "actor", actor);
    return !reader->failed;
}

static bool read_end(struct sims3_file *file, struct value_list *extras)
{
    struct reader *reader = &file->reader;
    uint64_t at = find_block(reader, SIMS3_AT_END, "end");
    struct value_list end = value_array(file->job->arena);
    if (!at) {
        value_put_null(extras, "end");
        return !reader->failed;
    }
    sims3_go(reader, at, "end");
    for (int i = 0; i < 4; i++)
        value_put_float_bits(&end, NULL, reader_u32le(reader, "end"));
    sims3_used(file, reader);
    value_put_list(extras, "end", &end);
    return !reader->failed;
}

static void put_unknown(struct reader *reader, struct value_list *extras)
{
    reader_seek(reader, SIMS3_AT_UNKNOWN_28, "unknown_28");
    value_put_int(extras, "unknown_28", reader_u32le(reader, "unknown_28"));
    value_put_int(extras, "unknown_32", reader_u32le(reader, "unknown_32"));
}

/* Reads everything outside the section, in the order of the head. */
static bool read_blocks(struct sims3_file *file, struct value_list *extras, struct sims3_events *events)
{
    struct reader *reader = &file->reader;
    if (!read_actor(file, extras) ||
        !sims3_ik_read(file, find_block(reader, SIMS3_AT_IK, "ik_table"), extras))
        return false;
    sims3_sort_names(file);
    if (!sims3_events_read(file, find_block(reader, SIMS3_AT_EVENTS, "event_table"), events) ||
        !read_end(file, extras))
        return false;
    put_unknown(reader, extras);
    return !reader->failed;
}

/* -------------------------------------------------------------------------------------------------- the clip -- */

static float find_last_time(const struct sims3_tracks *tracks)
{
    float last = 0;
    for (uint32_t i = 0; i < tracks->count; i++) {
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            const struct pose_channel *channel = &tracks->items[i].channels[part];
            if (channel->count)
                last = fmaxf(last, channel->times[channel->count - 1]);
        }
    }
    return last;
}

/* The tick count includes frame 0: the last tick is one less. */
static float find_duration(const struct sims3_section *section, const struct sims3_tracks *tracks)
{
    unsigned last_tick = section->tick_count ? section->tick_count - 1u : 0;
    return fmaxf((float)(last_tick * (double)section->frame_duration), find_last_time(tracks));
}

static bool build_clip(struct sims3_file *file, const struct sims3_section *section,
                       const struct sims3_tracks *tracks, const struct sims3_events *events,
                       const struct value_list *extras)
{
    struct pose_clip *clip = ARENA_NEW(file->job->arena, struct pose_clip, 1);
    if (!clip)
        return false;
    *clip = (struct pose_clip){.name = *section->clip_name ? section->clip_name : NULL,
                               .axes = POSE_AXES_GLTF,
                               .rules = POSE_RULES_SIMS3,
                               .duration = find_duration(section, tracks),
                               .fps = clip_frame_rate(section->frame_duration),
                               .frame_count = section->tick_count,
                               .loop = POSE_LOOP_UNKNOWN,
                               .track_count = tracks->count,
                               .tracks = tracks->items,
                               .event_count = events->count,
                               .events = events->items,
                               .extras = value_done(extras)};
    clip->loop_out = clip->duration;
    clip->key_count = clip_count_keys(clip);
    file->job->document->clips = clip;
    file->job->document->clip_count = 1;
    return true;
}

static bool decode(struct decode_job *job)
{
    struct sims3_file file;
    struct sims3_section section;
    struct sims3_tracks tracks;
    struct sims3_events events;
    struct value_list extras = value_object(job->arena);
    sims3_file_init(&file, job);
    if (!read_head(&file) || !read_section(&file, &section) || !sims3_tracks_build(&file, &section, &tracks))
        return false;
    put_section(&extras, &section, tracks.odd_flags);
    if (!read_blocks(&file, &extras, &events))
        return false;
    if (file.end < job->source->bytes.size)
        warning_add(&job->warnings, POSE_WARNING, "trailing_bytes", file.end,
                    "%zu bytes follow the last block", (size_t)(job->source->bytes.size - file.end));
    return build_clip(&file, &section, &tracks, &events, &extras);
}

/* ----------------------------------------------------------------------------------------------- the codec -- */

/* Whether the head's offset points to the section's magic number. */
static bool has_section(struct pose_bytes bytes)
{
    struct reader reader;
    reader_init(&reader, bytes, NULL);
    uint64_t at = find_block(&reader, SIMS3_AT_SECTION, NULL);
    if (!at || at > bytes.size)
        return false;
    reader_seek(&reader, at, NULL);
    const uint8_t *magic = reader_bytes(&reader, sizeof SIMS3_MAGIC - 1, NULL);
    return magic && !memcmp(magic, SIMS3_MAGIC, sizeof SIMS3_MAGIC - 1);
}

static enum probe_result probe(const struct pose_source *source)
{
    struct reader reader;
    reader_init(&reader, source->bytes, NULL);
    uint32_t word = reader_u32le(&reader, NULL);
    if (word == SIMS3_CLIP_TYPE)
        return has_section(source->bytes) ? PROBE_SURE : PROBE_NAME;
    struct pose_sims3_key key;
    if (source->name && pose_sims3_key(source->name, &key) && key.type == SIMS3_CLIP_TYPE)
        return PROBE_NAME;
    /* Such a file is always refused as a clip (or as one of The Sims 4), with the byte. */
    return PROBE_BY_NAME;
}

/* Of sims: objects have bones of their own. */
static bool has_bone(const struct pose_track *track)
{
    const uint32_t hash = track->name ? hash_fnv32(track->name, strlen(track->name)) : track->id;
    return (track->name || track->has_id) && pose_sims3_bone(hash);
}

static const struct target target = {
    .title = "The Sims 3",
    .family = FAMILY_SIMS3,
    .axes = POSE_AXES_GLTF,
    .rules = POSE_RULES_SIMS3,
    .holds = {true, true, true, true},
    .own_settings = "loop actor source_name",
    .files = {{.options = "fps"}},
    .has_bone = has_bone,
};

const struct codec codec_sims3_clip = {
    .format = {.id = "sims3-clip",
               .title = "The Sims 3 clip",
               .extensions = ".clip .animation",
               .media_type = "application/x-sims3-clip",
               .kinds = "clip",
               .hashes_morphs = true},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(sims3_clip_encode),
    .target = &target,
};
