/*
 * Meshes of other formats made fit for The Sims: fit.c turns vertices in model space into ones in the space of their
 * bones, wear.c adds what puts the mesh on. Facts: sims1-character.md, sections 4 and 5.
 */
#ifndef POSE_FORMATS_SIMS_FIT_H
#define POSE_FORMATS_SIMS_FIT_H

#include "lib/formats/fit.h"

/* Fills in job->fitted. False with error. */
bool sims_fit_mesh(struct fit_job *job);
/* Whether the mesh is one of The Sims already, whose files exist. */
bool sims_fits_as_it_is(const struct fit_job *job);

/* codec.fit of the formats. */
bool sims1_fit_text(struct fit_job *job);
bool sims1_fit_binary(struct fit_job *job);
bool tso_fit(struct fit_job *job);

#endif
