/*
 * posed-glb-dump OUT PATH...: every clip in those files, folders and archives as a GLB, alone and on the skeleton that knows
 * most of its joints, and beside each what the sampler says of it: NAME.json (what it is, joints, times) and NAME.f32, at
 * every time a matrix a joint in model space. judge.mjs reads them. Meshes come with a clip that moves their skeleton, some
 * clips of people with the mannequin.
 */
#include "pose.h"
#include "tests/support/companions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TIMES = 20, ROW = 10, MATRIX = 16 };

struct asset {
    const struct pose_document *document;
    char *source;
};

struct library {
    struct asset *assets;
    size_t count, capacity;
};

struct output {
    const char *folder;
    unsigned count, failed;
};

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

/* ------------------------------------------------------------------------------------------------ reading -- */

static void keep(struct library *library, const struct pose_source *source, const char *label)
{
    struct pose_document *document = pose_decode(source, NULL, NULL);
    if (!document)
        return;
    if (library->count == library->capacity) {
        library->capacity = library->capacity ? 2 * library->capacity : 64;
        library->assets = need(realloc(library->assets, library->capacity * sizeof *library->assets));
    }
    library->assets[library->count++] = (struct asset){document, need(strdup(label))};
}

struct visit {
    struct library *library;
    const struct pose_archive *archive;
    const char *path;
};

static bool keep_entry(void *user, uint32_t index, struct pose_buffer *bytes, const struct pose_error *error)
{
    const struct visit *visit = user;
    const struct pose_entry *entry = pose_archive_entry(visit->archive, index);
    char label[1024];
    snprintf(label, sizeof label, "%s/%s", visit->path, entry->name);
    struct pose_source source = {.name = entry->name,
                                 .bytes = {bytes->data, bytes->size},
                                 .format = entry->format,
                                 .game = entry->game};
    if (!error)
        keep(visit->library, &source, label);
    return true;
}

static void read_file(struct library *library, const char *path)
{
    struct test_file file;
    struct companions companions = {.path = path};
    if (!test_file_read(path, &file))
        return;
    struct pose_source source = {.name = test_base_name(path),
                                 .bytes = {file.data, file.size},
                                 .find = companions_find,
                                 .user = &companions};
    struct pose_archive *archive = pose_archive_open(&source, NULL, NULL);
    if (archive) {
        struct visit visit = {library, archive, path};
        pose_archive_each(archive, &(struct pose_pass){.visit = keep_entry, .user = &visit});
        pose_archive_close(archive);
    } else {
        keep(library, &source, path);
    }
    companions_free(&companions);
    test_file_free(&file);
}

/* ------------------------------------------------------------------------------------------------- writing -- */

/* The next of a sequence of numbers in 0 ... 1, the same in every run. */
static double next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

static void write_file(const struct output *output, unsigned number, const char *extension, const void *data,
                       size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%05u.%s", output->folder, number, extension);
    FILE *file = need(fopen(path, "wb"));
    if (fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void put(struct pose_buffer *json, const char *text)
{
    if (!pose_buffer_append(json, text, strlen(text)))
        abort();
}

static void put_row_name(struct pose_buffer *json, const struct pose_row *row, uint32_t index)
{
    char name[40];
    snprintf(name, sizeof name, "joint_%u", row->has_id ? row->id : index);
    pose_json_string(json, row->name ? row->name : name);
}

/* Joints in model space; without a skeleton local is model space. */
static void place(const struct pose_sampler *sampler, const float *rows, float *matrices)
{
    pose_model(sampler, rows, matrices);
}

static void describe(const struct output *output, unsigned number, const struct asset *asset,
                     const struct pose_clip *clip, const struct pose_sampler *sampler, bool on_skeleton)
{
    uint32_t count = pose_sampler_row_count(sampler);
    float *rows = need(malloc(((size_t)count * ROW + 1) * sizeof *rows));
    float *matrices = need(malloc(((size_t)count * MATRIX * TIMES + 1) * sizeof *matrices));
    uint64_t state = number;
    struct pose_buffer json = {0};
    char text[64];
    put(&json, "{\"source\":");
    pose_json_string(&json, asset->source);
    put(&json, ",\"clip\":");
    pose_json_string(&json, clip->name);
    put(&json, on_skeleton ? ",\"skeleton\":true" : ",\"skeleton\":false");
    snprintf(text, sizeof text, ",\"duration\":%.9g,\"keys\":%llu,\"times\":[", (double)clip->duration,
             (unsigned long long)clip->key_count);
    put(&json, text);
    for (unsigned k = 0; k < TIMES; k++) {
        double t = next_random(&state) * (double)clip->duration;
        snprintf(text, sizeof text, "%s%.17g", k ? "," : "", t);
        put(&json, text);
        pose_sample(sampler, t, POSE_CLAMP, POSE_IN_PLACE, rows, NULL);
        place(sampler, rows, matrices + (size_t)k * count * MATRIX);
    }
    put(&json, "],\"joints\":[");
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            put(&json, ",");
        put_row_name(&json, &pose_sampler_rows(sampler)[i], i);
    }
    put(&json, "]}\n");
    write_file(output, number, "json", json.data, json.size);
    write_file(output, number, "f32", matrices, (size_t)count * MATRIX * TIMES * sizeof *matrices);
    pose_buffer_free(&json);
    free(rows);
    free(matrices);
}

static void dump(struct output *output, const struct asset *asset, const struct pose_clip *clip,
                 const struct pose_skeleton *skeleton, const struct pose_mesh *mesh)
{
    struct pose_error error;
    struct pose_buffer glb;
    struct pose_clip played = *clip;
    played.origin = clip->origin ? clip->origin : asset->document->format;
    struct pose_content content = {.clip_count = 1,
                                   .clips = &played,
                                   .skeleton_count = skeleton != NULL,
                                   .skeletons = skeleton,
                                   .mesh_count = mesh != NULL,
                                   .meshes = mesh};
    if (!pose_encode("gltf", &content, NULL, NULL, NULL, &glb, &error)) {
        fprintf(stderr, "%s: %s\n", asset->source, error.detail);
        output->failed++;
        return;
    }
    struct pose_sampler *sampler = need(pose_sampler_new(&played, skeleton, POSE_AXES_GLTF, NULL, NULL));
    unsigned number = output->count++;
    write_file(output, number, "glb", glb.data, glb.size);
    describe(output, number, asset, &played, sampler, skeleton != NULL);
    pose_sampler_free(sampler);
    pose_buffer_free(&glb);
}

/* ------------------------------------------------------------------------------------------------ choosing -- */

static const struct pose_skeleton *best_skeleton(const struct library *library, const struct pose_clip *clip)
{
    const struct pose_skeleton *best = NULL;
    uint32_t most = 0;
    for (size_t i = 0; i < library->count; i++) {
        for (uint32_t k = 0; k < library->assets[i].document->skeleton_count; k++) {
            const struct pose_skeleton *skeleton = &library->assets[i].document->skeletons[k];
            uint32_t known = skeleton->axes == clip->axes ? pose_skeleton_match(skeleton, clip) : 0;
            if (known > most) {
                most = known;
                best = skeleton;
            }
        }
    }
    return best;
}

/* A mesh with a clip that has a skeleton which knows all its bones. */
static void dump_mesh(struct output *output, const struct library *library, const struct asset *asset,
                      const struct pose_mesh *mesh)
{
    for (size_t i = 0; i < library->count; i++) {
        const struct pose_document *document = library->assets[i].document;
        for (uint32_t k = 0; k < document->clip_count; k++) {
            const struct pose_clip *clip = &document->clips[k];
            const struct pose_skeleton *skeleton =
                clip->axes == mesh->axes && clip->key_count > 100 ? best_skeleton(library, clip) : NULL;
            struct pose_skin *skin =
                skeleton ? pose_skin_new(mesh, skeleton, POSE_AXES_GLTF, NULL, NULL) : NULL;
            bool fits = skin && !pose_skin_missing_count(skin);
            pose_skin_free(skin);
            if (!fits)
                continue;
            dump(output, asset, clip, skeleton, mesh);
            return;
        }
    }
}

/* The mannequin on a person's skeleton. */
static void dump_mannequin(struct output *output, const struct asset *asset, const struct pose_clip *clip,
                           const struct pose_skeleton *skeleton)
{
    struct pose_humanoid *person = pose_humanoid_new(skeleton, NULL, 0, NULL, NULL);
    struct pose_document *mannequin = person ? need(pose_mannequin(person, NULL, NULL)) : NULL;
    if (mannequin)
        dump(output, asset, clip, skeleton, mannequin->meshes);
    pose_document_free(mannequin);
    pose_humanoid_free(person);
}

static void dump_all(struct output *output, const struct library *library)
{
    for (size_t i = 0; i < library->count; i++) {
        const struct asset *asset = &library->assets[i];
        for (uint32_t k = 0; k < asset->document->clip_count; k++) {
            const struct pose_clip *clip = &asset->document->clips[k];
            const struct pose_skeleton *skeleton = best_skeleton(library, clip);
            dump(output, asset, clip, NULL, NULL);
            if (skeleton)
                dump(output, asset, clip, skeleton, NULL);
            if (skeleton && i % 8 == 0)
                dump_mannequin(output, asset, clip, skeleton);
        }
        for (uint32_t k = 0; k < asset->document->mesh_count; k++)
            dump_mesh(output, library, asset, &asset->document->meshes[k]);
    }
}

int main(int count, char **arguments)
{
    struct library library = {0};
    if (count < 3) {
        fprintf(stderr, "usage: posed-glb-dump OUT PATH...\n");
        return 2;
    }
    struct output output = {.folder = arguments[1]};
    if (mkdir(output.folder, 0777) != 0 && errno != EEXIST) {
        perror(output.folder);
        return 1;
    }
    for (int i = 2; i < count; i++) {
        struct test_paths paths;
        if (!test_paths_walk(arguments[i], &paths))
            return 1;
        for (size_t k = 0; k < paths.count; k++)
            read_file(&library, paths.items[k]);
        test_paths_free(&paths);
    }
    dump_all(&output, &library);
    for (size_t i = 0; i < library.count; i++) {
        pose_document_free((struct pose_document *)library.assets[i].document);
        free(library.assets[i].source);
    }
    free(library.assets);
    printf("%u files, %u failed\n", output.count, output.failed);
    return output.failed || !output.count;
}
