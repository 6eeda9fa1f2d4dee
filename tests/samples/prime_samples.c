#include "tests/samples/prime_samples.h"

#include "tests/samples/output.h"
#include "tests/support/prime/files.h"

#include <stdio.h>

static const struct {
    const char *format, *name;
    void (*make)(struct prime_made *made);
} samples[] = {
    {"prime-anim", "packed-mp1.anim", prime_make_mp1},
    {"prime-anim", "packed-mp2.anim", prime_make_mp2},
    {"prime-anim", "packed-mp2demo.anim", prime_make_demo},
    {"prime-anim", "frames-mp1.anim", prime_make_frames_mp1},
    {"prime-anim", "frames-mp2.anim", prime_make_frames_mp2},
    {"prime-ancs", "mp1.ancs", prime_make_ancs_mp1},
    {"prime-ancs", "mp2.ancs", prime_make_ancs_mp2},
    {"prime-cinf", "mp1.cinf", prime_make_cinf_mp1},
    {"prime-cinf", "mp2.cinf", prime_make_cinf_mp2},
    {"prime-cskr", "mp1.cskr", prime_make_cskr_mp1},
    {"prime-cskr", "mp2.cskr", prime_make_cskr_mp2},
    {"prime-evnt", "mp1.evnt", prime_make_evnt_mp1},
    {"prime-evnt", "mp2.evnt", prime_make_evnt_mp2},
};

bool write_prime_samples(const char *root)
{
    bool done = true;
    for (size_t i = 0; done && i < sizeof samples / sizeof *samples; i++) {
        struct prime_made made = {0};
        samples[i].make(&made);
        struct made file = {.bytes = made.bytes};
        snprintf(file.name, sizeof file.name, "%s", samples[i].name);
        done = write_made(root, samples[i].format, &file, 1);
        free_made(&file, 1);
    }
    return done;
}
