/* Compiles the channels that drive rows into the layout that kernels read. */
#include "lib/core/value.h"
#include "lib/model/axes.h"
#include "lib/model/build.h"
#include "lib/model/match.h"
#include "lib/sample/sampler_keys.h"

#include <math.h>
#include <string.h>

/* The last block of a grid is used if it has at least this many channels. */
enum { MIN_LANES = 4 };

struct compiler {
    struct pose_sampler *sampler;
    struct arena *scratch;
    struct key_source *sources; /* room for all */
    float *values;              /* room for the longest channel */
};

static uint32_t place_of(uint32_t row, enum pose_part part)
{
    return row * ROW_FLOATS + part_place(part);
}

/* Memory for floats that kernels load eight at a time. */
static void *alloc_lanes(struct arena *arena, size_t count)
{
    enum { LINE = 64 };
    char *memory = arena_alloc(arena, count * sizeof(float) + LINE, 1);
    return memory ? memory + (LINE - (uintptr_t)memory % LINE) % LINE : NULL;
}

/* --------------------------------------------------------------------------------------------------- grids -- */

/* Sources of one timeline, rotations or vectors, as blocks of eight lanes. */
struct grid_part {
    uint32_t blocks;
    const float *keys;
    const uint32_t *places;
};

/* Writes a channel into its lane of every key. stride: floats per key in all blocks. */
static void fill_lane(const struct compiler *compiler, const struct key_source *source, float *lane,
                      size_t stride)
{
    uint32_t components = part_components(source->part);
    key_source_values(compiler->sampler, source, compiler->values);
    const float *value = compiler->values;
    for (uint32_t k = 0; k < source->channel->count; k++, lane += stride) {
        for (uint32_t i = 0; i < components; i++)
            lane[i * LANES] = *value++;
    }
}

/* Empty lanes of the last block repeat its last channel. */
static bool make_grid_part(struct compiler *compiler, const struct key_source *const *sources, uint32_t count,
                           struct grid_part *part)
{
    struct arena *arena = &compiler->sampler->arena;
    *part = (struct grid_part){.blocks = (count + LANES - 1) / LANES};
    if (!count)
        return true;
    size_t components = part_components(sources[0]->part);
    size_t block = components * LANES, stride = part->blocks * block;
    float *keys = alloc_lanes(arena, sources[0]->timeline->count * stride);
    uint32_t *places = ARENA_NEW(arena, uint32_t, (size_t)part->blocks * LANES);
    if (!keys || !places)
        return false;
    for (uint32_t lane = 0; lane < part->blocks * LANES; lane++) {
        const struct key_source *source = sources[lane < count ? lane : count - 1];
        fill_lane(compiler, source, keys + lane / LANES * block + lane % LANES, stride);
        places[lane] = source->place;
    }
    part->keys = keys;
    part->places = places;
    return true;
}

/* How many of a timeline's channels go into blocks; the others are loose. */
static uint32_t count_in_blocks(uint32_t count)
{
    return count % LANES >= MIN_LANES ? count : count - count % LANES;
}

static bool add_loose(struct compiler *compiler, const struct key_source *source, struct loose_channel *loose)
{
    size_t numbers = (size_t)source->channel->count * part_components(source->part);
    float *keys = ARENA_NEW(&compiler->sampler->arena, float, numbers);
    if (!keys)
        return false;
    key_source_values(compiler->sampler, source, keys);
    *loose = (struct loose_channel){source->timeline, keys, source->place};
    return true;
}

static bool add_all_loose(struct compiler *compiler, const struct key_source *const *sources, uint32_t count,
                          struct loose_channel *loose, uint32_t *loose_count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!add_loose(compiler, sources[i], &loose[(*loose_count)++]))
            return false;
    }
    return true;
}

/* The sources of one timeline. */
static bool add_timeline(struct compiler *compiler, const struct key_source *sources, uint32_t count,
                         struct channel_set *set)
{
    const struct key_source **rotations = ARENA_NEW(compiler->scratch, const struct key_source *, count);
    const struct key_source **vectors = ARENA_NEW(compiler->scratch, const struct key_source *, count);
    if (!rotations || !vectors)
        return false;
    uint32_t rotation_count = 0, vector_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sources[i].part == POSE_ROTATION)
            rotations[rotation_count++] = &sources[i];
        else
            vectors[vector_count++] = &sources[i];
    }
    uint32_t rotations_in = count_in_blocks(rotation_count), vectors_in = count_in_blocks(vector_count);
    struct grid_part rotation_part, vector_part;
    if (!make_grid_part(compiler, rotations, rotations_in, &rotation_part) ||
        !make_grid_part(compiler, vectors, vectors_in, &vector_part))
        return false;
    if (rotations_in || vectors_in)
        set->grids[set->grid_count++] = (struct channel_grid){
            .timeline = sources[0].timeline,
            .rotation_blocks = rotation_part.blocks,
            .vector_blocks = vector_part.blocks,
            .rotations = rotation_part.keys,
            .vectors = vector_part.keys,
            .rotation_places = rotation_part.places,
            .vector_places = vector_part.places,
        };
    return add_all_loose(compiler, rotations + rotations_in, rotation_count - rotations_in,
                         set->loose_rotations, &set->loose_rotation_count) &&
           add_all_loose(compiler, vectors + vectors_in, vector_count - vectors_in, set->loose_vectors,
                         &set->loose_vector_count);
}

static uint32_t end_of_timeline(const struct key_source *sources, uint32_t start, uint32_t count)
{
    uint32_t end = start + 1;
    while (end < count && sources[end].timeline == sources[start].timeline)
        end++;
    return end;
}

/* Allocates room for all grids and loose channels, counted beforehand so that none is wasted. */
static bool reserve_set(struct compiler *compiler, uint32_t count, struct channel_set *set)
{
    uint32_t grids = 0, rotations = 0, vectors = 0;
    for (uint32_t start = 0, end; start < count; start = end) {
        end = end_of_timeline(compiler->sources, start, count);
        uint32_t of_rotations = 0;
        for (uint32_t i = start; i < end; i++)
            of_rotations += compiler->sources[i].part == POSE_ROTATION;
        uint32_t of_vectors = end - start - of_rotations;
        grids += count_in_blocks(of_rotations) || count_in_blocks(of_vectors);
        rotations += of_rotations - count_in_blocks(of_rotations);
        vectors += of_vectors - count_in_blocks(of_vectors);
    }
    struct arena *arena = &compiler->sampler->arena;
    set->grids = ARENA_NEW(arena, struct channel_grid, grids);
    set->loose_rotations = ARENA_NEW(arena, struct loose_channel, rotations);
    set->loose_vectors = ARENA_NEW(arena, struct loose_channel, vectors);
    return set->grids && set->loose_rotations && set->loose_vectors;
}

static bool make_set(struct compiler *compiler, uint32_t count, struct channel_set *set)
{
    if (!key_sources_share_timelines(compiler->sampler, &compiler->sampler->arena, compiler->sources,
                                     count) ||
        !reserve_set(compiler, count, set))
        return false;
    for (uint32_t start = 0, end; start < count; start = end) {
        end = end_of_timeline(compiler->sources, start, count);
        if (!add_timeline(compiler, compiler->sources + start, end - start, set))
            return false;
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------- motion -- */

int64_t sampler_motion_row(const struct pose_sampler *sampler)
{
    const struct pose_clip *clip = sampler->clip;
    bool prime = clip->rules == POSE_RULES_PRIME || clip->rules == POSE_RULES_PRIME_FRAMES;
    int64_t id = prime && sampler->skeleton ? value_get_int(clip->extras, "root_bone_id", -1) : -1;
    for (uint32_t row = 0; id >= 0 && row < sampler->row_count; row++) {
        if (sampler->rows[row].has_id && sampler->rows[row].id == id)
            return row;
    }
    /* In a glTF file joints have no ids, and tracks are bound to them by their nodes. */
    bool is_bound = id >= 0 && clip_is_of_tree(clip, sampler->skeleton);
    for (uint32_t i = 0; is_bound && i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        if (track->has_id && track->id == id && track->node && track->node <= sampler->row_count)
            return track->node - 1;
    }
    return -1;
}

/* The Sims' distance, along their +z (tso-anim.md, 2.5). */
static void make_travel(struct pose_sampler *sampler)
{
    const struct pose_clip *clip = sampler->clip;
    if (clip->rules != POSE_RULES_SIMS || !sampler->skeleton)
        return;
    float distance = value_get_float(clip->extras, "distance", 0);
    for (uint32_t row = 0; row < sampler->row_count; row++) {
        if (sampler->rows[row].parent >= 0 || distance == 0 || !isfinite(distance))
            continue;
        sampler->travels = true;
        sampler->travel_place = place_of(row, POSE_TRANSLATION);
        sampler->travel[2] = distance;
        pose_convert_axes(POSE_TRANSLATION, sampler->travel, 1, clip->axes, sampler->axes);
        return;
    }
}

/* ------------------------------------------------------------------------------------------------- compile -- */

/* A channel that never changes becomes part of the still rows. */
static void put_still(const struct compiler *compiler, const struct key_source *source)
{
    float *row = compiler->sampler->still + source->place;
    key_source_values(compiler->sampler, source, compiler->values);
    memcpy(row, compiler->values, part_components(source->part) * sizeof *row);
    if (source->part == POSE_ROTATION)
        quat_normalise(row);
}

/* Appends the sources of a row; returns the new count. */
static uint32_t add_sources(const struct compiler *compiler, const struct row_drivers *drivers, uint32_t row,
                            bool keep_constant, uint32_t count)
{
    for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
        struct key_source source = {
            .channel = drivers->channels[part], .part = part, .row = row, .place = place_of(row, part)};
        if (!source.channel)
            continue;
        if (keep_constant || !key_source_is_constant(&source))
            compiler->sources[count++] = source;
        else
            put_still(compiler, &source);
    }
    return count;
}

static bool compile_morphs(struct compiler *compiler)
{
    struct pose_sampler *sampler = compiler->sampler;
    const struct pose_clip *clip = sampler->clip;
    uint32_t count = 0;
    struct key_source *sources = ARENA_NEW(compiler->scratch, struct key_source, sampler->morph_count);
    sampler->morph_channels = ARENA_NEW(&sampler->arena, struct loose_channel, sampler->morph_count);
    if (!sources || !sampler->morph_channels)
        return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_channel *channel = &clip->tracks[i].channels[POSE_MORPH];
        if (channel->count) {
            sources[count] = (struct key_source){.channel = channel, .part = POSE_MORPH, .place = count};
            count++;
        }
    }
    if (!key_sources_share_timelines(sampler, &sampler->arena, sources, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!add_loose(compiler, &sources[i], &sampler->morph_channels[i]))
            return false;
    }
    return true;
}

/* The keys of the longest channel. */
static uint32_t longest_channel(const struct pose_sampler *sampler, const struct row_drivers *drivers)
{
    uint32_t longest = 0;
    for (uint32_t row = 0; row < sampler->row_count; row++) {
        for (int part = 0; part < 3; part++) {
            const struct pose_channel *channel = drivers[row].channels[part];
            longest = channel && channel->count > longest ? channel->count : longest;
        }
    }
    return longest;
}

bool sampler_compile(struct pose_sampler *sampler, const struct row_drivers *drivers, struct arena *scratch)
{
    struct compiler compiler = {
        .sampler = sampler,
        .scratch = scratch,
        .sources = ARENA_NEW(scratch, struct key_source, (size_t)sampler->row_count * 3),
        .values = ARENA_NEW(scratch, float, (size_t)longest_channel(sampler, drivers) * 4),
    };
    if (!compiler.sources || !compiler.values)
        return false;
    int64_t motion_row = sampler_motion_row(sampler);
    uint32_t count = 0;
    for (uint32_t row = 0; row < sampler->row_count; row++) {
        if (row != motion_row)
            count = add_sources(&compiler, &drivers[row], row, false, count);
    }
    if (!make_set(&compiler, count, &sampler->channels))
        return false;
    if (motion_row >= 0) {
        count = add_sources(&compiler, &drivers[motion_row], (uint32_t)motion_row, true, 0);
        if (!make_set(&compiler, count, &sampler->motion))
            return false;
    }
    make_travel(sampler);
    return compile_morphs(&compiler);
}
