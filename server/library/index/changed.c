/*
 * A folder that was listed before: what differs is found below the paths that have changed, or by a walk over everything,
 * and the next version of its archive is made of the one before (folder.h). Containers are archives of their own: they stay
 * as they are, or are opened again as any other file that has changed.
 */
#include "lib/core/error.h"
#include "server/library/index/folder.h"
#include "server/library/index/work.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A container below the folder, which stays if it is seen as it was. */
struct container {
    const char *name; /* below the folder */
    struct index_archive *archive;
    bool is_seen, is_out;
};

struct comparing {
    struct indexing *work;
    struct index_archive *before;
    struct folder_change *changes;
    uint32_t count;
    struct container *containers; /* by name */
    uint32_t container_count;
    bool *is_changed; /* [slots] */
    bool is_over;     /* there may be more files than the limit allows */
    bool no_memory;
};

/* ---------------------------------------------------------------------------------------------- containers -- */

static int compare_containers(const void *a, const void *b)
{
    const struct container *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static bool list_containers(struct comparing *work)
{
    const struct index_result *before = work->work->before;
    const char *root = work->before->path;
    const size_t length = strlen(root);
    uint32_t most = 0;
    for (uint32_t i = 0; i < before->count; i++)
        most += !strcmp(before->archives[i]->root, root);
    work->containers = try_alloc(most, sizeof *work->containers);
    for (uint32_t i = 0; work->containers && i < before->count; i++) {
        struct index_archive *archive = before->archives[i];
        if (archive == work->before || strcmp(archive->root, root) != 0 ||
            strncmp(archive->path, root, length) != 0)
            continue;
        const char *name = archive->path + length;
        work->containers[work->container_count++] =
            (struct container){.name = name + (*name == '/'), .archive = archive};
    }
    if (work->container_count)
        qsort(work->containers, work->container_count, sizeof *work->containers, compare_containers);
    return work->containers;
}

static struct container *find_container(const struct comparing *work, const char *name)
{
    const struct container wanted = {.name = name};
    return work->container_count
               ? bsearch(&wanted, work->containers, work->container_count, sizeof wanted, compare_containers)
               : NULL;
}

/* ------------------------------------------------------------------------------------------------- comparing -- */

static void add_change(struct comparing *work, const char *name, int64_t slot, const struct file_stamp *stamp)
{
    const bool is_full = !(work->count & (work->count - 1));
    struct folder_change *larger =
        is_full ? reallocarray(work->changes, work->count ? 2 * (size_t)work->count : 1, sizeof *larger)
                : work->changes;
    char *copy = larger ? strdup(name) : NULL;
    work->changes = larger ? larger : work->changes;
    if (!copy) {
        work->no_memory = true;
        return;
    }
    larger[work->count++] = (struct folder_change){
        .name = copy, .is_gone = !stamp, .stamp = stamp ? *stamp : (struct file_stamp){0}, .slot = slot};
    if (slot >= 0)
        work->is_changed[slot] = true;
}

/* A file as it is now; stamp NULL: it is gone. Slot and container: what there was of it. */
static void compare_file(struct comparing *work, const char *name, int64_t slot, struct container *container,
                         const struct file_stamp *stamp)
{
    const struct file_stamp *old = slot >= 0   ? &work->before->entries[slot]->stamp
                                   : container ? &container->archive->stamp
                                               : NULL;
    if (container)
        container->is_seen = true;
    if ((slot >= 0 && work->is_changed[slot]) || (container && container->is_out) || (!old && !stamp))
        return;
    /* What there was no memory for is read again. */
    const bool is_passing = index_is_passing(slot >= 0   ? work->before->entries[slot]->error
                                             : container ? container->archive->error
                                                         : NULL);
    const bool is_same = old && stamp && !is_passing && stamp_equal(old, stamp);
    if (is_same && !(container && container->archive->has_wanting))
        return;
    if (stamp && !is_same && is_fresh(stamp)) {
        char *path = path_join(work->before->path, name);
        work->no_memory |= !index_changes_add(&work->work->result->unsettled, path);
        free(path);
        return;
    }
    if (container)
        container->is_out = true;
    if (stamp || slot >= 0)
        add_change(work, name, slot, stamp);
}

/* Compares what was listed at these positions with what is there now, which is sorted. */
static void compare_range(struct comparing *work, uint32_t first, uint32_t last,
                          const struct walked_folder *now)
{
    const struct index_archive *before = work->before;
    uint32_t next = 0;
    for (uint32_t at = first; at < last || next < now->file_count;) {
        const uint32_t slot = at < last ? index_slot(before, at) : 0;
        const struct walked_file *file = next < now->file_count ? &now->files[next] : NULL;
        const int order = at == last ? 1 : !file ? -1 : strcmp(before->entries[slot]->name, file->path);
        if (order < 0)
            compare_file(work, before->entries[slot]->name, slot, NULL, NULL);
        else if (!order)
            compare_file(work, file->path, slot, NULL, &file->stamp);
        else
            compare_file(work, file->path, -1, find_container(work, file->path), &file->stamp);
        at += order <= 0;
        next += order >= 0;
    }
}

/* Those at a path and below it (NULL: all) that were not seen are gone. */
static void drop_containers(struct comparing *work, const char *below)
{
    const size_t length = below ? strlen(below) : 0;
    for (uint32_t i = 0; i < work->container_count; i++) {
        struct container *container = &work->containers[i];
        if (below && (strncmp(container->name, below, length) != 0 ||
                      (container->name[length] && container->name[length] != '/')))
            continue;
        if (!container->is_seen)
            container->is_out = true;
        container->is_seen = false;
    }
}

/* --------------------------------------------------------------------------------------------------- walking -- */

/* Whether a path below the folder leads through nothing but folders that are walked: no links, nothing hidden. */
static bool leads_through_folders(const char *root, const char *name)
{
    struct stat status;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (*part == '.')
            return false;
        if (part == name)
            continue;
        char *folder = strndup(name, (size_t)(part - name) - 1);
        char *path = folder ? path_join(root, folder) : NULL;
        const bool is_folder = path && !lstat(path, &status) && S_ISDIR(status.st_mode);
        free(folder);
        free(path);
        if (!is_folder)
            return false;
    }
    return true;
}

/* The names of what was walked, as seen from the root. */
static bool prefix_names(struct walked_folder *folder, const char *prefix)
{
    for (uint32_t i = 0; i < folder->file_count; i++) {
        char *name = path_join(prefix, folder->files[i].path);
        free(folder->files[i].path);
        folder->files[i].path = name;
    }
    return true;
}

static bool add_walked(struct walked_folder *folder, const char *name, const struct file_stamp *stamp)
{
    folder->files = try_alloc(1, sizeof *folder->files);
    char *copy = folder->files ? strdup(name) : NULL;
    if (copy)
        folder->files[folder->file_count++] = (struct walked_file){.path = copy, .stamp = *stamp};
    return copy;
}

/* What is there at a path below the folder and below that. */
static bool walk_below(struct comparing *work, const char *name, struct walked_folder *now)
{
    const uint32_t limit = work->work->options->max_entries ? work->work->options->max_entries : UINT32_MAX;
    const uint64_t known = (uint64_t)index_present(work->before) + work->container_count + work->count;
    struct stat status;
    struct file_stamp stamp;
    struct pose_error ignored;
    bool is_directory, done = true;
    *now = (struct walked_folder){0};
    if (!leads_through_folders(work->before->path, name))
        return true;
    char *path = path_join(work->before->path, name);
    const bool is_there = !lstat(path, &status);
    if (is_there && S_ISREG(status.st_mode) && file_stat(path, &stamp, &is_directory) && !is_directory) {
        done = add_walked(now, name, &stamp);
        work->is_over |= known >= limit;
    } else if (is_there && S_ISDIR(status.st_mode)) {
        const struct walk_bound bound = {.others = known < limit ? (uint32_t)(limit - known) : 0};
        /* What cannot be read is looked at again by the walk over everything. */
        if (folder_walk(path, &bound, now, &ignored))
            prefix_names(now, name);
        else
            work->is_over = true;
        work->is_over |= now->is_over;
    }
    free(path);
    return done;
}

static bool was_directory(const struct indexing *work, const char *path)
{
    const struct index_directories *all = work->before->directories;
    uint32_t low = 0, high = all ? all->count : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(all->paths[middle], path);
        if (!order)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static bool compare_below(struct comparing *work, const char *path, const char *name,
                          struct pose_error *error)
{
    const struct index_archive *before = work->before;
    struct walked_folder now;
    bool done = walk_below(work, name, &now);
    if (work->is_over || !done) {
        walked_release(&now);
        work->no_memory |= !done;
        return done;
    }
    if (now.directory_count || was_directory(work->work, path))
        done = list_directories(work->work, path, &now, error);
    /* A file of that name, then those below it. */
    char *below = path_join(name, "");
    const int64_t slot = folder_find(before, name);
    const bool is_file = now.file_count == 1 && !strcmp(now.files[0].path, name);
    compare_file(work, name, slot, find_container(work, name), is_file ? &now.files[0].stamp : NULL);
    const uint32_t first = folder_lower_bound(before, below);
    below[strlen(below) - 1]++; /* the character after "/" */
    const uint32_t last = folder_lower_bound(before, below);
    const struct walked_folder none = {0};
    compare_range(work, first, last, is_file ? &none : &now);
    drop_containers(work, name);
    free(below);
    walked_release(&now);
    return done;
}

static bool compare_all(struct comparing *work, struct pose_error *error)
{
    struct indexing *run = work->work;
    const char *path = work->before->path;
    struct walked_folder now;
    if (!walk_folder(run, path, &now, error))
        return false;
    const bool done = list_directories(run, path, &now, error);
    compare_range(work, 0, index_present(work->before), &now);
    drop_containers(work, NULL);
    walked_release(&now);
    return done;
}

static bool compare_each(struct comparing *work, const struct index_changes *changes,
                         struct pose_error *error)
{
    const char *root = work->before->path;
    const size_t length = strlen(root);
    for (size_t i = 0; i < changes->count && !work->is_over; i++) {
        const char *path = changes->paths[i];
        const char *name = strncmp(path, root, length) ? NULL : path + length;
        const bool is_below =
            name && (*name == '/' || (length && root[length - 1] == '/')) && name[*name == '/'];
        if (is_below && !compare_below(work, path, name + (*name == '/'), error))
            return false;
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------- results -- */

/* What asked for companions is decoded anew: they may have changed. */
static void add_wanting(struct comparing *work)
{
    const struct index_archive *before = work->before;
    for (uint32_t slot = 0; before->folder->wanting && slot < before->entry_count; slot++) {
        const struct index_entry *entry = before->entries[slot];
        if (entry->wants_companions && !work->is_changed[slot])
            add_change(work, entry->name, slot, &entry->stamp);
    }
    for (uint32_t i = 0; i < work->container_count; i++) {
        struct container *container = &work->containers[i];
        if (container->is_out || !container->archive->has_wanting)
            continue;
        container->is_out = true;
        add_change(work, container->name, -1, &container->archive->stamp);
    }
}

static int compare_changes(const void *a, const void *b)
{
    const struct folder_change *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Sorts the changes by name. A new file may have been found twice: alone, and below a folder. */
static void sort_changes(struct comparing *work)
{
    uint32_t kept = 0;
    if (work->count)
        qsort(work->changes, work->count, sizeof *work->changes, compare_changes);
    for (uint32_t i = 0; i < work->count; i++) {
        if (kept && !strcmp(work->changes[kept - 1].name, work->changes[i].name))
            free(work->changes[i].name);
        else
            work->changes[kept++] = work->changes[i];
    }
    work->count = kept;
}

static void count_listed(const struct comparing *work, struct index_archive *next)
{
    for (uint32_t i = 0; i < work->count; i++) {
        const struct folder_change *change = &work->changes[i];
        const struct index_archive *before = work->before;
        const struct container *container = find_container(work, change->name);
        const bool was_there = change->slot >= 0 && change->slot < before->entry_count &&
                               !strcmp(before->entries[change->slot]->name, change->name);
        if (was_there)
            folder_count_listed(next, change->name, &before->entries[change->slot]->stamp, false);
        if (container && !was_there)
            folder_count_listed(next, change->name, &container->archive->stamp, false);
        if (!change->is_gone)
            folder_count_listed(next, change->name, &change->stamp, true);
    }
}

/* Containers that are gone and left no change. */
static void discount_gone(const struct comparing *work, struct index_archive *next)
{
    for (uint32_t i = 0; i < work->container_count; i++) {
        const struct container *container = &work->containers[i];
        const union {
            const char *name;
            char *unchanged;
        } name = {.name = container->name};
        const struct folder_change wanted = {.name = name.unchanged};
        if (container->is_out &&
            !(work->count && bsearch(&wanted, work->changes, work->count, sizeof wanted, compare_changes)))
            folder_count_listed(next, container->name, &container->archive->stamp, false);
    }
}

static bool list_next(struct comparing *work, struct pose_error *error)
{
    struct indexing *run = work->work;
    struct index_archive *next = work->before;
    bool is_other = work->count > 0;
    for (uint32_t i = 0; i < work->container_count; i++)
        is_other |= work->containers[i].is_out;
    if (is_other)
        next = folder_next(work->before, work->changes, work->count);
    else
        index_archive_ref(next);
    if (!next) {
        pose_error_init(error);
        return error_no_memory(error);
    }
    if (!list_last(run, next, error))
        return false;
    if (is_other) {
        count_listed(work, next);
        discount_gone(work, next);
    }
    for (uint32_t i = 0; i < work->count; i++) {
        if (!work->changes[i].is_gone)
            list_task(run, next, (uint32_t)work->changes[i].slot);
    }
    for (uint32_t i = 0; i < work->container_count; i++) {
        if (work->containers[i].is_out)
            continue;
        index_archive_ref(work->containers[i].archive);
        if (!list_last(run, work->containers[i].archive, error))
            return false;
    }
    return true;
}

static void release(struct comparing *work)
{
    for (uint32_t i = 0; i < work->count; i++)
        free(work->changes[i].name);
    free(work->changes);
    free(work->containers);
    free(work->is_changed);
}

static bool compare(struct comparing *work, struct pose_error *error)
{
    const struct index_changes *changes = work->work->changes;
    work->is_changed = try_alloc(work->before->entry_count, sizeof *work->is_changed);
    if (!work->is_changed || !list_containers(work)) {
        work->no_memory = true;
        return true;
    }
    if (!changes)
        return compare_all(work, error);
    return compare_each(work, changes, error) &&
           (work->is_over || compare_each(work, &work->work->before->unsettled, error));
}

bool list_changed_folder(struct indexing *run, struct index_archive *before, struct pose_error *error)
{
    struct comparing work = {.work = run, .before = before};
    bool done = compare(&work, error);
    if (done && work.is_over) {
        const struct index_changes *changes = run->changes;
        release(&work);
        work = (struct comparing){.work = run, .before = before};
        run->changes = NULL;
        done = compare(&work, error);
        run->changes = changes;
    }
    if (done && !work.no_memory)
        add_wanting(&work);
    if (done && work.no_memory) {
        pose_error_init(error);
        done = error_no_memory(error);
    }
    sort_changes(&work);
    done = done && list_next(&work, error);
    release(&work);
    return done;
}
