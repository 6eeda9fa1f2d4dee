/* Files of The Sims Online, put together field by field, so that tests know where each field lies and can spoil it. */
#ifndef TESTS_SUPPORT_TSO_FILES_H
#define TESTS_SUPPORT_TSO_FILES_H

#include <stddef.h>
#include <stdint.h>

enum { TSO_FILE_SIZE = 4096, TSO_FILE_MARKS = 256 };

struct tso_file {
    uint8_t data[TSO_FILE_SIZE];
    size_t size;
    struct {
        char name[48];
        size_t offset;
    } marks[TSO_FILE_MARKS];
    size_t mark_count;
    char prefix[32]; /* put before every name: "motions[0]." */
};

/* Each appends a field and notes its place under prefix and name; a NULL name notes nothing. */
void tso_put_u8(struct tso_file *file, const char *name, uint8_t value);
void tso_put_u16(struct tso_file *file, const char *name, uint16_t value);
void tso_put_u32(struct tso_file *file, const char *name, uint32_t value);
void tso_put_f32(struct tso_file *file, const char *name, float value);
void tso_put_text(struct tso_file *file, const char *name, const char *text);
void tso_put_floats(struct tso_file *file, const char *name, const float *values, size_t count);

/* Where a field lies; the test fails when there is none of that name. */
size_t tso_at(const struct tso_file *file, const char *name);
void tso_set_u8(struct tso_file *file, const char *name, uint8_t value);
void tso_set_u32(struct tso_file *file, const char *name, uint32_t value);
void tso_set_f32(struct tso_file *file, const char *name, float value);

/*
 * An animation in the plain layout: "a2o-test", 1000 ms, distance 2.5, moving, with two motions of 3 frames.
 * ROOT: translations (k, 10, 20) and rotations (0, 0, 0, 1), props [[{name: adult}]], events footstep=1 at 100 ms
 * and xevt=7, sound=door at 500 ms. HEAD: rotations (0, 0.6, 0, 0.8), event footstep=2 at 100 ms.
 */
void tso_make_anim(struct tso_file *file);

/* A skeleton "figure" of ROOT, HIP and HEAD, the children before their parents' siblings. */
void tso_make_skel(struct tso_file *file);

#endif
