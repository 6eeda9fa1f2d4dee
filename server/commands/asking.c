#include "server/commands/asking.h"

#include "api/dispatch.h"
#include "lib/core/nearest.h"
#include "server/commands/commands.h"
#include "server/commands/library.h"
#include "server/library/names.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- what is meant -- */

bool asking_is_from(const struct catalog *catalog, const struct catalog_item *item, const char *path)
{
    struct place_walk walk = {0};
    while (catalog_next_place(catalog, item, &walk)) {
        if (!strcmp(catalog->archives[walk.place.archive]->root, path))
            return true;
    }
    return false;
}

/* Lists as many names of a file's clips as fit on a line. */
static void list_clips(const struct catalog *catalog, const char *path, char *text, size_t capacity)
{
    const struct catalog_item *clip;
    uint32_t next = 0;
    *text = '\0';
    while ((clip = catalog_next(catalog, ASSET_CLIP, &next))) {
        if (asking_is_from(catalog, clip, path) && !name_list_add(text, capacity, clip->asset->name))
            return;
    }
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

static void tell_unknown(const struct catalog *catalog, const char *path, const char *name, const char *names)
{
    const struct catalog_item *clip;
    struct nearest nearest;
    uint32_t next = 0;
    char hint[NEAREST_HINT];
    nearest_begin(&nearest, name, strlen(name));
    while ((clip = catalog_next(catalog, ASSET_CLIP, &next))) {
        if (asking_is_from(catalog, clip, path))
            nearest_offer(&nearest, clip->asset->name);
    }
    nearest_hint(&nearest, hint);
    command_failed(path, "holds no clip of the name %s but %s%s", name, names, hint);
}

const struct catalog_item *asking_clip(const struct catalog *catalog, const char *path, const char *name)
{
    const struct catalog_item *item, *chosen = NULL;
    char names[600];
    uint32_t count = 0, next = 0;
    while ((item = catalog_next(catalog, ASSET_CLIP, &next))) {
        if (!asking_is_from(catalog, item, path) ||
            (name && !catalog_is_called(catalog, item, name, strlen(name))))
            continue;
        chosen = item;
        count++;
    }
    if (count == 1)
        return chosen;
    list_clips(catalog, path, names, sizeof names);
    if (!*names)
        explain_no_clip(catalog, path);
    else if (name && count)
        command_failed(path, "holds %u clips of the name %s", count, name);
    else if (name)
        tell_unknown(catalog, path, name, names);
    else
        command_failed(path, "holds several clips; --clip is one of %s", names);
    return NULL;
}

bool asking_skeleton(const struct catalog *catalog, const char *path, char text[ID_TEXT])
{
    const struct catalog_item *skeleton;
    uint32_t next = 0;
    if (!path || !strcmp(path, "none")) {
        strcpy(text, path ? "none" : "auto");
        return true;
    }
    while ((skeleton = catalog_next(catalog, ASSET_SKELETON, &next))) {
        if (asking_is_from(catalog, skeleton, path)) {
            id_write(&skeleton->asset->id, text);
            return true;
        }
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
