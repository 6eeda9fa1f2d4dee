#include "tests/samples/body_samples.h"

#include "tests/samples/output.h"
#include "tests/support/sims3/dds_files.h"
#include "tests/support/sims3/geom_files.h"
#include "tests/support/llm_files.h"
#include "tests/support/sims3/modl_files.h"

/* An avatar of one mesh, whose shape moves a bone and a morph. */
static const char avatar[] =
    "<?xml version=\"1.0\"?>\n"
    "<linden_avatar version=\"2.0\">\n"
    "  <skeleton file_name=\"avatar_skeleton.xml\">\n"
    "    <param id=\"1\" name=\"Arms\"><param_skeleton>\n"
    "      <bone name=\"mElbowLeft\" scale=\"0 0.4 0.1\" offset=\"0 0.05 0\"/></param_skeleton></param>\n"
    "  </skeleton>\n"
    "  <mesh type=\"upperBodyMesh\" lod=\"0\" file_name=\"avatar_upper_body.llm\">\n"
    "    <param id=\"2\" name=\"Fat\" value_default=\"0.75\"><param_morph/></param></mesh>\n"
    "  <driver_parameters><param id=\"3\" name=\"Bulk\" value_default=\"0.5\"><param_driver>\n"
    "    <driven id=\"1\" min1=\"0\" max1=\"1\"/></param_driver></param></driver_parameters>\n"
    "</linden_avatar>\n";

static bool write_avatar(const char *root)
{
    struct little_file list = {0}, body = {0};
    struct pose_document *stand_in = pose_stand_in(0, NULL, NULL);
    struct made files[3] = {
        {.name = "avatar_lad.xml"}, {.name = "avatar_skeleton.xml"}, {.name = "avatar_upper_body.llm"}};
    little_put(&list, avatar, sizeof avatar - 1);
    llm_put_body(&body);
    files[0].bytes = list.bytes;
    files[2].bytes = body.bytes;
    bool done = stand_in &&
                encode_made("sl-skeleton",
                            &(struct pose_content){.skeleton_count = 1, .skeletons = stand_in->skeletons},
                            &files[1]) &&
                write_made(root, "sl-lad", files, 3);
    free_made(files, 3);
    pose_document_free(stand_in);
    return done;
}

/* The parts of a sim: a mesh, what lists meshes, what a sim wears. */
static bool write_parts(const char *root)
{
    struct little_file mesh = {0}, list = {0}, part = {0};
    little_put(&mesh, geom_example, sizeof geom_example);
    vpxy_put_sample(&list);
    little_put(&part, casp_example, sizeof casp_example);
    struct made files[3] = {{.name = "sample.simgeom", .bytes = mesh.bytes},
                            {.name = "sample.vpxy", .bytes = list.bytes},
                            {.name = "sample.casp", .bytes = part.bytes}};
    bool done = write_made(root, "sims3-geom", &files[0], 1) &&
                write_made(root, "sims3-vpxy", &files[1], 1) && write_made(root, "sims3-casp", &files[2], 1);
    free_made(files, 3);
    return done;
}

static bool write_models(const char *root)
{
    struct modl_made model = {0}, level = {0};
    modl_make(&model, true);
    modl_make(&level, false);
    struct made files[2] = {{.name = "sample.modl", .bytes = model.file.bytes},
                            {.name = "sample.mlod", .bytes = level.file.bytes}};
    bool done = write_made(root, "sims3-modl", &files[0], 1) && write_made(root, "sims3-mlod", &files[1], 1);
    free_made(files, 2);
    return done;
}

bool write_body_samples(const char *root)
{
    struct little_file body = {0}, lod = {0}, texture = {0};
    llm_put_body(&body);
    llm_put_lod(&lod);
    dds_put_sample(&texture);
    struct made meshes[2] = {{.name = "sample.llm", .bytes = body.bytes},
                             {.name = "sample_1.llm", .bytes = lod.bytes}};
    struct made textures[1] = {{.name = "sample.dds", .bytes = texture.bytes}};
    bool done = write_made(root, "sl-llm", meshes, 2) && write_made(root, "sims3-dds", textures, 1) &&
                write_parts(root) && write_avatar(root) && write_models(root);
    free_made(meshes, 2);
    free_made(textures, 1);
    return done;
}
