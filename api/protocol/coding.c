#include "api/protocol/coding.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

int quality_of(const char *parameters, size_t length)
{
    for (size_t i = 0; i + 2 < length; i++) {
        if ((parameters[i] | 0x20) != 'q' || parameters[i + 1] != '=' ||
            !strchr("; \t", i ? parameters[i - 1] : ';'))
            continue;
        int quality = parameters[i + 2] == '1' ? 1000 : 0, digit = 100;
        for (size_t k = i + 4; k < length && parameters[i + 2] == '0' && digit; k++, digit /= 10) {
            if (parameters[k] < '0' || parameters[k] > '9')
                break;
            quality += (parameters[k] - '0') * digit;
        }
        return quality;
    }
    return 1000;
}

struct qualities {
    int of[CODING_COUNT]; /* q in thousandths, indexed by enum coding; <= 0: not acceptable */
};

static struct qualities read_qualities(const struct api_request *request)
{
    const char *accept = request->header(request, "Accept-Encoding");
    struct qualities quality = {{0, -1, -1, -1}};
    int others = -1;
    while (accept && *accept) {
        accept += strspn(accept, " \t,");
        size_t name = strcspn(accept, ",; \t"), whole = strcspn(accept, ",");
        int q = quality_of(accept + name, whole - name);
        if (name == 4 && !strncasecmp(accept, "gzip", 4))
            quality.of[CODING_GZIP] = q;
        else if (name == 4 && !strncasecmp(accept, "zstd", 4))
            quality.of[CODING_ZSTD] = q;
        else if (name == 2 && !strncasecmp(accept, "br", 2))
            quality.of[CODING_BROTLI] = q;
        else if (name == 1 && *accept == '*')
            others = q;
        accept += whole;
    }
    if (quality.of[CODING_GZIP] < 0)
        quality.of[CODING_GZIP] = others;
    return quality;
}

enum coding coding_choose(const struct api_request *request)
{
    struct qualities quality = read_qualities(request);
    if (quality.of[CODING_ZSTD] <= 0 && quality.of[CODING_GZIP] <= 0)
        return CODING_IDENTITY;
    return quality.of[CODING_ZSTD] >= quality.of[CODING_GZIP] ? CODING_ZSTD : CODING_GZIP;
}

enum coding coding_choose_kept(const struct api_request *request, bool has_brotli)
{
    struct qualities quality = read_qualities(request);
    if (has_brotli && quality.of[CODING_BROTLI] > 0 && quality.of[CODING_BROTLI] >= quality.of[CODING_GZIP])
        return CODING_BROTLI;
    if (quality.of[CODING_GZIP] > 0 && quality.of[CODING_GZIP] >= quality.of[CODING_ZSTD])
        return CODING_GZIP;
    return quality.of[CODING_ZSTD] > 0 ? CODING_ZSTD : CODING_IDENTITY;
}

void *coding_unpack(const void *packed, size_t packed_size, size_t size)
{
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    void *bytes = malloc(size ? size : 1);
    if (!decompressor || !bytes ||
        libdeflate_gzip_decompress(decompressor, packed, packed_size, bytes, size, NULL) !=
            LIBDEFLATE_SUCCESS) {
        free(bytes);
        bytes = NULL;
    }
    if (decompressor)
        libdeflate_free_decompressor(decompressor);
    return bytes;
}

/* Above a megabyte speed matters more than the last tenth of size: 32 MB take about 0.2 s at level 1. */
static bool is_large(const struct pose_buffer *body)
{
    return body->size > CODING_LARGE;
}

static size_t apply_gzip(const struct pose_buffer *body, void **out)
{
    enum { LEVEL = 4, FAST_LEVEL = 1 };
    struct libdeflate_compressor *compressor =
        libdeflate_alloc_compressor(is_large(body) ? FAST_LEVEL : LEVEL);
    if (!compressor)
        return 0;
    size_t bound = libdeflate_gzip_compress_bound(compressor, body->size), size = 0;
    *out = malloc(bound);
    if (*out)
        size = libdeflate_gzip_compress(compressor, body->data, body->size, *out, bound);
    libdeflate_free_compressor(compressor);
    return size;
}

static size_t apply_zstd(const struct pose_buffer *body, void **out)
{
    enum { LEVEL = 3, FAST_LEVEL = -1 };
    size_t bound = ZSTD_compressBound(body->size);
    *out = malloc(bound);
    if (!*out)
        return 0;
    size_t size = ZSTD_compress(*out, bound, body->data, body->size, is_large(body) ? FAST_LEVEL : LEVEL);
    return ZSTD_isError(size) ? 0 : size;
}

bool coding_apply(enum coding coding, struct pose_buffer *body)
{
    void *out = NULL;
    size_t size = coding == CODING_GZIP ? apply_gzip(body, &out) : apply_zstd(body, &out);
    if (!size) {
        free(out);
        return false;
    }
    pose_buffer_free(body);
    *body = (struct pose_buffer){.data = out, .size = size, .capacity = size};
    return true;
}
