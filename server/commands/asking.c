#include "server/commands/asking.h"

#include "api/dispatch.h"
#include "server/commands/commands.h"
#include "server/commands/library.h"
#include "server/library/called.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- what is meant -- */

/* Items of one file of the catalogue. */
struct from {
    const struct catalog *catalog;
    const char *path;
};

static bool has(const void *user, const struct catalog_item *item)
{
    const struct from *from = user;
    struct place_walk walk = {0};
    while (catalog_next_place(from->catalog, item, &walk)) {
        if (!strcmp(from->catalog->archives[walk.place.archive]->root, from->path))
            return true;
    }
    return false;
}

bool asking_is_from(const struct catalog *catalog, const struct catalog_item *item, const char *path)
{
    return has(&(struct from){catalog, path}, item);
}

/* Reports why a file has no clip to sample. */
static void explain_no_clip(const struct catalog *catalog, const char *path)
{
    for (uint32_t a = 0; a < catalog->archive_count; a++) {
        const struct index_archive *archive = catalog->archives[a];
        if (strcmp(archive->root, path))
            continue;
        if (archive->error) {
            command_broken(path, archive->error);
            return;
        }
        if (archive->entry_count == 1 && archive->entries[0]->error) {
            command_broken(path, archive->entries[0]->error);
            return;
        }
    }
    command_failed(path, "holds no clip");
}

const struct catalog_item *asking_clip(const struct catalog *catalog, const char *path, const char *name)
{
    const struct from from = {catalog, path};
    const struct called_in in = {catalog, has, &from};
    const struct catalog_item *chosen = NULL, *clip;
    char names[600], hint[NEAREST_HINT];
    uint32_t count = 0, next = 0;
    if (name)
        count = called_find(&in, name, strlen(name), &chosen);
    while (!name && (clip = called_next(&in, ASSET_CLIP, &next))) {
        chosen = clip;
        count++;
    }
    if (count == 1)
        return chosen;
    called_list(&in, ASSET_CLIP, names, sizeof names);
    if (!*names) {
        explain_no_clip(catalog, path);
    } else if (name && count) {
        command_failed(path, "holds %u clips of the name %s", count, name);
    } else if (name) {
        called_hint(&in, name, hint);
        command_failed(path, "holds no clip of the name %s but %s%s", name, names, hint);
    } else {
        command_failed(path, "holds several clips; --clip is one of %s", names);
    }
    return NULL;
}

bool asking_skeleton(const struct catalog *catalog, const char *path, char text[ID_TEXT])
{
    if (!path || !strcmp(path, "none")) {
        strcpy(text, path ? "none" : "auto");
        return true;
    }
    const struct from from = {catalog, path};
    const struct called_in in = {catalog, has, &from};
    uint32_t next = 0;
    const struct catalog_item *skeleton = called_next(&in, ASSET_SKELETON, &next);
    if (skeleton) {
        id_write(&skeleton->asset->id, text);
        return true;
    }
    for (uint32_t a = 0; a < catalog->archive_count; a++) {
        const struct index_archive *archive = catalog->archives[a];
        if (!strcmp(archive->root, path) && archive->entry_count == 1 && archive->entries[0]->error) {
            command_broken(path, archive->entries[0]->error);
            return false;
        }
    }
    command_failed(path, "holds no skeleton");
    return false;
}

/* ----------------------------------------------------------------------------------------------- the request -- */

static const char *no_header(const struct api_request *request, const char *name)
{
    (void)request;
    (void)name;
    return NULL;
}

static size_t no_header_count(const struct api_request *request, const char *name)
{
    (void)request;
    (void)name;
    return 0;
}

int asking_get(struct service *service, const char *path, const char *target, const char *query,
               struct api_response *response)
{
    struct api_request request = {.method = "GET",
                                  .path = target,
                                  .query = query,
                                  .body = (const uint8_t *)"",
                                  .client = "",
                                  .client_is_loopback = true,
                                  .may_wait = true,
                                  .header = no_header,
                                  .header_count = no_header_count};
    api_handle(service, &request, response);
    if (response->status == 200)
        return COMMAND_DONE;
    int status = command_failed(path, "%s", *response->detail ? response->detail : "it cannot be answered");
    response_release(response);
    return status;
}

int asking_of_file(const char *path, const char *const skeletons[2],
                   int (*ask)(struct service *service, const char *path, void *user), void *user)
{
    char *paths[3] = {strdup(path)};
    size_t count = 1;
    for (size_t i = 0; i < 2; i++) {
        if (skeletons[i] && strcmp(skeletons[i], "none") != 0)
            paths[count++] = strdup(skeletons[i]);
    }
    struct library library;
    int status = COMMAND_BAD_INPUT;
    files_init();
    if (library_open(&library, paths, count)) {
        status = ask(library.service, paths[0], user);
        library_close(&library);
    }
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    return status;
}
