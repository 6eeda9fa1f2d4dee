/*
 * BMP of 8 bits per pixel: an image's own colours if there are at most 256, else a palette by median cut (Heckbert,
 * 1982) over cells of 5 bits per channel: the box with the most pixels is cut where half of them lie on each side,
 * along its longest side.
 */
#include "lib/images/picture.h"

#include "lib/core/bytes/writer.h"

#include <stdlib.h>
#include <string.h>

enum { COLORS = 256, SLOTS = 1024, CELLS = 1 << 15, HEADER = 14 + 40 + 4 * COLORS };

/* All pixels of one cell. */
struct cell {
    uint64_t count, sums[3];
    uint8_t color; /* its place in the palette */
};

/* Cells between those corners, both inclusive, 0 to 31 per channel. */
struct box {
    uint8_t low[3], high[3];
    uint64_t count;
};

struct palette {
    uint32_t count;
    uint8_t colors[COLORS][3];
    uint16_t slots[SLOTS]; /* a hash table of the image's own colours: place + 1, 0: free */
    struct cell *cells;    /* of a palette by median cut; NULL: own colours */
};

static uint32_t cell_of(const uint8_t pixel[3])
{
    return (uint32_t)(pixel[0] >> 3) << 10 | (uint32_t)(pixel[1] >> 3) << 5 | pixel[2] >> 3;
}

/* ------------------------------------------------------------------------------------------- its own colours -- */

/* The slot of a colour, or the free one where it belongs. */
static uint16_t *find_slot(struct palette *palette, const uint8_t pixel[3])
{
    uint32_t place = (pixel[0] * 389u + pixel[1] * 97u + pixel[2]) % SLOTS;
    while (palette->slots[place] && memcmp(palette->colors[palette->slots[place] - 1], pixel, 3) != 0)
        place = (place + 1) % SLOTS;
    return &palette->slots[place];
}

/* False if there are more than 256. */
static bool take_own(const struct picture *picture, struct palette *palette)
{
    size_t count = (size_t)picture->width * picture->height;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pixel = picture->pixels + 4 * i;
        if (i && !memcmp(pixel, pixel - 4, 3))
            continue;
        uint16_t *slot = find_slot(palette, pixel);
        if (*slot)
            continue;
        if (palette->count == COLORS)
            return false;
        memcpy(palette->colors[palette->count++], pixel, 3);
        *slot = (uint16_t)palette->count;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ median cut -- */

static void count_cells(const struct picture *picture, struct cell *cells)
{
    size_t count = (size_t)picture->width * picture->height;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pixel = picture->pixels + 4 * i;
        struct cell *cell = &cells[cell_of(pixel)];
        cell->count++;
        for (unsigned c = 0; c < 3; c++)
            cell->sums[c] += pixel[c];
    }
}

/* Visits the cells of a box. */
#define EACH_CELL(box, at)                                                                                   \
    for (at[0] = (box)->low[0]; at[0] <= (box)->high[0]; at[0]++)                                            \
        for (at[1] = (box)->low[1]; at[1] <= (box)->high[1]; at[1]++)                                        \
            for (at[2] = (box)->low[2]; at[2] <= (box)->high[2]; at[2]++)

static const struct cell *cell_at(const struct cell *cells, const uint8_t at[3])
{
    return &cells[(uint32_t)at[0] << 10 | (uint32_t)at[1] << 5 | at[2]];
}

/* Makes the box as small as its pixels allow, and counts them. */
static void shrink(const struct cell *cells, struct box *box)
{
    struct box tight = {{31, 31, 31}, {0, 0, 0}, 0};
    uint8_t at[3];
    EACH_CELL(box, at)
    {
        uint64_t count = cell_at(cells, at)->count;
        for (unsigned c = 0; c < 3 && count; c++) {
            tight.low[c] = at[c] < tight.low[c] ? at[c] : tight.low[c];
            tight.high[c] = at[c] > tight.high[c] ? at[c] : tight.high[c];
        }
        tight.count += count;
    }
    *box = tight;
}

static unsigned longest_side(const struct box *box)
{
    unsigned side = 1; /* green counts most where they are equal */
    for (unsigned c = 0; c < 3; c++) {
        if (box->high[c] - box->low[c] > box->high[side] - box->low[side])
            side = c;
    }
    return side;
}

/* Cuts off the upper part, which becomes another box. */
static void cut(const struct cell *cells, struct box *box, struct box *upper)
{
    unsigned side = longest_side(box);
    uint64_t planes[32] = {0}, sum = 0;
    uint8_t at[3], place = box->low[side];
    EACH_CELL(box, at)
    planes[at[side]] += cell_at(cells, at)->count;
    for (; place + 1 < box->high[side] && 2 * (sum + planes[place]) < box->count; place++)
        sum += planes[place];
    *upper = *box;
    upper->low[side] = (uint8_t)(place + 1);
    box->high[side] = place;
    shrink(cells, box);
    shrink(cells, upper);
}

static bool is_cuttable(const struct box *box)
{
    return memcmp(box->low, box->high, sizeof box->low) != 0;
}

static uint32_t cut_all(const struct cell *cells, struct box boxes[COLORS])
{
    uint32_t count = 1;
    boxes[0] = (struct box){{0, 0, 0}, {31, 31, 31}, 0};
    shrink(cells, &boxes[0]);
    while (count < COLORS) {
        struct box *largest = NULL;
        for (uint32_t i = 0; i < count; i++) {
            if (is_cuttable(&boxes[i]) && (!largest || boxes[i].count > largest->count))
                largest = &boxes[i];
        }
        if (!largest)
            break;
        cut(cells, largest, &boxes[count++]);
    }
    return count;
}

/* The colour of a box is the mean of its pixels. */
static void take_box(struct palette *palette, const struct box *box)
{
    uint64_t sums[3] = {0};
    uint8_t at[3];
    EACH_CELL(box, at)
    {
        struct cell *cell = (struct cell *)(uintptr_t)cell_at(palette->cells, at);
        cell->color = (uint8_t)palette->count;
        for (unsigned c = 0; c < 3; c++)
            sums[c] += cell->sums[c];
    }
    for (unsigned c = 0; c < 3; c++)
        palette->colors[palette->count][c] = (uint8_t)((sums[c] + box->count / 2) / box->count);
    palette->count++;
}

/* ------------------------------------------------------------------------------------------------ the file -- */

static bool make_palette(const struct picture *picture, struct palette *palette)
{
    *palette = (struct palette){0};
    if (take_own(picture, palette))
        return true;
    struct box boxes[COLORS];
    *palette = (struct palette){.cells = calloc(CELLS, sizeof *palette->cells)};
    if (!palette->cells)
        return false;
    count_cells(picture, palette->cells);
    uint32_t count = cut_all(palette->cells, boxes);
    for (uint32_t i = 0; i < count; i++)
        take_box(palette, &boxes[i]);
    return true;
}

static void put_head(struct writer *writer, const struct picture *picture, uint32_t size)
{
    writer_bytes(writer, "BM", 2);
    writer_u32le(writer, HEADER + size);
    writer_u32le(writer, 0);
    writer_u32le(writer, HEADER);
    writer_u32le(writer, 40);
    writer_u32le(writer, picture->width);
    writer_u32le(writer, picture->height); /* rows from the bottom */
    writer_u16le(writer, 1);
    writer_u16le(writer, 8);
    writer_u32le(writer, 0); /* not compressed */
    writer_u32le(writer, size);
    writer_u32le(writer, 2835); /* 72 dots per inch */
    writer_u32le(writer, 2835);
    writer_u32le(writer, COLORS);
    writer_u32le(writer, 0);
}

static void put_row(struct writer *writer, struct palette *palette, const uint8_t *row, uint32_t width)
{
    uint8_t color = 0;
    for (uint32_t x = 0; x < width; x++, row += 4) {
        if (palette->cells)
            color = palette->cells[cell_of(row)].color;
        else if (!x || memcmp(row, row - 4, 3) != 0)
            color = (uint8_t)(*find_slot(palette, row) - 1);
        writer_u8(writer, color);
    }
    for (uint32_t x = width; x % 4; x++)
        writer_u8(writer, 0);
}

bool picture_write_bmp(const struct picture *picture, struct pose_buffer *out)
{
    struct palette palette;
    struct writer writer;
    if (!make_palette(picture, &palette))
        return false;
    writer_init(&writer, out, NULL);
    put_head(&writer, picture, (picture->width + 3) / 4 * 4 * picture->height);
    for (uint32_t i = 0; i < COLORS; i++) {
        for (unsigned c = 3; c-- > 0;)
            writer_u8(&writer, palette.colors[i][c]);
        writer_u8(&writer, 0);
    }
    for (uint32_t y = picture->height; y-- > 0;)
        put_row(&writer, &palette, picture->pixels + (size_t)y * picture->width * 4, picture->width);
    free(palette.cells);
    return writer_finish(&writer);
}
