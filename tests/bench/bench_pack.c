/*
 * Unpacking: RefPack (FAR3, DBPF), LZO1X in segments (paks of Metroid Prime 2) and zlib (DBPF, paks, ZIP), against a
 * copy of the same bytes. The bytes are keys like those of a Sims 3 clip: frame numbers, flags, and curves that are
 * quantised to 16 bits, so that they shrink to about two thirds as real ones do.
 */
#include "lib/packing/lzo1x.h"
#include "lib/packing/refpack.h"
#include "tests/bench/bench.h"

#include <libdeflate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRACKS = 60, FRAMES = 300, KEY = 10, SIZE = TRACKS * FRAMES * KEY, SEGMENT = 0x4000 };

/* The same bytes in every packing, and room to unpack them. */
struct packed {
    uint8_t *plain, *out;
    struct pose_buffer refpack, lzo1x, zlib;
    uint32_t segments[SIZE / SEGMENT + 1]; /* packed sizes */
    struct libdeflate_decompressor *inflater;
};

static void put_u16(uint8_t *to, unsigned value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

/* Keys of one track: three curves that sway, a quarter of the tracks hardly at all. */
static void make_keys(uint8_t *to, int track)
{
    double swing = track % 4 ? 900 : 3;
    for (int k = 0; k < FRAMES; k++, to += KEY) {
        put_u16(to, (unsigned)k);
        put_u16(to + 2, track % 8 == 7 ? 1 : 0);
        for (int axis = 0; axis < 3; axis++) {
            double angle = k * (0.02 + 0.003 * track) + axis;
            put_u16(to + 4 + 2 * axis, (unsigned)(2048 + swing * sin(angle)));
        }
    }
}

static void pack_segments(struct packed *packed, struct arena *arena)
{
    struct lzo1x_encoder *encoder = bench_need(lzo1x_encoder_new(arena));
    struct writer writer;
    writer_init(&writer, &packed->lzo1x, NULL);
    for (size_t at = 0, i = 0; at < SIZE; at += SEGMENT, i++) {
        size_t before = packed->lzo1x.size, left = SIZE - at;
        lzo1x_encode(encoder, (struct pose_bytes){packed->plain + at, left < SEGMENT ? left : SEGMENT},
                     &writer);
        packed->segments[i] = (uint32_t)(packed->lzo1x.size - before);
    }
}

static void pack_all(struct packed *packed)
{
    struct arena arena;
    struct writer writer;
    arena_init(&arena, NULL, 0, NULL);
    writer_init(&writer, &packed->refpack, NULL);
    refpack_encode(bench_need(refpack_encoder_new(&arena)), (struct pose_bytes){packed->plain, SIZE},
                   &writer);
    pack_segments(packed, &arena);
    arena_release(&arena);
    struct libdeflate_compressor *deflater = bench_need(libdeflate_alloc_compressor(6));
    size_t bound = libdeflate_zlib_compress_bound(deflater, SIZE);
    writer_init(&writer, &packed->zlib, NULL);
    uint8_t *to = bench_need(writer_reserve(&writer, bound));
    writer_commit(&writer, libdeflate_zlib_compress(deflater, packed->plain, SIZE, to, bound));
    libdeflate_free_compressor(deflater);
}

/* --------------------------------------------------------------------------------------------- the rows -- */

static void copy(void *subject)
{
    struct packed *packed = subject;
    memcpy(packed->out, packed->plain, SIZE);
    bench_use(packed->out);
}

static void unpack_refpack(void *subject)
{
    struct packed *packed = subject;
    struct reader reader;
    bool stopped;
    reader_init(&reader, (struct pose_bytes){packed->refpack.data, packed->refpack.size}, NULL);
    if (!refpack_decode(&reader, packed->out, SIZE, &stopped))
        abort();
}

static void unpack_lzo1x(void *subject)
{
    struct packed *packed = subject;
    const uint8_t *from = packed->lzo1x.data;
    for (size_t at = 0, i = 0; at < SIZE; i++) {
        struct reader reader;
        size_t written;
        reader_init(&reader, (struct pose_bytes){from, packed->segments[i]}, NULL);
        if (!lzo1x_decode(&reader, packed->out + at, SIZE - at, &written))
            abort();
        from += packed->segments[i];
        at += written;
    }
}

static void unpack_zlib(void *subject)
{
    struct packed *packed = subject;
    if (libdeflate_zlib_decompress(packed->inflater, packed->zlib.data, packed->zlib.size, packed->out, SIZE,
                                   NULL) != LIBDEFLATE_SUCCESS)
        abort();
}

static void check(struct packed *packed, void (*unpack)(void *subject))
{
    memset(packed->out, 0, SIZE);
    unpack(packed);
    if (memcmp(packed->out, packed->plain, SIZE) != 0)
        abort();
}

static void run(void)
{
    struct packed packed = {.plain = bench_need(malloc(SIZE)), .out = bench_need(malloc(SIZE))};
    packed.inflater = bench_need(libdeflate_alloc_decompressor());
    for (int track = 0; track < TRACKS; track++)
        make_keys(packed.plain + (size_t)track * FRAMES * KEY, track);
    pack_all(&packed);
    check(&packed, unpack_refpack);
    check(&packed, unpack_lzo1x);
    check(&packed, unpack_zlib);
    const struct bench_contestant contestants[] = {
        {"copy of the unpacked bytes", copy, &packed, SIZE},
        {"RefPack (goal 1 GB/s)", unpack_refpack, &packed, SIZE},
        {"LZO1X in segments (goal 1.5 GB/s)", unpack_lzo1x, &packed, SIZE},
        {"zlib, by libdeflate", unpack_zlib, &packed, SIZE},
    };
    bench_compare("Unpacking keys of a clip, bytes out", "MB/s", 1e6, contestants, 4);
    libdeflate_free_decompressor(packed.inflater);
    pose_buffer_free(&packed.refpack);
    pose_buffer_free(&packed.lzo1x);
    pose_buffer_free(&packed.zlib);
    free(packed.plain);
    free(packed.out);
}

const struct bench_part bench_pack = {"pack", run};
