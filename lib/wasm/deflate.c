/*
 * What of libdeflate a page does without: its compressors, and its tables of CRCs. Nothing that a page makes is sent or kept, so
 * what would be packed is stored; a CRC is made with a table of 1 KB, made at its first use.
 */
#include <libdeflate.h>
#include <stdint.h>
#include <string.h>

enum { STORED_MOST = 65535, BLOCK_HEAD = 5, ZLIB_HEAD = 2, ZLIB_TAIL = 4, CRC_PLACES = 256 };

static const uint32_t crc_polynomial = 0xedb88320;
static char the_compressor; /* it has no state */

struct libdeflate_compressor *libdeflate_alloc_compressor(int level)
{
    (void)level;
    return (struct libdeflate_compressor *)(void *)&the_compressor;
}

void libdeflate_free_compressor(struct libdeflate_compressor *compressor)
{
    (void)compressor;
}

/* No smaller: what asks keeps the bytes as they are. */
size_t libdeflate_deflate_compress(struct libdeflate_compressor *compressor, const void *in, size_t size,
                                   void *out, size_t room)
{
    (void)compressor, (void)in, (void)size, (void)out, (void)room;
    return 0;
}

size_t libdeflate_zlib_compress_bound(struct libdeflate_compressor *compressor, size_t size)
{
    (void)compressor;
    return ZLIB_HEAD + size + BLOCK_HEAD * (size / STORED_MOST + 1) + ZLIB_TAIL;
}

/* Stored blocks (RFC 1950 and 1951, 3.2.4). */
size_t libdeflate_zlib_compress(struct libdeflate_compressor *compressor, const void *in, size_t size,
                                void *out, size_t room)
{
    const uint8_t *from = in;
    uint8_t *to = out;
    const uint32_t sum = libdeflate_adler32(1, in, size);
    if (room < libdeflate_zlib_compress_bound(compressor, size))
        return 0;
    *to++ = 0x78;
    *to++ = 0x01;
    for (size_t left = size, piece;; left -= piece, from += piece, to += piece) {
        piece = left < STORED_MOST ? left : STORED_MOST;
        const uint16_t head[] = {(uint16_t)piece, (uint16_t)~piece};
        *to++ = piece == left;
        memcpy(to, head, sizeof head);
        to += sizeof head;
        memcpy(to, from, piece);
        if (piece == left) {
            to += piece;
            break;
        }
    }
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (uint8_t)(sum >> shift);
    return (size_t)(to - (uint8_t *)out);
}

uint32_t libdeflate_crc32(uint32_t crc, const void *in, size_t size)
{
    static uint32_t table[CRC_PLACES];
    const uint8_t *bytes = in;
    for (uint32_t i = 0; !table[1] && i < CRC_PLACES; i++) {
        /* Downwards: table[1], which tells that there is a table, is among the last. */
        uint32_t place = CRC_PLACES - 1 - i, value = place;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? crc_polynomial : 0);
        table[place] = value;
    }
    for (crc = ~crc; size; size--)
        crc = crc >> 8 ^ table[(crc ^ *bytes++) & 0xff];
    return ~crc;
}
