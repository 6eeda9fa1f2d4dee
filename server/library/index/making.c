#include "server/library/index/making.h"

#include "server/library/index/morphs.h"
#include "server/library/index/refusal.h"
#include "server/library/names.h"

#include <string.h>

static struct index_archive *new_archive(const char *path, const char *name, size_t length,
                                         const char *format, uint32_t entries)
{
    struct region region;
    region_init(&region);
    struct index_archive *archive = REGION_NEW(&region, struct index_archive, 1);
    atomic_init(&archive->references, 1);
    archive->format = format;
    archive->source = "path";
    /* From here on the counts and lengths come from files and clients; there is always room for one entry. */
    region.may_fail = entries > 1;
    archive->entries = REGION_NEW(&region, struct index_entry *, entries);
    archive->entry_count = archive->entry_capacity = archive->entries ? entries : 0;
    region.may_fail = true;
    const char *own_path = region_text(&region, path), *own_name = region_text_sized(&region, name, length);
    archive->path = archive->root = own_path ? own_path : "";
    archive->name = own_name ? own_name : "";
    archive->region = region;
    if (region.failed)
        archive_no_memory(archive);
    return archive;
}

static struct asset_id id_of(const char *format, const void *bytes, size_t size)
{
    struct id_hash *hash = id_begin();
    id_text_part(hash, format);
    id_part(hash, bytes, size);
    return id_end(hash);
}

struct index_archive *archive_of_folder(const char *path, uint32_t entry_count)
{
    size_t length;
    const char *name = path_base(path, &length);
    struct index_archive *archive = new_archive(path, name, length, "folder", entry_count);
    archive->id = id_of("folder", path, strlen(path));
    return archive;
}

struct index_archive *archive_of_file(const char *path, const struct file_stamp *stamp,
                                      struct pose_bytes bytes, const struct asset_id *id)
{
    size_t length;
    const char *name = path_base(path, &length);
    struct index_archive *archive = new_archive(path, name, length, "file", 1);
    archive->stamp = *stamp;
    archive->bytes = stamp->size;
    archive->id = id ? *id : id_of("file", bytes.data, bytes.size);
    return archive;
}

struct index_archive *archive_of_container(const char *path, const char *name, const char *format,
                                           const struct index_hints *hints, struct file_bytes *map,
                                           const struct pose_options *options)
{
    struct pose_source source = {.name = name,
                                 .bytes = map->bytes,
                                 .format = hints ? hints->format : NULL,
                                 .game = hints ? hints->game : NULL};
    struct pose_error error;
    struct pose_archive *opened = pose_archive_open(&source, options, &error);
    struct index_archive *archive =
        new_archive(path, name, strlen(name), opened ? pose_archive_format(opened) : format,
                    opened ? pose_archive_count(opened) : 0);
    if (!opened)
        archive_set_error(archive, &error);
    archive->archive = opened;
    archive->stamp = map->stamp;
    archive->bytes = map->bytes.size;
    archive->id = hints && hints->id ? *hints->id : id_of(archive->format, map->bytes.data, map->bytes.size);
    archive->map = *map;
    *map = (struct file_bytes){0};
    if (opened)
        index_list_morphs(archive);
    return archive;
}
