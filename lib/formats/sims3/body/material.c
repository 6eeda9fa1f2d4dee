#include "lib/formats/sims3/body/material.h"

#include "lib/core/numbers/float_bits.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    HEAD_SIZE = 16,
    ROW_SIZE = 16,
    MAX_PARAMETERS = 256,
    MAX_WORDS = 16,
    TYPE_FLOATS = 1,
    TYPE_INT = 2,
    TYPE_TEXTURE = 4,
    INDEX_WORDS = 4,
    KEY_WORDS = 5,
};

/* Names of parameters used here, and of related ones. */
static const struct {
    uint32_t id;
    const char *name;
} known[] = {
    {0x6cc0fd85, "DiffuseMap"},  {0x6e56548a, "NormalMap"},
    {0xad528a60, "SpecularMap"}, {0xc3faac4f, "AlphaMap"},
    {0x637daa05, "Diffuse"},     {0x05d22fd3, "Transparency"},
    {0x420520e9, "UVScales"},    {0xe77a2b60, "AlphaMaskThreshold"},
};
enum { DIFFUSE_MAP = 0x6cc0fd85, DIFFUSE = 0x637daa05, UV_SCALES = 0x420520e9 };

static const struct {
    uint32_t id;
    const char *name;
} shaders[] = {
    {0x548394b9, "SimSkin"},   {0xcf8a70b4, "SimEyes"},  {0x9d9da161, "SimEyelashes"},
    {0x84fd7152, "SimHair"},   {0x5eda9cde, "SimGlass"}, {0xc09c7582, "DropShadow"},
    {0x21fe207d, "ShadowMap"},
};

struct parameter {
    uint32_t id, type, words;
    uint32_t values[MAX_WORDS];
};

static uint32_t word_of(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Reads a row; false if it points outside the block or holds no number. */
static bool read_row(const struct mtnf *mtnf, const uint8_t *row, struct parameter *parameter)
{
    uint64_t offset = word_of(row + 12), words = word_of(row + 8);
    *parameter = (struct parameter){.id = word_of(row), .type = word_of(row + 4), .words = (uint32_t)words};
    if (!words || words > MAX_WORDS || offset > mtnf->block.size || 4 * words > mtnf->block.size - offset)
        return false;
    for (uint32_t i = 0; i < words; i++) {
        parameter->values[i] = word_of(mtnf->block.data + offset + 4 * (uint64_t)i);
        if (parameter->type == TYPE_FLOATS && !isfinite(float_of_bits(parameter->values[i])))
            return false;
    }
    return true;
}

/* The key of a texture; NULL if there is none. */
static const char *texture_of(const struct mtnf *mtnf, const struct parameter *parameter, struct arena *arena,
                              bool *is_wrong)
{
    enum { EXTERNAL = 3 };
    const uint32_t *values = parameter->values;
    if (parameter->words == KEY_WORDS) {
        const struct sims3_resource key = {values[2], values[3], values[0] | (uint64_t)values[1] << 32};
        return sims3_key_text(arena, &key);
    }
    uint32_t index = values[0];
    if (!mtnf->is_geom) {
        if (!index)
            return NULL;
        index = index >> 28 == EXTERNAL ? (index & 0xfffffff) - 1 : UINT32_MAX;
    }
    *is_wrong |= index >= mtnf->key_count;
    return index < mtnf->key_count ? sims3_key_text(arena, &mtnf->keys[index]) : NULL;
}

/* The image of cloth is grey relief, drawn twice as bright, with how much it covers as its alpha. The game composes it
 * with a tone of skin and with patterns that are not in the mesh; these are plain ones (sims3-geom.md, 6). */
static void lay_on_skin(struct pose_material *material)
{
    static const float skin[3] = {0.86f, 0.66f, 0.54f};
    const float twice = 2, tint = 0.75f;
    material->covers = true;
    material->gain = twice * tint;
    memcpy(material->ground, skin, sizeof skin);
}

static void put_values(struct value_list *row, const struct parameter *parameter)
{
    struct value_list values = value_array(row->arena);
    for (uint32_t i = 0; i < parameter->words; i++) {
        if (parameter->type == TYPE_FLOATS)
            value_put_float(&values, NULL, float_of_bits(parameter->values[i]));
        else
            value_put_int(&values, NULL, (int32_t)parameter->values[i]);
    }
    value_put_list(row, "values", &values);
}

static void put_parameter(struct value_list *list, const struct parameter *parameter, const char *texture)
{
    struct value_list row = value_object(list->arena);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].id == parameter->id)
            value_put_string(&row, "name", known[i].name);
    }
    value_put_int(&row, "id", parameter->id);
    if (parameter->type == TYPE_TEXTURE)
        value_put_string(&row, "key", texture);
    else
        put_values(&row, parameter);
    value_put_list(list, NULL, &row);
}

static void use(struct mtnf *mtnf, const struct parameter *parameter, const char *texture,
                struct pose_material *material)
{
    bool is_floats = parameter->type == TYPE_FLOATS;
    if (parameter->id == DIFFUSE_MAP && texture)
        material->image = texture;
    for (uint32_t i = 0; is_floats && i < parameter->words && i < 4; i++) {
        if (parameter->id == DIFFUSE && !mtnf->is_geom)
            material->base_color[i] = fminf(fmaxf(float_of_bits(parameter->values[i]), 0), 1);
        else if (parameter->id == UV_SCALES)
            mtnf->uv_scales[i] = float_of_bits(parameter->values[i]);
    }
}

/* Reads all parameters; false if the block is damaged. */
static bool read_parameters(struct mtnf *mtnf, struct arena *arena, struct pose_material *material,
                            struct value_list *list, bool *is_wrong)
{
    const uint8_t *block = mtnf->block.data;
    size_t size = mtnf->block.size;
    if (size < HEAD_SIZE || memcmp(block, "MTNF", 4) != 0)
        return false;
    uint32_t count = word_of(block + 12);
    if (count > MAX_PARAMETERS || HEAD_SIZE + (uint64_t)ROW_SIZE * count > size)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct parameter parameter;
        if (!read_row(mtnf, block + HEAD_SIZE + (size_t)ROW_SIZE * i, &parameter))
            return false;
        bool is_texture = parameter.type == TYPE_TEXTURE &&
                          (parameter.words == INDEX_WORDS || parameter.words == KEY_WORDS);
        const char *texture = is_texture ? texture_of(mtnf, &parameter, arena, is_wrong) : NULL;
        put_parameter(list, &parameter, texture);
        use(mtnf, &parameter, texture, material);
    }
    return true;
}

void sims3_read_material(struct mtnf *mtnf, struct arena *arena, struct warning_list *warnings,
                         struct pose_material *material)
{
    static const float white[4] = {1, 1, 1, 1};
    struct value_list parameters = value_array(arena), extras = value_object(arena);
    bool is_wrong = false,
         is_hair = mtnf->shader == (uint32_t)SHADER_HAIR || mtnf->shader == (uint32_t)SHADER_EYELASHES;
    *material = (struct pose_material){
        .alpha = is_hair ? POSE_MASK : POSE_OPAQUE, .cutoff = is_hair ? 0.4f : 0, .two_sided = is_hair};
    memcpy(material->base_color, white, sizeof white);
    if (mtnf->is_geom && mtnf->shader == SHADER_SKIN)
        lay_on_skin(material);
    for (size_t i = 0; i < sizeof shaders / sizeof *shaders; i++) {
        if (shaders[i].id == mtnf->shader)
            material->name = shaders[i].name;
    }
    value_put_int(&extras, "shader", mtnf->shader);
    if (read_parameters(mtnf, arena, material, &parameters, &is_wrong)) {
        value_put_list(&extras, "parameters", &parameters);
    } else {
        warning_add(warnings, POSE_WARNING, "bad_material", mtnf->offset,
                    "a material is damaged and left out; it has %zu bytes", mtnf->block.size);
        material->image = NULL;
        memcpy(material->base_color, white, sizeof white);
    }
    if (is_wrong)
        warning_add(warnings, POSE_WARNING, "texture_index", mtnf->offset,
                    "a material names a texture that is not among the %u keys", mtnf->key_count);
    if (mtnf->is_geom)
        value_put_hex(&extras, "block", mtnf->block.data, mtnf->block.size);
    material->extras = value_done(&extras);
}
