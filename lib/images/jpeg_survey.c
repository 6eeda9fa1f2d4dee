/* Segments of a JPEG: FF, a code, a length of two bytes that counts itself (ITU T.81, B.1.1). */
#include "lib/images/jpeg_survey.h"

#include <string.h>

enum {
    SOF0 = 0xc0, /* sequential, as SOF1; all other kinds are progressive or not read */
    SOF1 = 0xc1,
    RST0 = 0xd0, /* the eight restart marks and the start of the image have no length */
    SOI = 0xd8,
    EOI = 0xd9,
    SOS = 0xda,
    DHT = 0xc4,
};

/* Whether the tables fill the segment, each with a byte for its place, 16 counts, and a byte per code (B.2.4.2). */
static bool tables_fit(const uint8_t *table, size_t left)
{
    enum { HEAD = 17, MAX_CODES = 256 };
    while (left >= HEAD) {
        size_t codes = 0;
        for (int i = 1; i < HEAD; i++)
            codes += table[i];
        if (codes > MAX_CODES || left - HEAD < codes)
            return false;
        left -= HEAD + codes;
        table += HEAD + codes;
    }
    return left == 0;
}

/* The code of the next marker, with *at behind it; EOI at the end of the bytes. Entropy-coded data has 00 behind each
 * of its FF, and restart marks. */
static int next_marker(const uint8_t **at, const uint8_t *end)
{
    while ((*at = memchr(*at, 0xff, (size_t)(end - *at)))) {
        while (*at < end && **at == 0xff)
            ++*at;
        if (*at == end)
            return EOI;
        int code = *(*at)++;
        if (code != 0 && !(code >= RST0 && code <= SOI))
            return code;
        if (*at == end)
            return EOI;
    }
    return EOI;
}

/* How many components of a sequential picture have not had their scan. */
struct still {
    bool is_counted; /* false: not sequential */
    unsigned count;
};

/* False if a scan has more components than are left: each has one scan. */
static bool count_components(struct still *still, int code, const uint8_t *segment, size_t size)
{
    enum { IN_FRAME = 7, IN_SCAN = 2 };
    if ((code == SOF0 || code == SOF1) && size > IN_FRAME)
        *still = (struct still){true, segment[IN_FRAME]};
    if (code != SOS || !still->is_counted || size <= IN_SCAN)
        return true;
    if (segment[IN_SCAN] > still->count)
        return false;
    still->count -= segment[IN_SCAN];
    return true;
}

bool jpeg_survey(struct pose_bytes bytes, uint32_t *scans)
{
    const uint8_t *at = bytes.data, *end = at + bytes.size;
    struct still still = {0};
    *scans = 0;
    for (int code; at < end && (code = next_marker(&at, end)) != EOI;) {
        size_t left = (size_t)(end - at), size = left < 2 ? 0 : (size_t)(at[0] << 8 | at[1]);
        *scans += code == SOS;
        if (size < 2 || size > left) /* cut off: nothing follows */
            return left < 2 || (size >= 2 && code != DHT);
        if ((code == DHT && !tables_fit(at + 2, size - 2)) || !count_components(&still, code, at, size))
            return false;
        at += size;
    }
    return true;
}
