/*
 * The Sims 1: a deformable mesh as text (.skn). Lines end with CR LF; the first is the name of the mesh, the
 * second that of its texture ("x": none), then the body of mesh.h, one row per line. Numbers have the format of
 * an old C library ("-5.88894e-005"). Checked on 12 real files.
 */
#include "lib/core/text.h"
#include "lib/formats/pages.h"
#include "lib/formats/sims/fit/fit.h"
#include "lib/formats/sims/mesh.h"
#include "lib/formats/sims/sims1/stream.h"

static const struct sims_mesh_form form = {.encoding = &sims1_text_encoding, .is_named = true};

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

const struct codec codec_sims1_skn = {
    .format = {.id = "sims1-skn",
               .title = "The Sims mesh, text",
               .extensions = ".skn",
               .media_type = "text/x-sims1-skn",
               .kinds = "mesh"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
    .fit = NOT_IN_PAGES(sims1_fit_text),
    .named_after_file = true,
};
