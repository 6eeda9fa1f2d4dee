/*
 * Metroid Prime 1 and 2: a model (CMDL). Big-endian:
 *
 *     u32 0xDEADBABE, u32 version: 2 mp1, 4 mp2 (1 and 3 their demos)   u32 flags   f32 box[6]
 *     u32 section count   u32 material set count (version 1: missing, 1)   u32 each: section sizes   zeros to 32
 *     sections: material sets, positions, normals, colours, UVs, [flag 4: short UVs], surface table,
 *               one per surface
 *
 * Facts: prime-cmdl.md, 1 and 8.
 */
#include "lib/formats/prime/model/model.h"
#include "lib/formats/pages.h"

#include "lib/core/text.h"

#include <string.h>

#define EXTENSIONS ".cmdl"

static const uint32_t model_magic = 0xdeadbabe, dkcr_magic = 0x9381000a;

enum { HEADER_SIZE = 0x28, MAX_VERSION = 4, ARRAYS = 4, ALIGNMENT = 32 };

/* ------------------------------------------------------------------------------------------------- header -- */

static bool check_version(struct cmdl *model)
{
    struct reader *reader = &model->reader;
    int forced = prime_forced_game(model->job->source, PRIME_GAME_COUNT);
    if (reader->failed)
        return false;
    if (model->version == 5)
        return reader_fail(reader, "unsupported_version", "a model of Metroid Prime 3");
    if (!model->version || model->version > MAX_VERSION)
        return reader_fail(reader, "unsupported_version", "version %u; 1 to %d are known", model->version,
                           MAX_VERSION);
    model->is_mp2 = model->version >= 3;
    if (forced >= 0 && (forced != PRIME_MP1) != model->is_mp2)
        return reader_fail(reader, "wrong_game", "version %u is not a version of %s", model->version,
                           prime_games[forced]);
    return true;
}

static bool read_header(struct cmdl *model)
{
    struct reader *reader = &model->reader;
    uint32_t magic = reader_u32be(reader, "magic");
    if (!reader->failed && magic == dkcr_magic)
        return reader_fail(reader, "unsupported_version", "a model of Donkey Kong Country Returns");
    if (!reader->failed && magic != model_magic)
        return reader_fail(reader, "bad_magic", "0x%08x instead of 0x%08x", magic, model_magic);
    model->version = reader_u32be(reader, "version");
    if (!check_version(model))
        return false;
    model->flags = reader_u32be(reader, "flags");
    for (int i = 0; i < 6; i++)
        model->box[i] = reader_finite_f32be(reader, "box", "not_finite");
    model->section_count = reader_u32be(reader, "section_count");
    uint64_t at = reader_last_offset(reader);
    model->set_count = model->version == 1 ? 1 : reader_u32be(reader, "set_count");
    if (!reader->failed && (!model->set_count || model->set_count > CMDL_MAX_SETS))
        return reader_fail(reader, "bad_count", "%u material sets; there are 1 to %d", model->set_count,
                           CMDL_MAX_SETS);
    uint32_t needed = model->set_count + ARRAYS + !!(model->flags & CMDL_SHORT_UVS) + 1;
    if (!reader->failed && model->section_count < needed)
        return reader_fail_at(reader, at, "section_count", "bad_count",
                              "%u sections, where sets, arrays and the surface table are %u",
                              model->section_count, needed);
    return reader_count(reader, model->section_count, 4, "section sizes", "bad_count");
}

/* The start of each section; sizes are added in 64 bits and cannot overflow. */
static bool read_sections(struct cmdl *model)
{
    struct reader *reader = &model->reader;
    uint64_t *sections = ARENA_NEW(&model->scratch, uint64_t, (size_t)model->section_count + 1);
    uint64_t at = reader_offset(reader) + 4 * (uint64_t)model->section_count;
    uint64_t end = reader_offset(reader) + reader_left(reader);
    if (!sections)
        return false;
    at = (at + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    for (uint32_t i = 0; i < model->section_count; i++) {
        reader_enter(reader, "sections", i);
        uint32_t size = reader_u32be(reader, "size");
        sections[i] = at;
        at += size;
        if (!reader->failed && at > end)
            return reader_fail(reader, "truncated", "%u bytes from byte %llu on, of %llu in all", size,
                               (unsigned long long)sections[i], (unsigned long long)end);
        if (!reader->failed && size % ALIGNMENT)
            warning_add(&model->job->warnings, POSE_WARNING, "odd_section_size", reader_last_offset(reader),
                        "a section of %u bytes, not a multiple of %d", size, ALIGNMENT);
        reader_leave(reader);
    }
    sections[model->section_count] = at;
    model->sections = sections;
    return !reader->failed;
}

bool cmdl_section(struct cmdl *model, uint32_t k, struct reader *part, const char *name, uint64_t index)
{
    struct reader *reader = &model->reader;
    reader_enter(reader, name, index);
    bool done =
        reader_part(reader, part, model->sections[k], model->sections[k + 1] - model->sections[k], NULL);
    reader_leave(reader);
    return done;
}

static void find_arrays(struct cmdl *model)
{
    unsigned count = ARRAYS + !!(model->flags & CMDL_SHORT_UVS);
    const uint8_t *file = model->job->source->bytes.data;
    for (unsigned i = 0; i < count; i++) {
        uint64_t offset = model->sections[model->set_count + i];
        model->arrays[i] = (struct cmdl_array){file + offset, offset,
                                               (size_t)(model->sections[model->set_count + i + 1] - offset)};
    }
    model->first_surface = model->set_count + count + 1;
}

/* An empty array may have size 32, so only the table tells how many surfaces there are. */
static bool read_surface_table(struct cmdl *model)
{
    struct reader part;
    if (!cmdl_section(model, model->first_surface - 1, &part, "surface_table", READER_NO_INDEX))
        return false;
    model->surface_count = reader_u32be(&part, "surface_count");
    uint32_t sections = model->section_count - model->first_surface;
    if (!part.failed && model->surface_count > CMDL_MAX_SURFACES)
        return reader_fail(&part, "bad_count", "%u surfaces; there are at most %d", model->surface_count,
                           CMDL_MAX_SURFACES);
    if (!part.failed && model->surface_count > sections)
        return reader_fail(&part, "bad_count", "%u surfaces in %u sections", model->surface_count, sections);
    if (!reader_count(&part, model->surface_count, 4, "surface offsets", "bad_count"))
        return false;
    if (sections > model->surface_count)
        warning_add(&model->job->warnings, POSE_WARNING, "extra_sections", POSE_NO_OFFSET,
                    "%u sections after the %u surfaces", sections - model->surface_count,
                    model->surface_count);
    for (uint32_t i = 0; i < model->surface_count; i++) {
        uint32_t end = reader_u32be(&part, "surface_offset");
        uint64_t place =
            model->sections[model->first_surface + i + 1] - model->sections[model->first_surface];
        if (end != place)
            warning_add(&model->job->warnings, POSE_WARNING, "surface_offset", reader_last_offset(&part),
                        "surface %u ends at %u, the table of sections says %llu", i, end,
                        (unsigned long long)place);
    }
    return !part.failed;
}

/* ----------------------------------------------------------------------------------------------- the codec -- */

static void check_rest(struct cmdl *model)
{
    for (int i = 0; i < 3; i++) {
        if (model->box[i] > model->box[i + 3]) {
            warning_add(&model->job->warnings, POSE_WARNING, "bad_box", 0x0c,
                        "the minimum of the bounding box exceeds its maximum");
            break;
        }
    }
    if (model->flags & ~7u)
        warning_add(&model->job->warnings, POSE_WARNING, "unknown_flags", 0x08, "flags 0x%x", model->flags);
}

static bool check_end(struct cmdl *model)
{
    struct reader *reader = &model->reader;
    if (!reader_seek(reader, model->sections[model->section_count], NULL))
        return false;
    size_t left = reader_left(reader);
    bool is_padding = left <= PRIME_PADDING;
    for (size_t i = 0; is_padding && i < left; i++)
        is_padding = reader->at[i] == 0 || reader->at[i] == 0xff;
    return is_padding || reader_fail_at(reader, reader_offset(reader), NULL, "trailing",
                                        "%zu bytes after the last section are not padding", left);
}

static bool read_model(struct cmdl *model, struct pose_mesh *mesh)
{
    struct value_list extras = value_object(model->job->arena);
    if (!read_header(model) || !read_sections(model))
        return false;
    check_rest(model);
    find_arrays(model);
    value_put_string(&extras, "game", prime_games[model->is_mp2 ? PRIME_MP2 : PRIME_MP1]);
    value_put_int(&extras, "version", model->version);
    value_put_int(&extras, "flags", model->flags);
    value_put_floats(&extras, "box", model->box, 6);
    *mesh = (struct pose_mesh){.axes = POSE_AXES_PRIME, .space = POSE_SPACE_BIND, .cofactor_normals = true};
    if (!cmdl_read_sets(model, &extras) || !read_surface_table(model) || !cmdl_read_surfaces(model, mesh) ||
        !check_end(model))
        return false;
    mesh->extras = value_done(&extras);
    return true;
}

static bool decode(struct decode_job *job)
{
    struct cmdl model = {.job = job};
    struct pose_mesh *mesh = ARENA_NEW(job->arena, struct pose_mesh, 1);
    if (!mesh)
        return false;
    reader_init(&model.reader, job->source->bytes, job->error);
    arena_init(&model.scratch, job->arena->allocator, job->limits->memory, job->error);
    bool done = read_model(&model, mesh);
    arena_release(&model.scratch);
    job->document->meshes = mesh;
    job->document->mesh_count = 1;
    return done && !job->arena->failed;
}

static enum probe_result probe(const struct pose_source *source)
{
    struct reader reader;
    reader_init(&reader, source->bytes, NULL);
    uint32_t magic = reader_u32be(&reader, NULL);
    if (!reader.failed && (magic == model_magic || magic == dkcr_magic))
        return PROBE_SURE;
    return source->name && text_has_extension(source->name, EXTENSIONS) ? PROBE_NAME : PROBE_NO;
}

const struct codec codec_prime_cmdl = {
    .format = {.id = "prime-cmdl",
               .title = "Metroid Prime 1 and 2 model",
               .extensions = EXTENSIONS,
               .media_type = "application/x-prime-cmdl",
               .kinds = "mesh",
               .is_linked = true,
               .games = prime_games},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(prime_cmdl_encode),
    .fit = NOT_IN_PAGES(prime_cmdl_fit),
    .fit_games = prime_released_games,
};
