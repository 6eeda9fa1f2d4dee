/*
 * The body of The Sims 1's character files, the same in text (.cmx) and binary (.bcf): skeletons, suits and
 * skills, any number of each (sims1-character.md, section 1).
 */
#ifndef POSE_FORMATS_SIMS_SIMS1_BODY_H
#define POSE_FORMATS_SIMS_SIMS1_BODY_H

#include "lib/formats/sims/records.h"

/* A mesh on a bone. */
struct sims1_skin {
    const char *bone;
    const char *mesh; /* the name of the .skn or .bmf, without extension */
    int32_t flags;    /* censor bits */
    struct sims_props props;
};

struct sims1_suit {
    const char *name;
    int32_t type; /* 0 normal, 1 censor box */
    struct sims_props props;
    uint32_t skin_count;
    struct sims1_skin *skins;
};

struct sims1_body {
    uint32_t skeleton_count, suit_count, skill_count;
    struct sims_bones *skeletons;
    struct sims1_suit *suits;
    struct sims_skill *skills;
};

/* Reads, writes or walks the body in the stream's encoding. */
void sims1_visit_body(struct sims_stream *s, struct sims1_body *body);

/*
 * Builds the document from what s has read: a skill's keys are read from its .cfp, found through the job's
 * source. Errors are located in this file or, below its name, in the .cfp.
 */
bool sims1_document_build(struct decode_job *job, struct sims_stream *s, const struct sims1_body *body);
/* Builds the body from the job's skeletons, suits and clips. */
bool sims1_body_build(struct encode_job *job, struct sims1_body *body);

#endif
