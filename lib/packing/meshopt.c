#include "lib/packing/meshopt.h"

#include <math.h>
#include <string.h>

enum {
    MAGIC = 0xa0,
    MAGIC_V1 = 0xa1,
    GROUP = 16, /* elements whose differences have the same width */
    MAX_BLOCK = 256,
    BLOCK_BYTES = 8192,
    MIN_TAIL = 32,
};

static uint32_t block_size(uint32_t stride)
{
    uint32_t count = BLOCK_BYTES / stride & ~(GROUP - 1u);
    return count < MAX_BLOCK ? count : MAX_BLOCK;
}

static uint32_t tail_size(uint32_t stride)
{
    return stride < MIN_TAIL ? MIN_TAIL : stride;
}

/* Bytes for two bits per group of a block. */
static uint32_t head_size(uint32_t count)
{
    return ((count + GROUP - 1) / GROUP + 3) / 4;
}

uint64_t meshopt_least(uint64_t count, uint32_t stride)
{
    uint32_t block = block_size(stride), rest = (uint32_t)(count % block);
    if (count / block > UINT64_MAX / BLOCK_BYTES)
        return UINT64_MAX;
    return 1 + tail_size(stride) + stride * (count / block * head_size(block) + (rest ? head_size(rest) : 0));
}

/* ------------------------------------------------------------------------------------------------- unpacking -- */

struct unpacking {
    const uint8_t *at, *end;          /* without the tail */
    uint8_t last[MAX_MESHOPT_STRIDE]; /* the previous element */
};

/* Reads 16 differences of that many bits; wider ones are bytes after them. */
static bool read_narrow(struct unpacking *u, unsigned bits, uint8_t differences[GROUP])
{
    const unsigned wide = (1u << bits) - 1, packed = GROUP * bits / 8;
    if ((size_t)(u->end - u->at) < packed)
        return false;
    const uint8_t *from = u->at;
    u->at += packed;
    for (unsigned i = 0; i < GROUP; i++) {
        unsigned place = i * bits, value = (unsigned)from[place / 8] >> (8 - bits - place % 8) & wide;
        if (value == wide) {
            if (u->at == u->end)
                return false;
            value = *u->at++;
        }
        differences[i] = (uint8_t)value;
    }
    return true;
}

static bool read_group(struct unpacking *u, unsigned mode, uint8_t differences[GROUP])
{
    switch (mode) {
    case 0:
        memset(differences, 0, GROUP);
        return true;
    case 1:
        return read_narrow(u, 2, differences);
    case 2:
        return read_narrow(u, 4, differences);
    default:
        if (u->end - u->at < GROUP)
            return false;
        memcpy(differences, u->at, GROUP);
        u->at += GROUP;
        return true;
    }
}

/* Reads one byte of each element of a block. */
static bool read_bytes(struct unpacking *u, uint32_t count, uint32_t stride, uint32_t byte, uint8_t *out)
{
    const uint8_t *head = u->at;
    uint8_t differences[GROUP], value = u->last[byte];
    if ((size_t)(u->end - u->at) < head_size(count))
        return false;
    u->at += head_size(count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t group = i / GROUP;
        if (i % GROUP == 0 && !read_group(u, (unsigned)head[group / 4] >> group % 4 * 2 & 3, differences))
            return false;
        /* Zigzag: 0, -1, 1, -2 … */
        uint8_t difference = differences[i % GROUP];
        value = (uint8_t)(value + ((difference >> 1) ^ (difference & 1 ? 0xff : 0)));
        out[(size_t)i * stride + byte] = value;
    }
    return true;
}

const char *meshopt_unpack(struct pose_bytes bytes, uint64_t count, uint32_t stride, uint8_t *out,
                           struct arena *arena)
{
    struct unpacking u = {.at = bytes.data + 1, .end = bytes.data + bytes.size - tail_size(stride)};
    if (bytes.data[0] == MAGIC_V1)
        return "version 1 of the codec is not supported";
    if (bytes.data[0] != MAGIC)
        return "a stream of attributes must begin with 0xa0";
    memcpy(u.last, bytes.data + bytes.size - stride, stride);
    while (count) {
        if (!arena_step(arena))
            return "stopped";
        uint32_t now = count < block_size(stride) ? (uint32_t)count : block_size(stride);
        for (uint32_t byte = 0; byte < stride; byte++) {
            if (!read_bytes(&u, now, stride, byte, out))
                return "the stream ends within its elements";
        }
        out += (size_t)now * stride;
        memcpy(u.last, out - stride, stride);
        count -= now;
    }
    return u.at == u.end ? NULL : "bytes follow the last element";
}

/* --------------------------------------------------------------------------------------------------- filters -- */

static int16_t get_i16(const uint8_t *at)
{
    uint32_t word = (uint32_t)at[0] | (uint32_t)at[1] << 8;
    return (int16_t)word;
}

static void put_i16(uint8_t *at, int number)
{
    at[0] = (uint8_t)number;
    at[1] = (uint8_t)(number >> 8);
}

static int round_off(float number)
{
    return (int)(number + (number >= 0 ? 0.5f : -0.5f));
}

/* Decodes x and y on an octahedron of size z; w is unchanged. */
static void unfold(float v[3], float longest)
{
    v[2] -= fabsf(v[0]) + fabsf(v[1]);
    float under = v[2] >= 0 ? 0 : v[2];
    v[0] += v[0] >= 0 ? under : -under;
    v[1] += v[1] >= 0 ? under : -under;
    float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++)
        v[k] = length > 0 ? v[k] * (longest / length) : 0;
}

void meshopt_octahedral(uint8_t *elements, uint64_t count, uint32_t stride)
{
    for (; count; count--, elements += stride) {
        float v[3];
        for (int k = 0; k < 3; k++)
            v[k] = stride == 4 ? (float)(int8_t)elements[k] : (float)get_i16(elements + (size_t)k * 2);
        unfold(v, stride == 4 ? 127 : 32767);
        for (int k = 0; k < 3; k++) {
            if (stride == 4)
                elements[k] = (uint8_t)round_off(v[k]);
            else
                put_i16(elements + (size_t)k * 2, round_off(v[k]));
        }
    }
}

/* Three components scaled by the fourth, whose low bits are the index of the omitted, largest component. */
void meshopt_quaternion(uint8_t *elements, uint64_t count)
{
    for (; count; count--, elements += 8) {
        int last = get_i16(elements + 6), largest = last & 3;
        float unit = 0.70710678f / (float)(last | 3), square = 1;
        int numbers[3];
        for (int k = 0; k < 3; k++) {
            float number = (float)get_i16(elements + (size_t)k * 2) * unit;
            square -= number * number;
            numbers[k] = round_off(number * 32767);
        }
        put_i16(elements + (size_t)largest * 2, (int)(sqrtf(square >= 0 ? square : 0) * 32767 + 0.5f));
        for (int k = 0; k < 3; k++)
            put_i16(elements + (size_t)((largest + 1 + k) & 3) * 2, numbers[k]);
    }
}

/* A 24-bit mantissa below an 8-bit exponent, both signed. */
void meshopt_exponential(uint8_t *elements, uint64_t count, uint32_t stride)
{
    for (uint64_t i = 0; i < count * (stride / 4); i++, elements += 4) {
        uint32_t mantissa = (uint32_t)elements[0] | (uint32_t)elements[1] << 8 | (uint32_t)elements[2] << 16;
        float number = ldexpf((float)((int32_t)(mantissa ^ 0x800000) - 0x800000), (int8_t)elements[3]);
        uint32_t word;
        memcpy(&word, &number, sizeof word);
        for (int k = 0; k < 4; k++)
            elements[k] = (uint8_t)(word >> 8 * k);
    }
}
