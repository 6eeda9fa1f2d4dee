/*
 * The Sims Online: a deformable mesh (.mesh). Version 2, then the body of mesh.h, integers big-endian and floats
 * little-endian. The mesh has no name and no texture: a binding (.bnd) names them. Checked on 21 real files, all
 * made by FreeSO's importer.
 */
#include "lib/core/text.h"
#include "lib/formats/pages.h"
#include "lib/formats/sims/fit/fit.h"
#include "lib/formats/sims/mesh.h"
#include "lib/formats/sims/tso/stream.h"

static const struct sims_mesh_form form = {.encoding = &tso_encoding, .version = 2, .weight_first = true};

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

const struct codec codec_tso_mesh = {
    .format = {.id = "tso-mesh",
               .title = "The Sims Online mesh",
               .extensions = ".mesh",
               .media_type = "application/x-tso-mesh",
               .kinds = "mesh"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
    .fit = NOT_IN_PAGES(tso_fit),
};
