#include "tests/support/sims3/modl_files.h"

static void put_words(struct little_file *file, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        little_put_u32(file, words[i]);
}

static void put_floats(struct little_file *file, const float *floats, size_t count)
{
    for (size_t i = 0; i < count; i++)
        little_put_f32(file, floats[i]);
}

static const float bounds[6] = {-1, 0, -1, 1, 1, 1};
/* FNV-32 of "b__ROOT_bind__" and "b__Head__". */
static const uint32_t bones[2] = {0x57884bb9, 0x0f97b21b};

/* References count from 1; 0x1 is of the public chunks, 0x1000 0001 of what follows them. */
static uint32_t reference(int chunk, bool is_list)
{
    int public_count = is_list ? 2 : 1, place = is_list ? chunk : chunk == MODL_LEVEL ? 0 : chunk ? chunk : 1;
    return place < public_count ? (uint32_t)place + 1 : 0x10000000u | (uint32_t)(place - public_count + 1);
}

static void put_list(struct little_file *file, bool is_list)
{
    const uint32_t level[] = {reference(MODL_LEVEL, is_list), 0, 0}, shadow[] = {0x30000001, 0, 0x10000};
    const float far[2] = {0, 100};
    little_put(file, "MODL", 4);
    put_words(file, (const uint32_t[]){0x102, 2}, 2);
    put_floats(file, bounds, 6);
    put_words(file, (const uint32_t[]){0, 0, 0}, 3);
    put_words(file, level, 3);
    put_floats(file, far, 2);
    put_words(file, shadow, 3);
    put_floats(file, far, 2);
}

/* Each has four vertices and two triangles; the second has two looks of one triangle. */
static void put_part(struct little_file *file, int part, bool is_list)
{
    size_t at = file->bytes.size;
    uint32_t vertices = (uint32_t)part * 4 * 28, first = (uint32_t)part * 6;
    const uint32_t head[] = {0x100 + (uint32_t)part,
                             reference(part ? MODL_SET : MODL_MATERIAL, is_list),
                             reference(MODL_LAYOUT, is_list),
                             reference(MODL_VERTICES, is_list),
                             reference(MODL_INDICES, is_list),
                             3,
                             vertices,
                             0,
                             first,
                             0,
                             4,
                             2};
    const uint32_t looks[] = {2, 0xaaaa, first, 0, 4, 1, 0xbbbb, first + 3, 0, 4, 1};
    little_put_u32(file, 0);
    put_words(file, head, 12);
    put_floats(file, bounds, 6);
    put_words(file, (const uint32_t[]){reference(MODL_SKIN, is_list), 2, bones[0], bones[1], 0}, 5);
    if (part)
        put_words(file, looks, 11);
    else
        little_put_u32(file, 0);
    put_words(file, (const uint32_t[]){0, 0, 0, 0, 0}, 5);
    little_set_u32(file, at, (uint32_t)(file->bytes.size - at - 4));
}

static void put_level(struct little_file *file, bool is_list)
{
    little_put(file, "MLOD", 4);
    put_words(file, (const uint32_t[]){0x203, 2}, 2);
    put_part(file, 0, is_list);
    put_part(file, 1, is_list);
}

/* A diffuse map, the first external key, and the scale of texture coordinates. */
static void put_material(struct little_file *file)
{
    little_put(file, "MATD", 4);
    put_words(file, (const uint32_t[]){0x103, 1, 0x12345678, 68, 0, 0}, 6);
    little_put(file, "MTNF", 4);
    put_words(file, (const uint32_t[]){0, 20, 2}, 3);
    put_words(file, (const uint32_t[]){0x6cc0fd85, 4, 4, 48}, 4);
    put_words(file, (const uint32_t[]){0x420520e9, 1, 1, 64}, 4);
    put_words(file, (const uint32_t[]){0x30000001, 0, 0, 0}, 4);
    little_put_f32(file, 1.0f / 1024);
}

static void put_layout(struct little_file *file)
{
    static const uint8_t elements[6][4] = {{0, 0, 7, 0},  {1, 0, 5, 8},  {2, 0, 6, 12},
                                           {3, 0, 4, 16}, {4, 0, 5, 20}, {5, 0, 5, 24}};
    little_put(file, "VRTF", 4);
    put_words(file, (const uint32_t[]){2, 28, 6, 0}, 4);
    little_put(file, elements, sizeof elements);
}

static void put_vertices(struct little_file *file)
{
    static const int16_t corners[4][2] = {{0, 0}, {512, 0}, {512, 512}, {0, 512}};
    static const uint8_t up[4] = {127, 255, 127, 0}, whole[4] = {0, 0, 255, 0}, shared[4] = {0, 102, 153, 0};
    little_put(file, "VBUF", 4);
    put_words(file, (const uint32_t[]){0x101, 0, 0}, 3);
    for (unsigned i = 0; i < 8; i++) {
        const int16_t *corner = corners[i % 4];
        little_put_u16(file, (uint16_t)corner[0]);
        little_put_u16(file, i < 4 ? 0 : 256);
        little_put_u16(file, (uint16_t)-corner[1]);
        little_put_u16(file, 1024);
        little_put(file, up, 4);
        little_put_u16(file, (uint16_t)(2 * corner[0]));
        little_put_u16(file, (uint16_t)corner[1]);
        little_put(file, (const uint8_t[]){0, 1, 255, 255}, 4);
        little_put(file, i < 4 ? whole : shared, 4);
        little_put_u32(file, 0);
    }
}

/* Differences. */
static void put_indices(struct little_file *file)
{
    static const uint16_t indices[12] = {0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 3};
    little_put(file, "IBUF", 4);
    put_words(file, (const uint32_t[]){2, 1, 0}, 3);
    for (int i = 0; i < 12; i++)
        little_put_u16(file, (uint16_t)(indices[i] - (i ? indices[i - 1] : 0)));
}

static void put_skin(struct little_file *file)
{
    little_put(file, "SKIN", 4);
    put_words(file, (const uint32_t[]){1, 2, bones[0], bones[1]}, 4);
    for (int i = 0; i < 24; i++)
        little_put_f32(file, i % 12 % 5 == 0);
}

static void put_set(struct little_file *file, bool is_list)
{
    little_put(file, "MTST", 4);
    put_words(file, (const uint32_t[]){0x200, 0, reference(MODL_MATERIAL, is_list), 0}, 4);
}

static void put_chunk(struct little_file *file, int chunk, bool is_list)
{
    switch (chunk) {
    case MODL_LIST:
        put_list(file, is_list);
        break;
    case MODL_LEVEL:
        put_level(file, is_list);
        break;
    case MODL_MATERIAL:
        put_material(file);
        break;
    case MODL_LAYOUT:
        put_layout(file);
        break;
    case MODL_VERTICES:
        put_vertices(file);
        break;
    case MODL_INDICES:
        put_indices(file);
        break;
    case MODL_SKIN:
        put_skin(file);
        break;
    default:
        put_set(file, is_list);
        break;
    }
}

void modl_make(struct modl_made *made, bool is_list)
{
    enum { HEAD = 20, KEY = 16 };
    static const uint32_t types[MODL_CHUNKS] = {0x01661233, 0x01d10f34, 0x01d0e75d, 0x01d0e723,
                                                0x01d0e6fb, 0x01d0e70f, 0x01d0e76b, 0x02019972};
    /* A level alone has no list; a set stands in its second place so that all others keep theirs. */
    static const int alone[MODL_CHUNKS] = {MODL_LEVEL, MODL_LIST};
    struct little_file *file = &made->file;
    size_t index = HEAD + KEY * (MODL_CHUNKS + 1);
    put_words(file, (const uint32_t[]){3, is_list ? 2 : 1, 0, 1, MODL_CHUNKS}, 5);
    for (int i = 0; i < MODL_CHUNKS; i++) {
        int chunk = is_list || i > 1 ? i : alone[i];
        put_words(file, (const uint32_t[]){(uint32_t)i + 1, 0, types[chunk], 0}, 4);
    }
    put_words(file, (const uint32_t[]){0x1775b1b5, 0xd413b168, 0x00b2d882, 0}, 4);
    for (int i = 0; i < 2 * MODL_CHUNKS; i++)
        little_put_u32(file, 0);
    for (int i = 0; i < MODL_CHUNKS; i++) {
        int chunk = is_list || i > 1 ? i : alone[i];
        size_t at = made->at[chunk] = file->bytes.size;
        put_chunk(file, !is_list && chunk == MODL_LIST ? MODL_SET : chunk, is_list);
        little_set_u32(file, index + 8 * (size_t)i, (uint32_t)at);
        little_set_u32(file, index + 8 * (size_t)i + 4, (uint32_t)(file->bytes.size - at));
    }
}
