/*
 * The Sims 1: keys of a skill (.cfp), see keys.h. The numbers of translations and rotations are stored only in
 * the skill, in a .cmx or .bcf. So a .cfp alone decodes to an empty document: its codes are checked, and a note
 * says how many values they yield and where they belong.
 *
 * Written from one clip: the setting "cfp" is "compact" (the default: within 5e-4 of each value, like the game's
 * own files) or "lossless".
 */
#include "lib/core/text.h"
#include "lib/formats/pages.h"
#include "lib/core/setting.h"
#include "lib/formats/sims/sims1/keys.h"
#include "lib/formats/sims/clip.h"

static bool decode(struct decode_job *job)
{
    struct reader reader;
    reader_init(&reader, job->source->bytes, job->error);
    uint64_t count = sims1_keys_count(&reader);
    if (reader.failed)
        return false;
    warning_add(
        &job->warnings, POSE_NOTE, "companion_only", POSE_NO_OFFSET,
        "%llu numbers of a skill's keys, 3 a translation and 4 a rotation: they show with the .cmx or .bcf "
        "that names this file",
        (unsigned long long)count);
    return true;
}

static bool find_mode(struct encode_job *job, enum sims1_keys_mode *mode)
{
    static const char *const words[] = {"compact", "lossless"};
    unsigned lossless = 0;
    if (!setting_word(job->settings, "cfp", words, 2, &lossless, job->error))
        return false;
    *mode = lossless ? SIMS1_KEYS_LOSSLESS : SIMS1_KEYS_COMPACT;
    return true;
}

static bool encode(struct encode_job *job)
{
    struct sims_skill skill;
    enum sims1_keys_mode mode;
    if (job->content->clip_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_clip",
                         "a .cfp holds the keys of one clip, not of %u", job->content->clip_count);
    if (!find_mode(job, &mode) || !sims_skill_build(job, job->content->clips, false, &skill))
        return false;
    for (int part = 0; part < SIMS_PARTS; part++) {
        if (skill.pools[part].count && !skill.pools[part].values)
            return error_set(job->error, POSE_BAD_DATA, "no_keys",
                             "the clip has no keys: its .cfp is missing");
    }
    sims1_keys_encode(job->writer, skill.pools, mode);
    return true;
}

static const struct target target = {
    .title = "The Sims 1",
    .family = FAMILY_SIMS,
    .axes = POSE_AXES_SIMS,
    .rules = POSE_RULES_SIMS,
    .holds = {true, true, false, false},
    .own_settings = "loop distance",
};

const struct codec codec_sims1_cfp = {
    .format = {.id = "sims1-cfp",
               .title = "The Sims keys of a skill",
               .extensions = ".cfp",
               .media_type = "application/x-sims1-cfp",
               .kinds = "other"},
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
    .target = &target,
};
