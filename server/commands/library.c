#include "server/commands/library.h"

#include "api/dispatch.h"
#include "server/commands/commands.h"
#include "server/commands/progress.h"
#include "server/library/documents.h"
#include "server/ops/region.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------- companions -- */

struct search {
    const char *folder; /* "." for a file without a path */
    struct companions *companions;
    struct file_bytes *files;
};

static bool keep(struct search *search, char *path, struct pose_bytes *bytes)
{
    struct companions *companions = search->companions;
    struct pose_error error;
    struct file_bytes file;
    if (!path || !file_map(path, &file, &error)) {
        free(path);
        return false;
    }
    size_t at = companions->count++;
    companions->paths = must_grow(companions->paths, at + 2, sizeof *companions->paths);
    search->files = must_grow(search->files, at + 1, sizeof *search->files);
    companions->paths[at] = path;
    companions->paths[at + 1] = NULL;
    search->files[at] = file;
    *bytes = file.bytes;
    return true;
}

static bool find(void *user, const char *name, struct pose_bytes *bytes)
{
    struct search *search = user;
    return keep(search, file_beside(search->folder, name), bytes);
}

static bool has_companions(const char *path, const char *format, struct pose_bytes bytes)
{
    struct pose_source source = {.name = path, .bytes = bytes, .format = format};
    const char *id = format ? format : pose_detect(&source);
    const struct pose_format *found = id ? pose_format_find(id) : NULL;
    return found && found->has_companions;
}

static void find_companions(const char *path, const char *format, struct pose_bytes bytes,
                            struct companions *companions)
{
    struct pose_error error;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    struct search search = {.folder = folder, .companions = companions};
    struct pose_source source = {
        .name = path, .bytes = bytes, .format = format, .find = find, .user = &search};
    pose_document_free(pose_decode(&source, NULL, &error));
    for (size_t i = 0; i < companions->count; i++)
        file_release(&search.files[i]);
    free(search.files);
    free(folder);
}

void companions_find(const char *path, const char *format, struct companions *companions)
{
    struct pose_error error;
    struct file_bytes file;
    *companions = (struct companions){0};
    if (!file_map(path, &file, &error))
        return;
    if (has_companions(path, format, file.bytes))
        find_companions(path, format, file.bytes, companions);
    file_release(&file);
}

void companions_release(struct companions *companions)
{
    for (size_t i = 0; i < companions->count; i++)
        free(companions->paths[i]);
    free(companions->paths);
}

/* -------------------------------------------------------------------------------------------------- library -- */

bool library_open(struct library *library, char *const *paths, size_t count)
{
    struct pose_error error;
    bool unsettled;
    *library = (struct library){0};
    config_init(&library->config);
    companions_find(paths[0], NULL, &library->companions);
    size_t all = count + library->companions.count;
    library->paths = must_alloc(all + 1, sizeof *library->paths);
    memcpy(library->paths, paths, count * sizeof *paths);
    for (size_t i = count; i < all; i++)
        library->paths[i] = library->companions.paths[i - count];
    library->config.paths = (struct operands){all, library->paths};
    library->service = service_new(&library->config, api_route_templates());
    documents_keep_indexed(library->service);
    progress_start("reading", 0);
    bool indexed = service_index(library->service, &unsettled, &error);
    progress_end();
    if (!indexed) {
        command_failed(NULL, "%s", error.detail);
        library_close(library);
    }
    return indexed;
}

void library_close(struct library *library)
{
    service_free(library->service);
    free(library->paths);
    companions_release(&library->companions);
}

int library_report_broken(const struct index_result *result)
{
    int status = COMMAND_DONE;
    for (uint32_t i = 0; i < result->count; i++) {
        if (result->archives[i]->error)
            status = command_broken(result->archives[i]->path, result->archives[i]->error);
    }
    return status;
}
