/*
 * Writing CMDL of Metroid Prime 1 and 2 (prime-cmdl.md, 1 to 5): floats as they are, indices of 16 bits, triangles as
 * lists, a simple material each. Of a mesh with a skin (extras: skinned), vertex_ids are places in
 * the position array and the normals', which are then parallel, as groups need them; vertex_slots are places in MP2's banks of matrices, one bank per primitive.
 */
#include "lib/formats/prime/anim/put.h"
#include "lib/formats/prime/model/model.h"

#include "lib/core/value.h"
#include "lib/formats/fit.h"
#include "lib/model/axes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGNMENT = 32,
    MAX_ELEMENTS = UINT16_MAX + 1, /* elements of an array */
    LIST_CORNERS = UINT16_MAX / 3 * 3,
    TRIANGLES = 0x90,
    ATTRIBUTES = 0x30f, /* position, normal, TEX0, indices of 16 bits */
    MATRIX = 1 << CMDL_FIRST_MATRIX,
    TEX0_COORDINATE = 1 | 4 << 4 | 30 << 9 | 61 << 15, /* TEX0 as it is */
    LIT = 0x3001,
    CLAMPED = 0x100,
    BOX_BYTES = 24,
};

static const uint32_t model_magic = 0xdeadbabe, list_size_bit = 0x80000000;

struct writing {
    struct prime_put put;
    const struct pose_mesh *mesh;
    bool is_skinned;                      /* made by cmdl_fit.c: ids and slots are those of a skin */
    const uint32_t *slots;                /* [real_count]; NULL: none */
    float (*positions)[3], (*normals)[3]; /* [real_count] in the game's axes */
    struct fit_weld places, directions, uvs;
    uint32_t image_count;
    uint32_t *images;   /* [image_count] ids */
    uint32_t *image_of; /* [material_count] places in images, CMDL_NONE */
    size_t sizes_at;    /* of the next section's size */
    size_t section;
};

/* ---------------------------------------------------------------------------------------------------- arrays -- */

/* Vertices by their ids: row k of the array is that of the first vertex with id k. */
static bool take_ids(struct writing *writing, struct arena *arena)
{
    const struct pose_mesh *mesh = writing->mesh;
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->real_count; v++)
        count = mesh->vertex_ids[v] >= count ? mesh->vertex_ids[v] + 1 : count;
    if (count > MAX_ELEMENTS || !count)
        return prime_put_refuse(&writing->put, "vertex_ids", "beyond the 65536 that a model numbers");
    writing->places = (struct fit_weld){.count = count,
                                        .rows = ARENA_NEW(arena, uint32_t, count),
                                        .merged = ARENA_NEW(arena, uint32_t, mesh->real_count)};
    if (!writing->places.rows || !writing->places.merged)
        return false;
    for (uint32_t v = mesh->real_count; v-- > 0;) {
        writing->places.merged[v] = mesh->vertex_ids[v];
        writing->places.rows[mesh->vertex_ids[v]] = v;
    }
    writing->directions = writing->places;
    return true;
}

static bool fill_arrays(struct writing *writing)
{
    const struct pose_mesh *mesh = writing->mesh;
    struct arena *arena = writing->put.job->arena;
    uint32_t count = mesh->real_count;
    float(*uvs)[2] = arena_alloc(arena, count, sizeof *uvs);
    writing->positions = arena_alloc(arena, count, sizeof *writing->positions);
    writing->normals = arena_alloc(arena, count, sizeof *writing->normals);
    if (!writing->positions || !writing->normals || !uvs)
        return false;
    for (uint32_t v = 0; v < count; v++) {
        memcpy(writing->positions[v], mesh->positions[v], sizeof *writing->positions);
        if (mesh->normals)
            memcpy(writing->normals[v], mesh->normals[v], sizeof *writing->normals);
        if (mesh->uvs)
            memcpy(uvs[v], mesh->uvs[v], sizeof *uvs);
    }
    if (mesh->axes != POSE_AXES_PRIME) {
        pose_convert_axes(POSE_TRANSLATION, writing->positions[0], count, mesh->axes, POSE_AXES_PRIME);
        pose_convert_axes(POSE_TRANSLATION, writing->normals[0], count, mesh->axes, POSE_AXES_PRIME);
    }
    if (writing->is_skinned ? !take_ids(writing, arena)
                            : !fit_weld(arena, writing->positions, sizeof *writing->positions, count, NULL,
                                        &writing->places) ||
                                  !fit_weld(arena, writing->normals, sizeof *writing->normals, count, NULL,
                                            &writing->directions))
        return false;
    if (!fit_weld(arena, uvs, sizeof *uvs, count, NULL, &writing->uvs))
        return false;
    if (writing->places.count > MAX_ELEMENTS || writing->directions.count > MAX_ELEMENTS ||
        writing->uvs.count > MAX_ELEMENTS)
        return error_set(writing->put.job->error, POSE_BAD_DATA, "too_many_vertices",
                         "%u places, %u normals, %u texture coordinates; a model numbers %d of each",
                         writing->places.count, writing->directions.count, writing->uvs.count, MAX_ELEMENTS);
    return true;
}

/* -------------------------------------------------------------------------------------------------- sections -- */

static void begin_section(struct writing *writing)
{
    writing->section = writing->put.writer->out->size;
}

static void end_section(struct writing *writing)
{
    struct writer *writer = writing->put.writer;
    while (!writer->failed && writer->out->size % ALIGNMENT)
        writer_u8(writer, 0);
    writer_patch_u32be(writer, writing->sizes_at, (uint32_t)(writer->out->size - writing->section));
    writing->sizes_at += 4;
}

static void write_vectors(struct writing *writing, const float (*rows)[3], const struct fit_weld *weld)
{
    begin_section(writing);
    for (uint32_t i = 0; i < weld->count; i++) {
        for (unsigned k = 0; k < 3; k++)
            writer_f32be(writing->put.writer, rows[weld->rows[i]][k]);
    }
    end_section(writing);
}

static void write_uvs(struct writing *writing)
{
    const struct pose_mesh *mesh = writing->mesh;
    begin_section(writing);
    for (uint32_t i = 0; i < writing->uvs.count; i++) {
        for (unsigned k = 0; k < 2; k++)
            writer_f32be(writing->put.writer, mesh->uvs ? mesh->uvs[writing->uvs.rows[i]][k] : 0);
    }
    end_section(writing);
}

/* ------------------------------------------------------------------------------------------------- materials -- */

/* Images are named by the ids of textures. */
static bool list_images(struct writing *writing)
{
    const struct pose_mesh *mesh = writing->mesh;
    struct arena *arena = writing->put.job->arena;
    uint32_t count = mesh->material_count;
    writing->images = ARENA_NEW(arena, uint32_t, count);
    writing->image_of = ARENA_NEW(arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; writing->images && writing->image_of && i < count; i++) {
        char *end = NULL;
        const char *name = mesh->materials[i].image;
        uint32_t id = name ? (uint32_t)strtoul(name, &end, 16) : 0, at = 0;
        writing->image_of[i] = CMDL_NONE;
        if (!id || *end)
            continue;
        while (at < writing->image_count && writing->images[at] != id)
            at++;
        writing->image_of[i] = at;
        if (at == writing->image_count)
            writing->images[writing->image_count++] = id;
    }
    return !arena->failed;
}

static uint8_t to_byte(float value)
{
    return value <= 0 || isnan(value) ? 0 : value >= 1 ? 255 : (uint8_t)lrintf(value * 255);
}

static uint32_t inputs(unsigned a, unsigned b, unsigned c, unsigned d)
{
    return a | b << 5 | c << 10 | d << 15;
}

/* One stage: the lit colour times the texture, or times a constant. */
static void write_stage(struct writer *writer, bool has_image)
{
    enum { RASTER = 10, TEXEL = 8, KONST = 14, ZERO = 15, ALPHA_TEXEL = 4, ALPHA_KONST = 6, ALPHA_ZERO = 7 };
    writer_u32be(writer, 1);
    writer_u32be(writer, inputs(ZERO, RASTER, has_image ? TEXEL : KONST, ZERO));
    writer_u32be(writer, inputs(ALPHA_ZERO, ALPHA_ZERO, ALPHA_ZERO, has_image ? ALPHA_TEXEL : ALPHA_KONST));
    writer_u32be(writer, CLAMPED);
    writer_u32be(writer, CLAMPED);
    writer_u8(writer, 0);
    writer_u8(writer, has_image ? 0 : 0x1c); /* the alpha of constant 0 */
    writer_u8(writer, has_image ? 0 : 0x0c); /* its colour */
    writer_u8(writer, 4);
    writer_u16be(writer, 0);
    writer_u8(writer, has_image ? 0 : 0xff);
    writer_u8(writer, has_image ? 0 : 0xff);
}

static void write_material(struct writing *writing, const struct pose_material *material, uint32_t image,
                           uint32_t number)
{
    enum { SORTED = 0x10, DEPTH = 0x80, USUAL_MP1 = 0x1003, USUAL_MP2 = 0x4002, FIRST_SLOT = 1 << 16 };
    struct writer *writer = writing->put.writer;
    bool is_mp2 = writing->put.game == PRIME_MP2, has_image = image != CMDL_NONE;
    bool blends = material && material->alpha == POSE_BLEND;
    writer_u32be(writer, (uint32_t)(is_mp2 ? USUAL_MP2 : USUAL_MP1) | (has_image ? FIRST_SLOT : CMDL_KONST) |
                             (blends ? SORTED : DEPTH) |
                             (material && material->alpha == POSE_MASK ? CMDL_MASKED : 0));
    writer_u32be(writer, has_image);
    if (has_image)
        writer_u32be(writer, image);
    writer_u32be(writer, ATTRIBUTES | (writing->slots ? MATRIX : 0));
    if (is_mp2)
        writer_zeros(writer, 8);
    writer_u32be(writer, number);
    if (!has_image) {
        writer_u32be(writer, 1);
        for (unsigned i = 0; i < 4; i++)
            writer_u8(writer, material ? to_byte(material->base_color[i]) : 255);
    }
    writer_u16be(writer, blends ? 5 : 0);
    writer_u16be(writer, blends ? 4 : 1);
    writer_u32be(writer, 1);
    writer_u32be(writer, LIT);
    write_stage(writer, has_image);
    writer_u32be(writer, has_image);
    if (has_image)
        writer_u32be(writer, TEX0_COORDINATE);
    writer_u32be(writer, 4);
    writer_u32be(writer, 0);
}

static void write_set(struct writing *writing)
{
    struct writer *writer = writing->put.writer;
    uint32_t count = writing->mesh->material_count ? writing->mesh->material_count : 1;
    begin_section(writing);
    writer_u32be(writer, writing->image_count);
    for (uint32_t i = 0; i < writing->image_count; i++)
        writer_u32be(writer, writing->images[i]);
    writer_u32be(writer, count);
    size_t ends = writer->out->size, start = ends + 4 * (size_t)count;
    writer_zeros(writer, 4 * (size_t)count);
    for (uint32_t i = 0; i < count; i++) {
        bool is_there = i < writing->mesh->material_count;
        write_material(writing, is_there ? &writing->mesh->materials[i] : NULL,
                       is_there ? writing->image_of[i] : CMDL_NONE, i);
        writer_patch_u32be(writer, ends + 4 * (size_t)i, (uint32_t)(writer->out->size - start));
    }
    end_section(writing);
}

/* -------------------------------------------------------------------------------------------------- surfaces -- */

struct box {
    float low[3], high[3];
};

static struct box box_of(const struct writing *writing, uint32_t first, uint32_t count)
{
    struct box box = {.low = {0}};
    for (uint32_t i = 0; i < 3 * count; i++) {
        const float *place = writing->positions[writing->mesh->faces[first + i / 3][i % 3]];
        for (unsigned k = 0; k < 3; k++) {
            box.low[k] = i ? fminf(box.low[k], place[k]) : place[k];
            box.high[k] = i ? fmaxf(box.high[k], place[k]) : place[k];
        }
    }
    return box;
}

static void write_box(struct writer *writer, const struct box *box)
{
    for (unsigned k = 0; k < 3; k++)
        writer_f32be(writer, box->low[k]);
    for (unsigned k = 0; k < 3; k++)
        writer_f32be(writer, box->high[k]);
}

static void write_list(struct writing *writing, const struct pose_primitive *primitive)
{
    const struct pose_mesh *mesh = writing->mesh;
    struct writer *writer = writing->put.writer;
    uint32_t corners = 3 * primitive->face_count;
    for (uint32_t i = 0; i < corners; i++) {
        uint32_t v = mesh->faces[primitive->face_first + i / 3][i % 3];
        if (i % LIST_CORNERS == 0) {
            writer_u8(writer, TRIANGLES);
            writer_u16be(writer,
                         (uint16_t)(corners - i < LIST_CORNERS ? corners - i : (uint32_t)LIST_CORNERS));
        }
        if (writing->slots)
            writer_u8(writer, (uint8_t)(3 * (writing->slots[v] % PRIME_BANK_SIZE)));
        writer_u16be(writer, (uint16_t)writing->places.merged[v]);
        writer_u16be(writer, (uint16_t)writing->directions.merged[v]);
        writer_u16be(writer, (uint16_t)writing->uvs.merged[v]);
    }
}

static void write_surface(struct writing *writing, const struct pose_primitive *primitive)
{
    struct writer *writer = writing->put.writer;
    const struct box box = box_of(writing, primitive->face_first, primitive->face_count);
    bool is_mp2 = writing->put.game == PRIME_MP2;
    begin_section(writing);
    for (unsigned k = 0; k < 3; k++)
        writer_f32be(writer, box.low[k] + (box.high[k] - box.low[k]) / 2);
    writer_u32be(writer, primitive->material);
    size_t size_at = writer->out->size;
    writer_zeros(writer, 12);
    writer_u32be(writer, is_mp2 ? BOX_BYTES : 0);
    for (unsigned k = 0; k < 3; k++)
        writer_f32be(writer, k == 2);
    if (is_mp2) {
        const uint32_t *slots = writing->slots;
        uint32_t slot = slots ? slots[writing->mesh->faces[primitive->face_first][0]] : 0;
        writer_u16be(writer, slots ? (uint16_t)(slot / PRIME_BANK_SIZE) : UINT16_MAX);
        writer_u16be(writer, 0);
        write_box(writer, &box);
    }
    while (!writer->failed && writer->out->size % ALIGNMENT)
        writer_u8(writer, 0);
    size_t list = writer->out->size;
    write_list(writing, primitive);
    end_section(writing);
    writer_patch_u32be(writer, size_at, list_size_bit | (uint32_t)(writer->out->size - list));
}

static const struct pose_primitive *surfaces_of(const struct pose_mesh *mesh, struct pose_primitive *whole,
                                                uint32_t *count)
{
    *whole = (struct pose_primitive){.face_count = mesh->face_count};
    *count = mesh->primitive_count ? mesh->primitive_count : 1;
    return mesh->primitive_count ? mesh->primitives : whole;
}

static void write_surfaces(struct writing *writing)
{
    struct writer *writer = writing->put.writer;
    struct pose_primitive whole;
    uint32_t count, sum = 0;
    const struct pose_primitive *list = surfaces_of(writing->mesh, &whole, &count);
    begin_section(writing);
    writer_u32be(writer, count);
    size_t ends = writer->out->size;
    writer_zeros(writer, 4 * (size_t)count);
    end_section(writing);
    for (uint32_t i = 0; i < count; i++) {
        write_surface(writing, &list[i]);
        sum += (uint32_t)(writer->out->size - writing->section);
        writer_patch_u32be(writer, ends + 4 * (size_t)i, sum);
    }
}

/* ------------------------------------------------------------------------------------------------- the model -- */

static void write_head(struct writing *writing, uint32_t surfaces)
{
    enum { VERSION_MP1 = 2, VERSION_MP2 = 4, ARRAYS = 4 };
    struct writer *writer = writing->put.writer;
    const struct box box = box_of(writing, 0, writing->mesh->face_count);
    uint32_t sections = 1 + ARRAYS + 1 + surfaces;
    writer_u32be(writer, model_magic);
    writer_u32be(writer, writing->put.game == PRIME_MP2 ? VERSION_MP2 : VERSION_MP1);
    writer_u32be(writer, writing->is_skinned ? CMDL_SKINNED : 0);
    write_box(writer, &box);
    writer_u32be(writer, sections);
    writer_u32be(writer, 1);
    writing->sizes_at = writer->out->size;
    writer_zeros(writer, 4 * (size_t)sections);
    while (!writer->failed && writer->out->size % ALIGNMENT)
        writer_u8(writer, 0);
}

bool prime_cmdl_encode(struct encode_job *job)
{
    static const struct fit_weld none;
    struct writing writing = {.mesh = job->content->meshes};
    struct pose_primitive whole;
    uint32_t surfaces;
    if (job->content->mesh_count != 1 || writing.mesh->space != POSE_SPACE_BIND || !writing.mesh->face_count)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_mesh",
                         "a CMDL holds one mesh in model space, with faces");
    if (!prime_put_init(&writing.put, job, writing.mesh->extras))
        return false;
    writing.is_skinned = writing.mesh->vertex_ids && value_get_bool(writing.mesh->extras, "skinned", false);
    writing.slots = writing.is_skinned && writing.put.game == PRIME_MP2 ? writing.mesh->vertex_slots : NULL;
    if (!fill_arrays(&writing) || !list_images(&writing))
        return false;
    surfaces_of(writing.mesh, &whole, &surfaces);
    write_head(&writing, surfaces);
    write_set(&writing);
    write_vectors(&writing, (const float(*)[3])writing.positions, &writing.places);
    write_vectors(&writing, (const float(*)[3])writing.normals, &writing.directions);
    write_vectors(&writing, NULL, &none); /* colours */
    write_uvs(&writing);
    write_surfaces(&writing);
    return !writing.put.failed && !job->writer->failed;
}
