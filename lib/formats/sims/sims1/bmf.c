/*
 * The Sims 1: a deformable mesh in binary (.bmf), little-endian: the fields of .skn, but a blend is its weight
 * and then its vertex. No magic number and no version. No real file was available: the layout follows another
 * decoder.
 */
#include "lib/core/text.h"
#include "lib/formats/pages.h"
#include "lib/formats/sims/fit/fit.h"
#include "lib/formats/sims/mesh.h"
#include "lib/formats/sims/sims1/stream.h"

static const struct sims_mesh_form form = {
    .encoding = &sims1_binary_encoding, .is_named = true, .weight_first = true};

static enum probe_result probe(const struct pose_source *source)
{
    if (sims_mesh_probe(&form, source->bytes))
        return PROBE_SURE;
    return PROBE_BY_NAME;
}

static bool decode(struct decode_job *job)
{
    return sims_mesh_decode(&form, job);
}

static bool encode(struct encode_job *job)
{
    return sims_mesh_encode(&form, job);
}

const struct codec codec_sims1_bmf = {
    .format = {.id = "sims1-bmf",
               .title = "The Sims mesh, binary",
               .extensions = ".bmf",
               .media_type = "application/x-sims1-bmf",
               .kinds = "mesh"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
    .fit = NOT_IN_PAGES(sims1_fit_binary),
    .named_after_file = true,
};
