/* Metroid Prime 1 and 2. */
#include "lib/formats/family.h"
#include "lib/formats/pages.h"
#include "lib/formats/prime/join.h"
#include "lib/formats/prime/model/model.h"
#include "lib/formats/prime/verdict.h"

extern const struct codec codec_prime_anim;
extern const struct codec codec_prime_ancs;
extern const struct codec codec_prime_cinf;
extern const struct codec codec_prime_cmdl;
extern const struct codec codec_prime_cskr;
extern const struct codec codec_prime_evnt;
extern const struct codec codec_prime_txtr;
extern const struct archive_type prime_pak_archive;

/* clang-format off */
static const struct codec *const codecs[] = {
    &codec_prime_anim,
    &codec_prime_ancs,
    &codec_prime_cinf,
    &codec_prime_cmdl,
    &codec_prime_cskr,
    &codec_prime_evnt,
    &codec_prime_txtr,
    NULL,
};
/* clang-format on */

/* clang-format off */
static const struct archive_type *const archives[] = {
    &prime_pak_archive,
    NULL,
};
/* clang-format on */

static const struct rules_row rules[] = {
    {POSE_RULES_PRIME, "prime", "slerp", POSE_AXES_PRIME, "prime-anim", NULL},
    {POSE_RULES_PRIME_FRAMES, "prime_frames", "slerp", POSE_AXES_PRIME, "prime-anim", NULL},
    {.name = NULL},
};

static const struct axes_row axes[] = {
    {POSE_AXES_PRIME, "prime"},
    {.name = NULL},
};

const struct family family_prime = {
    .id = "prime",
    .title = "Metroid Prime",
    .codecs = codecs,
    .archives = archives,
    .join = NOT_IN_PAGES(prime_join),
    .shares = NOT_IN_PAGES(prime_shares),
    .facts = NOT_IN_PAGES(prime_write_facts),
    .link = NOT_IN_PAGES(prime_link),
    .resource_id = NOT_IN_PAGES(prime_resource_id),
    .relations = NOT_IN_PAGES(prime_relations),
    .rules = rules,
    .axes = axes,
    .judge = prime_judge,
};
