/*
 * Surfaces of a CMDL: a header, and a display list of triangles, strips, fans and quads for the console's graphics
 * chip. Facts: prime-cmdl.md, 5.
 */
#include "lib/formats/prime/model/model.h"

#include <string.h>

enum {
    QUADS = 0x80,
    TRIANGLES = 0x90,
    STRIP = 0x98,
    FAN = 0xa0,
    LINES = 0xa8,
    LINE_STRIP = 0xb0,
    POINTS = 0xb8,
    MAX_VERTEX_FORMAT = 2,
    MAX_MATRIX_BYTE = 27,
    LIST_ALIGNMENT = 32,
};

static const uint32_t list_size_mask = 0x7fffffff;

/* A surface, up to its display list. */
struct surface {
    struct reader list;
    uint32_t number;
    uint32_t material;
    int bank; /* -1: none */
    unsigned vertex_size;
    bool has_told_format, has_told_byte;
};

struct surfaces {
    struct cmdl *model;
    struct pose_mesh *mesh;
    struct surface *list; /* [surface_count] */
    uint32_t corner_count;
    struct cmdl_vertices vertices;
    uint32_t face_count;
    uint32_t (*faces)[3];
    uint32_t dropped, odd;
};

/* ------------------------------------------------------------------------------------------------- headers -- */

static void read_floats(struct reader *part, unsigned count, const char *field)
{
    for (unsigned i = 0; i < count; i++)
        reader_finite_f32be(part, field, "not_finite");
}

static unsigned vertex_size(uint32_t attributes)
{
    unsigned size = 0;
    for (unsigned i = 0; i < CMDL_MATRIX_BYTES; i++)
        size += attributes >> (CMDL_FIRST_MATRIX + i) & 1;
    for (unsigned i = 0; i < CMDL_ATTRIBUTES; i++) {
        unsigned kind = attributes >> 2 * i & 3;
        size += kind == 3 ? 2 : kind == 2;
    }
    return size;
}

/* The list is the rest of the section, whatever size the header states. */
static bool find_list(struct cmdl *model, struct reader *part, uint32_t stored_size)
{
    uint64_t head = reader_offset(part) - part->base;
    uint64_t start = (head + LIST_ALIGNMENT - 1) & ~(uint64_t)(LIST_ALIGNMENT - 1);
    if (!reader_skip(part, start - head, "padding"))
        return false;
    if (stored_size > reader_left(part))
        return reader_fail_at(part, part->base + 0x10, "list_size", "truncated",
                              "%u bytes of a display list promised, %zu left", stored_size,
                              reader_left(part));
    if (stored_size < reader_left(part))
        warning_add(&model->job->warnings, POSE_WARNING, "list_size", part->base + 0x10,
                    "a display list of %u bytes, %zu are there", stored_size, reader_left(part));
    return true;
}

static bool read_surface(struct cmdl *model, uint32_t number, struct surface *surface)
{
    struct reader *part = &surface->list;
    *surface = (struct surface){.number = number, .bank = -1};
    if (!cmdl_section(model, model->first_surface + number, part, "surfaces", number))
        return false;
    reader_enter(part, "surfaces", number);
    read_floats(part, 3, "center");
    surface->material = reader_u32be(part, "material");
    if (!part->failed && surface->material >= model->material_count)
        return reader_fail(part, "bad_index", "material %u of %u", surface->material, model->material_count);
    uint32_t list_size = reader_u32be(part, "list_size") & list_size_mask;
    reader_skip(part, 8, "pointers");
    uint32_t extra = reader_u32be(part, "extra_size");
    uint64_t extra_at = reader_last_offset(part);
    read_floats(part, 3, "normal");
    if (model->is_mp2) {
        surface->bank = (int16_t)reader_u16be(part, "bank");
        reader_u16be(part, "group");
    }
    if (!part->failed && extra > reader_left(part))
        return reader_fail_at(part, extra_at, "extra_size", "bad_count", "%u bytes, %zu left", extra,
                              reader_left(part));
    reader_skip(part, extra, "extra");
    if (part->failed || !find_list(model, part, list_size))
        return false;
    surface->vertex_size = vertex_size(model->materials[surface->material].attributes);
    return true;
}

/* -------------------------------------------------------------------------------------------- display lists -- */

struct primitive {
    unsigned opcode;
    uint32_t count;
};

/* Reads the next primitive's header; count 0 and opcode 0 at the end. */
static bool read_head(struct surfaces *work, struct surface *surface, struct primitive *primitive)
{
    struct reader *list = &surface->list;
    *primitive = (struct primitive){0};
    while (reader_left(list) && *list->at == 0)
        list->at++;
    if (!reader_left(list))
        return true;
    unsigned code = reader_u8(list, "opcode"), opcode = code & 0xf8, format = code & 7;
    if (opcode < QUADS || opcode > POINTS || opcode == QUADS + 8)
        return reader_fail(list, "bad_opcode", "0x%02x", code);
    if (format > MAX_VERTEX_FORMAT)
        return reader_fail(list, "bad_opcode", "vertex format %u of 0x%02x", format, code);
    const struct cmdl *model = work->model;
    bool short_uvs = model->materials[surface->material].flags & CMDL_SHORT_TEX0;
    bool short_normals = model->flags & CMDL_SHORT_NORMALS;
    if (format != (short_uvs ? 2u : short_normals ? 1u : 0u) && !surface->has_told_format) {
        warning_add(&model->job->warnings, POSE_WARNING, "vertex_format", reader_last_offset(list),
                    "vertex format %u, which contradicts the header and the material; the latter are used",
                    format);
        surface->has_told_format = true;
    }
    *primitive = (struct primitive){opcode, reader_u16be(list, "vertex_count")};
    if (!list->failed && reader_left(list) < (uint64_t)primitive->count * surface->vertex_size)
        return reader_fail(list, "truncated", "%u vertices of %u bytes promised, %zu bytes left",
                           primitive->count, surface->vertex_size, reader_left(list));
    return !list->failed;
}

/* Counts the corners before anything is allocated for them. */
static bool count_corners(struct surfaces *work, struct surface *surface)
{
    const struct reader start = surface->list;
    struct primitive primitive;
    for (;;) {
        if (!read_head(work, surface, &primitive))
            return false;
        if (!primitive.opcode)
            break;
        work->corner_count += primitive.count;
        if (work->corner_count > CMDL_MAX_CORNERS)
            return reader_fail(&surface->list, "bad_count", "more than %d corners in all", CMDL_MAX_CORNERS);
        reader_skip(&surface->list, (uint64_t)primitive.count * surface->vertex_size, NULL);
    }
    surface->list = start;
    surface->has_told_format = true;
    return true;
}

static uint32_t read_index(struct reader *list, unsigned kind, uint32_t count, const char *field)
{
    if (!kind)
        return CMDL_NONE;
    uint32_t index = kind == 3 ? reader_u16be(list, field) : reader_u8(list, field);
    if (!list->failed && index >= count)
        reader_fail(list, "bad_index", "%u of %u", index, count);
    return index;
}

/* An index into the table of matrix banks; none without a bank. */
static uint32_t find_slot(struct surfaces *work, struct surface *surface, unsigned byte)
{
    bool is_sound = byte % 3 == 0 && byte <= MAX_MATRIX_BYTE;
    if (!is_sound && !surface->has_told_byte) {
        surface->has_told_byte = true;
        warning_add(&work->model->job->warnings, POSE_WARNING, "matrix_byte",
                    reader_last_offset(&surface->list), "matrix index %u; they are multiples of 3 up to %d",
                    byte, MAX_MATRIX_BYTE);
    }
    return is_sound && surface->bank >= 0 ? (uint32_t)surface->bank * PRIME_BANK_SIZE + byte / 3 : CMDL_NONE;
}

static bool read_corner(struct surfaces *work, struct surface *surface, struct cmdl_corner *corner)
{
    const struct cmdl *model = work->model;
    const struct cmdl_material *material = &model->materials[surface->material];
    struct reader *list = &surface->list;
    uint32_t attributes = material->attributes;
    *corner = (struct cmdl_corner){.slot = CMDL_NONE, .uvs = {CMDL_NONE, CMDL_NONE}};
    for (unsigned i = 0; i < CMDL_MATRIX_BYTES; i++) {
        if (!(attributes >> (CMDL_FIRST_MATRIX + i) & 1))
            continue;
        unsigned byte = reader_u8(list, "matrix");
        if (i == 0)
            corner->slot = find_slot(work, surface, byte);
    }
    bool short_normals = model->flags & CMDL_SHORT_NORMALS, short_tex0 = material->flags & CMDL_SHORT_TEX0;
    corner->position = read_index(list, attributes >> 2 * CMDL_POS & 3,
                                  cmdl_array_count(&model->arrays[CMDL_POSITIONS], 12), "position");
    corner->normal =
        read_index(list, attributes >> 2 * CMDL_NRM & 3,
                   cmdl_array_count(&model->arrays[CMDL_NORMALS], short_normals ? 6 : 12), "normal");
    uint32_t colors = cmdl_array_count(&model->arrays[CMDL_COLORS], 4);
    corner->color = read_index(list, attributes >> 2 * CMDL_CLR0 & 3, colors, "color");
    read_index(list, attributes >> 2 * CMDL_CLR1 & 3, colors, "color");
    for (unsigned set = 0; set < CMDL_UV_SETS; set++) {
        bool is_short = set == 0 && short_tex0;
        uint32_t count = is_short ? cmdl_array_count(&model->arrays[CMDL_SHORT_UV_ARRAY], 4)
                                  : cmdl_array_count(&model->arrays[CMDL_UVS], 8);
        uint32_t index = read_index(list, attributes >> 2 * (CMDL_TEX0 + set) & 3, count, "uv");
        if (index != CMDL_NONE && is_short)
            index += CMDL_SHORT;
        if (set == material->base_set)
            corner->uvs[0] = index;
        if (set == material->emissive_set)
            corner->uvs[1] = index;
    }
    return !list->failed;
}

/* ------------------------------------------------------------------------------------------------ triangles -- */

/* A corner's vertex and position: faces in which two are equal are not drawn. */
struct seen {
    uint32_t vertex, position;
};

static void add_face(struct surfaces *work, struct seen a, struct seen b, struct seen c)
{
    if (a.position == b.position || b.position == c.position || c.position == a.position) {
        work->dropped++;
        return;
    }
    uint32_t *face = work->faces[work->face_count++];
    face[0] = a.vertex;
    face[1] = b.vertex;
    face[2] = c.vertex;
}

/* The face that corner i of a primitive completes, if any. last: the previous corners, most recent first. */
static void complete(struct surfaces *work, unsigned opcode, uint32_t i, struct seen first,
                     const struct seen last[2], struct seen now)
{
    if (opcode == QUADS && i % 4 >= 2)
        add_face(work, first, last[0], now);
    else if (opcode == TRIANGLES && i % 3 == 2)
        add_face(work, last[1], last[0], now);
    else if (opcode == FAN && i >= 2)
        add_face(work, first, last[0], now);
    else if (opcode == STRIP && i >= 2 && i % 2 == 0)
        add_face(work, last[1], last[0], now);
    else if (opcode == STRIP && i >= 2)
        add_face(work, last[1], now, last[0]);
}

static bool is_odd(const struct primitive *primitive)
{
    switch (primitive->opcode) {
    case QUADS:
        return primitive->count % 4;
    case TRIANGLES:
        return primitive->count % 3;
    case STRIP:
    case FAN:
        return primitive->count < 3;
    default:
        return false;
    }
}

static bool read_primitive(struct surfaces *work, struct surface *surface, const struct primitive *primitive)
{
    struct seen first = {0}, last[2] = {{0}};
    bool is_occluder = work->model->materials[surface->material].flags & CMDL_OCCLUDER;
    bool is_drawn = primitive->opcode <= FAN && !is_occluder;
    for (uint32_t i = 0; i < primitive->count; i++) {
        struct cmdl_corner corner;
        if (!read_corner(work, surface, &corner))
            return false;
        if (!is_drawn)
            continue;
        struct seen now = {cmdl_vertices_add(&work->vertices, &corner), corner.position};
        if (i == 0 || (primitive->opcode == QUADS && i % 4 == 0))
            first = now;
        complete(work, primitive->opcode, i, first, last, now);
        last[1] = last[0];
        last[0] = now;
    }
    work->odd += is_odd(primitive);
    return true;
}

static bool read_list(struct surfaces *work, struct surface *surface)
{
    struct primitive primitive;
    for (;;) {
        if (!read_head(work, surface, &primitive))
            return false;
        if (!primitive.opcode)
            return true;
        if (!read_primitive(work, surface, &primitive))
            return false;
    }
}

/* ------------------------------------------------------------------------------------------------- the mesh -- */

static bool read_lists(struct surfaces *work)
{
    struct cmdl *model = work->model;
    struct pose_primitive *primitives =
        ARENA_NEW(model->job->arena, struct pose_primitive, model->surface_count);
    if (!primitives)
        return false;
    for (uint32_t i = 0; i < model->surface_count; i++) {
        uint32_t first = work->face_count;
        if (!read_list(work, &work->list[i]))
            return false;
        if (work->face_count > first)
            primitives[work->mesh->primitive_count++] =
                (struct pose_primitive){work->list[i].material, first, work->face_count - first};
    }
    work->mesh->primitives = primitives;
    if (work->odd)
        warning_add(&model->job->warnings, POSE_WARNING, "odd_primitive", POSE_NO_OFFSET,
                    "%u primitives have leftover vertices that form no triangle", work->odd);
    return true;
}

static bool take_faces(struct surfaces *work)
{
    struct arena *arena = work->model->job->arena;
    uint32_t(*faces)[3] = arena_alloc(arena, work->face_count, sizeof *faces);
    if (!faces)
        return false;
    memcpy(faces, work->faces, work->face_count * sizeof *faces);
    work->mesh->faces = (const uint32_t(*)[3])faces;
    work->mesh->face_count = work->face_count;
    return true;
}

static bool take_materials(struct surfaces *work)
{
    const struct cmdl *model = work->model;
    struct pose_material *materials =
        ARENA_NEW(model->job->arena, struct pose_material, model->material_count);
    for (uint32_t i = 0; materials && i < model->material_count; i++)
        materials[i] = model->materials[i].view;
    work->mesh->materials = materials;
    work->mesh->material_count = model->material_count;
    return materials != NULL;
}

bool cmdl_read_surfaces(struct cmdl *model, struct pose_mesh *mesh)
{
    struct surfaces work = {.model = model, .mesh = mesh};
    work.list = ARENA_NEW(&model->scratch, struct surface, model->surface_count);
    if (!work.list)
        return false;
    for (uint32_t i = 0; i < model->surface_count; i++) {
        if (!read_surface(model, i, &work.list[i]) || !count_corners(&work, &work.list[i]))
            return false;
    }
    work.faces = arena_alloc(&model->scratch, work.corner_count, sizeof *work.faces);
    return work.faces && cmdl_vertices_init(&work.vertices, model, work.corner_count) && read_lists(&work) &&
           take_materials(&work) && take_faces(&work) && cmdl_vertices_finish(&work.vertices, mesh);
}
