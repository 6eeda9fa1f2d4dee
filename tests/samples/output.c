#include "tests/samples/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILES = 32 };

bool fail(const char *what, const char *why)
{
    fprintf(stderr, "posed-samples: %s: %s\n", what, why);
    return false;
}

bool make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST || fail(path, strerror(errno));
}

static bool write_file(const char *folder, const struct made *file)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, file->name);
    FILE *stream = fopen(path, "wb");
    if (!stream)
        return fail(path, strerror(errno));
    bool done = fwrite(file->bytes.data, 1, file->bytes.size, stream) == file->bytes.size;
    return (fclose(stream) == 0 && done) || fail(path, strerror(errno));
}

bool write_made(const char *root, const char *folder, const struct made *files, unsigned count)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", root, folder);
    bool done = make_folder(root) && make_folder(path);
    for (unsigned i = 0; done && i < count; i++)
        done = write_file(path, &files[i]);
    return done;
}

void free_made(struct made *files, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pose_buffer_free(&files[i].bytes);
}

static void refuse_warning(void *user, const struct pose_warning *warning)
{
    *(bool *)user = fail(warning->code, warning->message);
}

bool encode_made(const char *format, const struct pose_content *content, struct made *file)
{
    bool clean = true;
    struct pose_error error;
    if (!pose_encode(format, content, NULL, refuse_warning, &clean, &file->bytes, &error))
        return fail(file->name, error.detail);
    return clean;
}

bool pack_made(const char *format, const struct made *files, unsigned count, struct made *archive)
{
    struct pose_pack_item items[MAX_FILES];
    struct pose_error error;
    for (unsigned i = 0; i < count; i++)
        items[i] = (struct pose_pack_item){files[i].name, {files[i].bytes.data, files[i].bytes.size}};
    return pose_pack(format, items, count, NULL, NULL, &archive->bytes, &error) ||
           fail(archive->name, error.detail);
}
