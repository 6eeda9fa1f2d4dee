/*
 * Metroid Prime: the weights of a mesh (CSKR). Big-endian:
 *
 *     u32 count, groups: u32 count, weights: u32 bone id, f32 weight;  u32 vertices
 *     mp1: twice, for vertices and normals: 0xFFFFFFFF and u32 count, or u32 count and 12 bytes each
 *     mp2: u32 count, u16 each: matrix banks, ten groups each   u32 size, bytes
 *     padding
 *
 * The groups cover consecutive runs of the model's vertices (CMDL). The model is not read: the mesh knows the
 * number of vertices, and its groups are in its extras. Facts: prime-skeleton.md, 5.
 */
#include "lib/formats/prime/model/model.h"
#include "lib/formats/pages.h"
#include "lib/formats/prime/prime.h"

#include "lib/core/text.h"
#include "lib/core/value.h"

#include <math.h>

enum { VERTEX_SIZE = 12 };

/* One decoding; without a job a walk, which stores nothing. */
struct building {
    struct decode_job *job;
    struct reader reader;
    enum prime_game game;
    uint32_t group_count;
    uint64_t vertex_count;
};

static bool read_weights(struct building *building, struct value_list *group)
{
    struct reader *reader = &building->reader;
    struct value_list weights = {0};
    double sum = 0;
    uint32_t count = reader_u32be(reader, "weight_count");
    if (!reader_count(reader, count, 8, "weights", "count_too_large"))
        return false;
    if (building->job)
        weights = value_array(building->job->arena);
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        uint32_t bone = reader_u32be(reader, "bone_id");
        if (!reader->failed && bone >= PRIME_BONE_LIMIT)
            return reader_fail(reader, "bad_bone_id", "bone %u; ids end at %d", bone, PRIME_BONE_LIMIT - 1);
        float weight = reader_finite_f32be(reader, "weight", "not_finite");
        sum += (double)weight;
        if (!building->job)
            continue;
        struct value_list item = value_object(building->job->arena);
        value_put_int(&item, "bone_id", bone);
        value_put_float(&item, "weight", weight);
        value_put_list(&weights, NULL, &item);
    }
    if (building->job && count && fabs(sum - 1) > 0.01)
        warning_add(&building->job->warnings, POSE_WARNING, "weights_not_one", reader_last_offset(reader),
                    "the weights of a group add up to %g, not 1", sum);
    if (building->job)
        value_put_list(group, "weights", &weights);
    return !reader->failed;
}

static bool read_groups(struct building *building, struct value_list *extras)
{
    struct reader *reader = &building->reader;
    struct value_list groups = {0}, group = {0};
    uint32_t count = building->group_count = reader_u32be(reader, "group_count");
    if (!reader_count(reader, count, 8, "groups", "count_too_large"))
        return false;
    if (building->job)
        groups = value_array(building->job->arena);
    for (uint32_t i = 0; i < count; i++) {
        reader_enter(reader, "groups", i);
        if (building->job)
            group = value_object(building->job->arena);
        if (!read_weights(building, &group))
            return false;
        uint32_t vertices = reader_u32be(reader, "vertex_count");
        building->vertex_count += vertices;
        if (building->job) {
            value_put_int(&group, "vertex_count", vertices);
            value_put_list(&groups, NULL, &group);
        }
        reader_leave(reader);
    }
    if (building->job)
        value_put_list(extras, "groups", &groups);
    return !reader->failed;
}

/* ------------------------------------------------------------------------------------------------- footers -- */

static void check_vertices(struct building *building, uint64_t count)
{
    if (building->job && !building->reader.failed && count != building->vertex_count)
        warning_add(&building->job->warnings, POSE_WARNING, "vertex_counts_differ",
                    reader_last_offset(&building->reader), "%llu vertices, the groups have %llu",
                    (unsigned long long)count, (unsigned long long)building->vertex_count);
}

static uint32_t read_rows(struct building *building, struct value_list *extras, const char *count_key,
                          const char *key)
{
    struct reader *reader = &building->reader;
    uint32_t count = reader_u32be(reader, count_key);
    bool is_plain = count == UINT32_MAX;
    const uint8_t *rows = NULL;
    if (is_plain)
        count = reader_u32be(reader, count_key);
    else if (reader_count(reader, count, VERTEX_SIZE, key, "count_too_large"))
        rows = reader_bytes(reader, (uint64_t)count * VERTEX_SIZE, key);
    if (building->job)
        value_put_int(extras, count_key, count);
    if (building->job && rows)
        value_put_hex(extras, key, rows, (size_t)count * VERTEX_SIZE);
    return count;
}

static bool read_footer_mp1(struct building *building, struct value_list *extras)
{
    check_vertices(building, read_rows(building, extras, "vertex_count", "vertices"));
    read_rows(building, extras, "normal_count", "normals");
    return !building->reader.failed;
}

/* Banks of the matrices used to draw surfaces, ten group numbers each; their count is unrelated to that of the
 * vertices (prime-cmdl.md, 6). Then one byte per position, the number of its group. */
static bool read_footer_mp2(struct building *building, struct value_list *extras)
{
    struct reader *reader = &building->reader;
    struct value_list banks = {0};
    uint32_t count = reader_u32be(reader, "bank_entries");
    if (!reader_count(reader, count, 2, "bank entries", "count_too_large"))
        return false;
    if (building->job && count % PRIME_BANK_SIZE)
        warning_add(&building->job->warnings, POSE_WARNING, "odd_banks", reader_last_offset(reader),
                    "%u entries are not a multiple of %d; the rest is ignored", count, PRIME_BANK_SIZE);
    if (building->job)
        banks = value_array(building->job->arena);
    for (uint32_t i = 0; i < count; i++) {
        unsigned group = reader_u16be(reader, "matrix_banks");
        if (building->job)
            value_put_int(&banks, NULL, group);
    }
    uint32_t size = reader_u32be(reader, "footer_size");
    if (!reader_count(reader, size, 1, "bytes", "count_too_large"))
        return false;
    const uint8_t *bytes = reader_bytes(reader, size, "footer");
    if (building->job && bytes) {
        value_put_list(extras, "matrix_banks", &banks);
        value_put_hex(extras, "footer", bytes, size);
    }
    return !reader->failed;
}

static bool read_file(struct building *building, struct value_list *extras)
{
    return read_groups(building, extras) &&
           (building->game == PRIME_MP1 ? read_footer_mp1 : read_footer_mp2)(building, extras) &&
           prime_check_end(&building->reader);
}

/* ----------------------------------------------------------------------------------------------- the codec -- */

static bool walk(struct pose_bytes bytes, enum prime_game game)
{
    struct building building = {.game = game};
    reader_init(&building.reader, bytes, NULL);
    return read_file(&building, NULL) && building.group_count;
}

/* How far the bytes can be read as a skin of that game. */
static uint64_t reach(struct pose_bytes bytes, enum prime_game game)
{
    struct building building = {.game = game};
    struct pose_error error;
    pose_error_init(&error);
    reader_init(&building.reader, bytes, &error);
    return read_file(&building, NULL) ? UINT64_MAX : error.offset;
}

/* The game with which it can be read farther. */
static enum prime_game find_game(const struct pose_source *source)
{
    int forced = prime_forced_game(source, PRIME_MP2_DEMO);
    if (forced >= 0)
        return (enum prime_game)forced;
    return reach(source->bytes, PRIME_MP2) > reach(source->bytes, PRIME_MP1) ? PRIME_MP2 : PRIME_MP1;
}

static bool decode(struct decode_job *job)
{
    struct building building = {.job = job, .game = find_game(job->source)};
    struct value_list extras = value_object(job->arena);
    struct pose_mesh *mesh = ARENA_NEW(job->arena, struct pose_mesh, 1);
    reader_init(&building.reader, job->source->bytes, job->error);
    value_put_string(&extras, "game", prime_games[building.game]);
    if (!mesh || !read_file(&building, &extras))
        return false;
    *mesh = (struct pose_mesh){
        .axes = POSE_AXES_PRIME, .weighted_count = building.vertex_count, .extras = value_done(&extras)};
    job->document->meshes = mesh;
    job->document->mesh_count = 1;
    return !job->arena->failed;
}

void prime_shares(const struct pose_mesh *mesh, pose_share_visit *tell, void *user)
{
    const struct pose_value *groups = pose_value_find(mesh->extras, "groups");
    struct pose_share share = {.first = 0};
    for (const struct pose_value *group = groups ? groups->first : NULL; group; group = group->next) {
        const struct pose_value *weights = pose_value_find(group, "weights");
        share.count = (uint64_t)(value_get_int(group, "vertex_count", 0) & UINT32_MAX);
        for (const struct pose_value *one = weights ? weights->first : NULL; one; one = one->next) {
            share.bone_id = value_get_int(one, "bone_id", 0);
            share.weight = value_get_float(one, "weight", 0);
            tell(user, &share);
        }
        share.first += share.count;
    }
}

static enum probe_result probe(const struct pose_source *source)
{
    if (walk(source->bytes, PRIME_MP1) || walk(source->bytes, PRIME_MP2))
        return PROBE_SURE;
    return PROBE_BY_NAME;
}

const struct codec codec_prime_cskr = {
    .format = {.id = "prime-cskr",
               .title = "Metroid Prime 1 and 2 skin",
               .extensions = ".cskr",
               .media_type = "application/x-prime-cskr",
               .kinds = "mesh",
               .is_linked = true,
               .games = prime_released_games},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(prime_cskr_encode),
};
