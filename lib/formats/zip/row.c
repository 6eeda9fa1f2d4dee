/* A row of a ZIP or similar container: its name and its errors. */
#include "lib/formats/zip/zip.h"

#include <string.h>

/* Names that would escape the target folder of unpacking, on any system. */
static bool is_unsafe(const char *name)
{
    bool drive = ((name[0] >= 'A' && name[0] <= 'Z') || (name[0] >= 'a' && name[0] <= 'z')) && name[1] == ':';
    if (name[0] == '/' || drive)
        return true;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || !part[2]))
            return true;
    }
    return false;
}

void zip_reject(struct pose_archive *archive, uint32_t index, enum pose_status status, const char *code,
                uint64_t offset, const char *reason)
{
    struct pose_error error;
    pose_error_init(&error);
    error_set(&error, status, code, "entries[%u] at byte %llu: %s", index, (unsigned long long)offset,
              reason);
    error.offset = offset;
    archive_reject(archive, index, &error);
}

void zip_set_name(struct pose_archive *archive, uint32_t index, char *name, uint64_t offset)
{
    if (!name)
        return;
    while (name[0] == '.' && name[1] == '/')
        name += 2 + strspn(name + 2, "/");
    archive->entries[index].name = name;
    if (is_unsafe(name))
        zip_reject(archive, index, POSE_BAD_DATA, "unsafe_name", offset,
                   "absolute names and names with \"..\" are not allowed");
}
