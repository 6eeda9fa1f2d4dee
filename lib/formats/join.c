/* What belongs together: each family decides about its own files. */
#include "lib/formats/table.h"

#include "lib/core/error.h"
#include "lib/model/document.h"

bool pose_facts(const struct pose_document *document, struct pose_buffer *facts)
{
    const struct family *family = family_find(document->format);
    struct pose_error error;
    struct arena arena;
    struct writer writer;
    pose_error_init(&error);
    facts->data = NULL;
    facts->size = facts->capacity = 0;
    if (!family || !family->facts)
        return true;
    arena_init(&arena, facts->allocator, 0, &error);
    writer_init(&writer, facts, &error);
    family->facts(document, &arena, &writer);
    bool done = writer_finish(&writer) && !arena.failed;
    arena_release(&arena);
    if (!done)
        pose_buffer_free(facts);
    return done;
}

/* ------------------------------------------------------------------------------------------------- linking -- */

struct pose_links {
    struct arena arena;
    uint32_t count;
    struct pose_link **links;
};

struct pose_link *link_new(struct link_job *job, uint32_t member)
{
    struct pose_link **link = &job->links[member];
    if (!*link) {
        *link = ARENA_NEW(job->arena, struct pose_link, 1);
        if (*link)
            **link = (struct pose_link){.skeleton = -1, .events = -1, .event_set = -1, .skin = -1};
    }
    return *link;
}

static bool link_families(struct link_job *job)
{
    for (const struct family *const *family = families; *family; family++) {
        if ((*family)->link && !(*family)->link(job))
            return false;
    }
    return true;
}

struct pose_links *pose_link(const struct pose_member *members, uint32_t count,
                             const struct pose_options *options, struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    struct arena arena;
    arena_init(&arena, options ? options->allocator : NULL, options ? options->limits.memory : 0, error);
    struct pose_links *links = ARENA_NEW(&arena, struct pose_links, 1);
    struct link_job job = {.members = members,
                           .count = count,
                           .arena = &arena,
                           .links = ARENA_NEW(&arena, struct pose_link *, count)};
    if (!links || !job.links || !link_families(&job) || arena.failed) {
        arena_release(&arena);
        return NULL;
    }
    arena.error = NULL;
    *links = (struct pose_links){.arena = arena, .count = count, .links = job.links};
    return links;
}

const struct pose_link *pose_link_of(const struct pose_links *links, uint32_t member)
{
    return member < links->count ? links->links[member] : NULL;
}

void pose_links_free(struct pose_links *links)
{
    if (!links)
        return;
    struct arena arena = links->arena;
    arena_release(&arena);
}

/* ------------------------------------------------------------------------------------------------- bodies -- */

static bool join_bodies(const struct family *family, struct body_job *job)
{
    if (family && family->join)
        return family->join(job);
    *job->joined = *job->mesh;
    return true;
}

struct pose_document *pose_join(const char *format, const struct pose_mesh *mesh,
                                const struct pose_mesh *other, const struct pose_options *options,
                                struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    struct arena arena;
    arena_init(&arena, options ? options->allocator : NULL, options ? options->limits.memory : 0, error);
    struct document *document = ARENA_NEW(&arena, struct document, 1);
    struct body_job job = {
        .mesh = mesh, .other = other, .arena = &arena, .joined = ARENA_NEW(&arena, struct pose_mesh, 1)};
    warning_list_init(&job.warnings, &arena);
    if (!document || !job.joined || !join_bodies(family_find(format), &job) || arena.failed) {
        arena_release(&arena);
        return NULL;
    }
    const struct pose_format *row = pose_format_find(format);
    document->view = (struct pose_document){.format = row ? row->id : "",
                                            .mesh_count = 1,
                                            .meshes = job.joined,
                                            .warning_count = job.warnings.count,
                                            .warnings = job.warnings.items,
                                            .size = arena.held};
    arena.error = NULL;
    document->arena = arena;
    return &document->view;
}

/* --------------------------------------------------------------------------------------------- characters -- */

bool pose_resource_id(const char *format, const char *entry_name, uint64_t *id)
{
    const struct family *family = family_find(format);
    return family && family->resource_id && family->resource_id(entry_name, id);
}

bool pose_relations(const char *format, const struct pose_character *character, struct pose_bytes facts,
                    pose_relate *relate, void *user)
{
    const struct family *family = family_find(format);
    return family && family->relations && family->relations(character, facts, relate, user);
}

bool pose_has_key(const char *format, const char *key, const char *entry_name, const char *container,
                  const struct pose_entry *row)
{
    const struct family *family = family_find(format);
    return family && family->has_key && family->has_key(key, entry_name, container, row);
}
