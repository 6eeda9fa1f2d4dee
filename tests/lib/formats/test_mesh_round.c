/*
 * Meshes of the games as GLB and back, in poses of all clips of the corpus: the same triangles at the same places. Without the
 * corpus it says so and does nothing.
 */
#include "pose.h"
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSES = 20, MOST_CLIPS = 128, MOST_MESHES = 64 };

/* What is tried: meshes of a folder, there and back, in the poses of clips. */
struct trial {
    const struct pose_skeleton *skeleton;
    const char *to, *game;
    unsigned clip_count, poses;
    const struct pose_clip *clips[MOST_CLIPS];
    double worst;
    uint64_t compared;
    uint32_t seed;
};

static struct pose_document *read_file(const char *path,
                                       bool (*find)(void *, const char *, struct pose_bytes *), void *user)
{
    struct test_file file;
    if (!test_file_read(path, &file))
        return NULL;
    const struct pose_source source = {
        .name = path, .bytes = {file.data, file.size}, .find = find, .user = user};
    struct pose_document *document = pose_decode(&source, NULL, NULL);
    test_file_free(&file);
    return document;
}

/* The key file of a skill, beside it. */
static bool find_beside(void *user, const char *name, struct pose_bytes *bytes)
{
    struct test_file *file = user;
    char path[600];
    snprintf(path, sizeof path, "sims/sims1/%s", name);
    test_file_free(file);
    *file = (struct test_file){0};
    if (!corpus_read(path, file))
        return false;
    *bytes = (struct pose_bytes){file->data, file->size};
    return true;
}

static struct pose_document *as_glb(const struct trial *trial, const struct pose_mesh *mesh)
{
    const struct pose_content content = {
        .skeleton_count = 1, .skeletons = trial->skeleton, .mesh_count = 1, .meshes = mesh};
    struct pose_buffer glb = {0};
    struct pose_error error;
    ck_assert_msg(pose_encode("gltf", &content, NULL, NULL, NULL, &glb, &error), "%s", error.detail);
    const struct pose_source source = {.name = "there.glb", .bytes = {glb.data, glb.size}};
    struct pose_document *document = pose_decode(&source, NULL, &error);
    ck_assert_msg(document, "%s", error.detail);
    ck_assert_uint_eq(document->mesh_count, 1);
    pose_buffer_free(&glb);
    return document;
}

static struct pose_document *back(const struct trial *trial, const struct pose_document *glb)
{
    const struct pose_mesh_conversion conversion = {
        .to = trial->to, .mesh = glb->meshes, .skeleton = glb->skeletons, .name = "back"};
    struct pose_mesh_files files;
    struct pose_error error;
    ck_assert_msg(pose_mesh_convert(&conversion, NULL, NULL, NULL, &files, &error), "%s", error.detail);
    const struct pose_source source = {.name = files.files[0].name,
                                       .bytes = {files.files[0].bytes.data, files.files[0].bytes.size},
                                       .format = trial->to};
    struct pose_document *document = pose_decode(&source, NULL, &error);
    ck_assert_msg(document, "%s", error.detail);
    pose_mesh_files_free(&files);
    return document;
}

static double random_part(struct trial *trial)
{
    trial->seed = trial->seed * 1664525u + 1013904223u;
    return (double)(trial->seed >> 8) / (1 << 24);
}

/* Where a skin's corners are. */
struct side {
    struct pose_skin *skin;
    float (*positions)[3];
    void *scratch;
};

static struct side side_of(const struct trial *trial, const struct pose_mesh *mesh)
{
    struct pose_error error;
    struct side side = {.skin = pose_skin_new(mesh, trial->skeleton, POSE_AXES_GLTF, NULL, &error)};
    ck_assert_msg(side.skin, "%s", error.detail);
    side.positions = calloc((size_t)mesh->real_count * 2, sizeof *side.positions);
    side.scratch = malloc(pose_deform_scratch(side.skin) + 1);
    ck_assert(side.positions && side.scratch);
    return side;
}

static void deform(const struct side *side, uint32_t count, const float *matrices)
{
    pose_deform(side->skin, matrices, side->positions, side->positions + count, side->scratch);
}

static void release(struct side *side)
{
    pose_skin_free(side->skin);
    free(side->positions);
    free(side->scratch);
}

static void compare(struct trial *trial, const struct pose_mesh *mesh, const struct side *before,
                    const struct side *after)
{
    const uint32_t(*from)[3] = pose_skin_faces(before->skin), (*to)[3] = pose_skin_faces(after->skin);
    for (uint32_t i = 0; i < mesh->face_count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            for (unsigned c = 0; c < 3; c++) {
                double off =
                    fabs((double)before->positions[from[i][k]][c] - (double)after->positions[to[i][k]][c]);
                trial->worst = off > trial->worst ? off : trial->worst;
            }
        }
    }
    trial->compared++;
}

static void try_mesh(struct trial *trial, const struct pose_mesh *mesh)
{
    struct pose_document *glb = as_glb(trial, mesh), *again = back(trial, glb);
    const struct pose_mesh *other = again->meshes;
    ck_assert_uint_eq(other->face_count, mesh->face_count);
    struct side before = side_of(trial, mesh), after = side_of(trial, other);
    for (unsigned c = 0; c < trial->clip_count; c++) {
        struct pose_sampler *sampler =
            pose_sampler_new(trial->clips[c], trial->skeleton, POSE_AXES_GLTF, NULL, NULL);
        ck_assert(sampler);
        uint32_t rows = pose_sampler_row_count(sampler);
        float *local = calloc(rows, 10 * sizeof *local), *matrices = calloc(rows, 16 * sizeof *matrices);
        for (unsigned p = 0; p < trial->poses; p++) {
            pose_sample(sampler, random_part(trial) * (double)trial->clips[c]->duration, POSE_CLAMP, 0, local,
                        NULL);
            pose_model(sampler, local, matrices);
            deform(&before, mesh->real_count, matrices);
            deform(&after, other->real_count, matrices);
            compare(trial, mesh, &before, &after);
        }
        free(local);
        free(matrices);
        pose_sampler_free(sampler);
    }
    release(&before);
    release(&after);
    pose_document_free(again);
    pose_document_free(glb);
}

/* part: of the names of files; those with it, or (with NULL) those without "chd", which are of children. */
static bool is_for(const char *path, const char *part)
{
    const char *name = strrchr(path, '/');
    bool is_child = strstr(name, "chd_") || strstr(name, "Chd_");
    return is_child == (part != NULL);
}

static void try_folder(struct trial *trial, const char *folder, const char *suffix, const char *part)
{
    struct test_paths paths;
    if (!corpus_list(folder, suffix, &paths))
        return;
    for (size_t i = 0; i < paths.count; i++) {
        struct pose_document *document =
            is_for(paths.items[i], part) ? read_file(paths.items[i], NULL, NULL) : NULL;
        if (document && document->mesh_count)
            try_mesh(trial, document->meshes);
        pose_document_free(document);
    }
    test_paths_free(&paths);
}

static unsigned read_clips(struct trial *trial, const char *folder, const char *suffix,
                           struct pose_document **documents)
{
    struct test_paths paths;
    struct test_file key = {0};
    unsigned count = 0;
    if (!corpus_list(folder, suffix, &paths))
        return 0;
    for (size_t i = 0; i < paths.count && count < MOST_CLIPS; i++) {
        struct pose_document *document = read_file(paths.items[i], find_beside, &key);
        documents[count] = document;
        count += document != NULL;
        for (uint32_t c = 0; document && c < document->clip_count && trial->clip_count < MOST_CLIPS; c++)
            trial->clips[trial->clip_count++] = &document->clips[c];
    }
    test_file_free(&key);
    test_paths_free(&paths);
    return count;
}

static void finish(const struct trial *trial, const char *what, double most, struct pose_document **documents,
                   unsigned count)
{
    fprintf(stderr, "%s: %llu poses compared, worst %.2g m\n", what, (unsigned long long)trial->compared,
            trial->worst);
    ck_assert(trial->worst <= most);
    for (unsigned i = 0; i < count; i++)
        pose_document_free(documents[i]);
}

static void sims(const char *folder, const char *suffix, const char *clips, const char *clip_suffix,
                 const char *skeleton, const char *to, const char *part)
{
    struct pose_document *documents[MOST_CLIPS], *body = NULL;
    char path[600];
    if (!corpus_root())
        return;
    snprintf(path, sizeof path, "%s/%s", corpus_root(), skeleton ? skeleton : "");
    if (skeleton)
        body = read_file(path, NULL, NULL);
    for (unsigned i = 0; !skeleton && pose_stand_in_name(i) && !body; i++) {
        body = pose_stand_in(i, NULL, NULL);
        if (strcmp(body->format, "tso-skel") != 0) {
            pose_document_free(body);
            body = NULL;
        }
    }
    ck_assert(body && body->skeleton_count);
    struct trial trial = {.skeleton = body->skeletons, .to = to, .poses = POSES, .seed = 1};
    unsigned count = read_clips(&trial, clips, clip_suffix, documents);
    try_folder(&trial, folder, suffix, part);
    ck_assert(trial.compared > 0);
    finish(&trial, to, 1e-4, documents, count);
    pose_document_free(body);
}

static void sims1(const char *to)
{
    sims("sims/sims1", ".skn", "sims/sims1", ".cmx", "sims/sims1/adult-skeleton.cmx", to, NULL);
    sims("sims/sims1", ".skn", "sims/sims1", ".cmx", "sims/sims1/child-skeleton.cmx", to, "chd");
}

TIMEOUT(0);

TEST(sims1_text)
{
    sims1("sims1-skn");
}

TEST(sims1_binary)
{
    sims1("sims1-bmf");
}

TEST(online)
{
    sims("sims/tso/mesh", ".mesh", "sims/tso/anim", ".anim", NULL, "tso-mesh", NULL);
}

/* A rig of the mesh's bones, each somewhere, turned somehow: the corpus has none of a person. */
static void make_rig(struct trial *trial, const struct pose_mesh *mesh, struct pose_joint *joints)
{
    for (uint32_t i = 0; i < mesh->bone_count; i++) {
        double length = 0;
        joints[i] = (struct pose_joint){.name = mesh->bones[i],
                                        .has_id = true,
                                        .id = mesh->bone_ids[i],
                                        .parent = (int32_t)(i / 2) - (i == 0),
                                        .scale = {1, 1, 1}};
        for (unsigned k = 0; k < 3; k++)
            joints[i].translation[k] = (float)(random_part(trial) - 0.5);
        for (unsigned k = 0; k < 4; k++) {
            joints[i].rotation[k] = (float)(random_part(trial) - 0.5);
            length += (double)joints[i].rotation[k] * (double)joints[i].rotation[k];
        }
        for (unsigned k = 0; k < 4; k++)
            joints[i].rotation[k] = (float)((double)joints[i].rotation[k] / sqrt(length));
    }
}

/* Keys of every joint at POSES times. */
static void make_clip(struct trial *trial, const struct pose_joint *joints, uint32_t count,
                      struct pose_track *tracks, float *times, float *values)
{
    for (uint32_t k = 0; k < POSES; k++)
        times[k] = (float)k;
    for (uint32_t i = 0; i < count; i++) {
        float *own = values + (size_t)4 * POSES * i;
        for (uint32_t k = 0; k < POSES; k++) {
            double angle = random_part(trial) * 3, axis = random_part(trial) * 6;
            const float turn[4] = {(float)(sin(angle / 2) * cos(axis)), (float)(sin(angle / 2) * sin(axis)),
                                   0, (float)cos(angle / 2)};
            memcpy(own + (size_t)4 * k, turn, sizeof turn);
        }
        tracks[i] = (struct pose_track){.name = joints[i].name, .has_id = true, .id = joints[i].id};
        tracks[i].channels[POSE_ROTATION] =
            (struct pose_channel){.count = POSES, .times = times, .values = own};
    }
}

TEST(sims3)
{
    struct test_paths paths;
    double worst = 0;
    if (!corpus_list("sims3/meshes/dress", ".simgeom", &paths))
        return;
    for (size_t i = 0; i < paths.count; i++) {
        struct pose_document *document = read_file(paths.items[i], NULL, NULL);
        const struct pose_mesh *mesh = document->meshes;
        struct pose_joint joints[256];
        struct pose_track tracks[256];
        float times[POSES], *values = calloc((size_t)256 * 4 * POSES, sizeof *values);
        struct trial trial = {.to = "sims3-geom", .poses = 8 * POSES, .seed = 1};
        make_rig(&trial, mesh, joints);
        make_clip(&trial, joints, mesh->bone_count, tracks, times, values);
        const struct pose_skeleton rig = {
            .name = "rig", .axes = POSE_AXES_GLTF, .joint_count = mesh->bone_count, .joints = joints};
        const struct pose_clip clip = {.name = "made",
                                       .axes = POSE_AXES_GLTF,
                                       .rules = POSE_RULES_SIMS3,
                                       .duration = POSES - 1,
                                       .track_count = mesh->bone_count,
                                       .tracks = tracks};
        trial.skeleton = &rig;
        trial.clips[trial.clip_count++] = &clip;
        try_mesh(&trial, mesh);
        worst = trial.worst > worst ? trial.worst : worst;
        ck_assert_uint_eq(trial.compared, 8 * POSES);
        free(values);
        pose_document_free(document);
    }
    fprintf(stderr, "sims3-geom: worst %.2g m\n", worst);
    ck_assert(worst <= 1e-5);
    test_paths_free(&paths);
}
