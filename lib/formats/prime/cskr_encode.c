/* Writing CSKR of Metroid Prime 1 and 2 (prime-skeleton.md, 5): which bones move which run of a model's
 * vertices. */
#include "lib/formats/prime/anim/put.h"

#include "lib/core/value.h"

#include <string.h>

static const uint32_t COUNT_ALONE = 0xffffffff; /* footer with only a count, as in the games' files */
enum { VECTOR_SIZE = 12 };

static int64_t count_vertices(const struct pose_value *extras)
{
    const struct pose_value *groups = pose_value_find(extras, "groups");
    int64_t count = 0;
    for (const struct pose_value *group = groups->first; group; group = group->next)
        count += value_get_int(group, "vertex_count", 0) & UINT32_MAX;
    return count;
}

static void write_groups(struct prime_put *put, const struct pose_value *extras)
{
    for (const struct pose_value *group = prime_put_count(put, extras, "groups"); group;
         group = group->next) {
        for (const struct pose_value *item = prime_put_count(put, group, "weights"); item;
             item = item->next) {
            prime_put_int(put, item, "bone_id", 4, 0);
            prime_put_float(put, item, "weight", 0);
        }
        prime_put_int(put, group, "vertex_count", 4, 0);
    }
}

/* A count, or the vectors themselves. */
static void write_vectors(struct prime_put *put, const struct pose_value *extras, const char *count_key,
                          const char *key)
{
    const char *hex = value_get_string(extras, key, NULL);
    int64_t count = value_get_int(extras, count_key, count_vertices(extras));
    size_t size = hex ? strlen(hex) / 2 : 0;
    uint8_t *bytes = arena_alloc(put->job->arena, size, 1);
    if (!hex)
        writer_u32be(put->writer, COUNT_ALONE);
    if (count < 0 || count >= COUNT_ALONE)
        prime_put_refuse(put, count_key, "the number does not fit into its field");
    writer_u32be(put->writer, (uint32_t)count);
    if (!hex || !bytes)
        return;
    if ((int64_t)size != count * VECTOR_SIZE || value_get_hex(extras, key, bytes, size) != (int64_t)size)
        prime_put_refuse(put, key, "not 12 bytes in hex digits for each of the count");
    writer_bytes(put->writer, bytes, size);
}

bool prime_cskr_encode(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    struct prime_put put;
    if (content->mesh_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_mesh",
                         "a CSKR holds the skin of one mesh, not %u", content->mesh_count);
    const struct pose_value *extras = content->meshes->extras;
    const struct pose_value *groups = pose_value_find(extras, "groups");
    if (!groups || groups->kind != POSE_ARRAY)
        return error_set(job->error, POSE_BAD_ARGUMENT, "no_groups",
                         "the mesh does not have the vertex groups that a CSKR needs");
    if (!prime_put_init(&put, job, extras))
        return false;
    write_groups(&put, extras);
    if (put.game == PRIME_MP1) {
        write_vectors(&put, extras, "vertex_count", "vertices");
        write_vectors(&put, extras, "normal_count", "normals");
    } else {
        prime_put_ints(&put, extras, "matrix_banks", 2);
        prime_put_hex(&put, extras, "footer");
    }
    return !put.failed;
}
