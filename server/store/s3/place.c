#include "server/store/s3/place.h"

#include "server/ops/files.h"

#include <stdio.h>
#include <string.h>

static bool copy(char *to, size_t capacity, const char *from, size_t length)
{
    if (length >= capacity)
        return false;
    memcpy(to, from, length);
    to[length] = 0;
    return true;
}

#define COPY(to, from, length) copy(to, sizeof to, from, length)

/* What needs no encoding in a URL. Segments of dots alone are refused: curl, which signs the path, would resolve them. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";

static bool is_prefix(const char *text)
{
    while (*text) {
        size_t length = strspn(text, plain);
        const bool is_dots = strspn(text, ".") == length;
        if (!length || is_dots || (text[length] && text[length] != '/'))
            return false;
        text += length + (text[length] == '/');
    }
    return true;
}

static bool read_bucket(struct place *place, const char *url, struct store_error *error)
{
    static const char scheme[] = "s3://";
    const char *bucket = url + strlen(scheme);
    if (strncmp(url, scheme, strlen(scheme)) != 0)
        return store_fail(error, STORE_BROKEN, "--blobs wants s3://BUCKET[/PREFIX], not \"%.80s\"", url);
    const size_t length = strspn(bucket, plain);
    const char *prefix = bucket + length + (bucket[length] == '/');
    if (length < 3 || !COPY(place->bucket, bucket, length) || (bucket[length] && bucket[length] != '/') ||
        !is_prefix(prefix))
        return store_fail(
            error, STORE_BROKEN,
            "--blobs \"%.80s\": bucket and prefix are of letters, digits, \"-\", \".\" and \"_\"", url);
    const size_t size = strlen(prefix);
    if (!COPY(place->prefix, prefix, size) || size + 2 > sizeof place->prefix)
        return store_fail(error, STORE_BROKEN, "--blobs: the prefix is too long");
    if (size && prefix[size - 1] != '/')
        strcat(place->prefix, "/");
    return true;
}

static bool read_endpoint(struct place *place, const struct object_options *options,
                          struct store_error *error)
{
    const char *url = options->endpoint;
    const size_t region = strlen(options->region);
    if (strspn(options->region, plain) != region || !COPY(place->region, options->region, region))
        return store_fail(error, STORE_BROKEN, "--s3-region \"%.80s\" is not the name of a region",
                          options->region);
    if (!url) {
        snprintf(place->endpoint, sizeof place->endpoint, "https://s3.%s.amazonaws.com", place->region);
        return true;
    }
    const char *host = !strncmp(url, "http://", 7) ? url + 7 : !strncmp(url, "https://", 8) ? url + 8 : NULL;
    size_t length =
        host ? strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:[]") : 0;
    if (!length || (host[length] && strcmp(host + length, "/")) ||
        !COPY(place->endpoint, url, (size_t)(host - url) + length))
        return store_fail(error, STORE_BROKEN,
                          "--s3-endpoint wants http://HOST[:PORT] or https://…, not \"%.80s\"", url);
    return true;
}

/* --------------------------------------------------------------------------------------------- credentials -- */

static void trim(const char **text, size_t *length)
{
    while (*length && strchr(" \t\r", **text)) {
        (*text)++;
        (*length)--;
    }
    while (*length && strchr(" \t\r", (*text)[*length - 1]))
        (*length)--;
}

/* Control characters would end a header. */
static bool take(char *to, size_t capacity, const char *value, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)value[i] <= ' ' || value[i] == 127)
            return false;
    }
    return copy(to, capacity, value, length);
}

static bool take_line(struct place *place, const char *line, size_t length)
{
    const struct {
        const char *name;
        char *to;
        size_t capacity;
    } known[] = {{"aws_access_key_id", place->key_id, sizeof place->key_id},
                 {"aws_secret_access_key", place->secret, sizeof place->secret},
                 {"aws_session_token", place->token, sizeof place->token}};
    const char *equals = memchr(line, '=', length), *value = equals + 1;
    if (!equals)
        return false;
    size_t name_length = (size_t)(equals - line), value_length = length - name_length - 1;
    trim(&line, &name_length);
    trim(&value, &value_length);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].name) == name_length && !memcmp(known[i].name, line, name_length))
            return take(known[i].to, known[i].capacity, value, value_length);
    }
    return true; /* region, output and others */
}

bool place_parse_credentials(struct place *place, const char *text, size_t size)
{
    static const char wanted[] = "[default]";
    bool is_ours = true, done = true;
    for (size_t at = 0; at < size && done;) {
        const char *line = text + at, *end = memchr(line, '\n', size - at);
        size_t length = end ? (size_t)(end - line) : size - at;
        at += length + 1;
        trim(&line, &length);
        if (!length || *line == '#' || *line == ';')
            continue;
        if (*line == '[')
            is_ours = length == strlen(wanted) && !memcmp(line, wanted, length);
        else if (is_ours)
            done = take_line(place, line, length);
    }
    return done;
}

static bool read_file(struct place *place, const char *path, struct store_error *error)
{
    enum { MAX_FILE = 64 << 10 };
    struct file_bytes file;
    struct pose_error why;
    if (!file_read(path, MAX_FILE, &file, &why))
        return store_fail(error, STORE_BROKEN, "%.200s", why.detail);
    bool done = place_parse_credentials(place, (const char *)file.bytes.data, file.bytes.size);
    file_release(&file);
    return done || store_fail(error, STORE_BROKEN, "%.150s: lines of it are not \"name = value\"", path);
}

static bool read_environment(struct place *place, option_environment *environment, struct store_error *error)
{
    const struct {
        const char *name;
        char *to;
        size_t capacity;
    } known[] = {{"AWS_ACCESS_KEY_ID", place->key_id, sizeof place->key_id},
                 {"AWS_SECRET_ACCESS_KEY", place->secret, sizeof place->secret},
                 {"AWS_SESSION_TOKEN", place->token, sizeof place->token}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *value = environment ? environment(known[i].name) : NULL;
        if (value && !take(known[i].to, known[i].capacity, value, strlen(value)))
            return store_fail(error, STORE_BROKEN, "%s is too long, or has blanks in it", known[i].name);
    }
    return true;
}

bool place_read(struct place *place, const struct object_options *options, option_environment *environment,
                struct store_error *error)
{
    *place = (struct place){0};
    if (!read_bucket(place, options->blobs, error) || !read_endpoint(place, options, error))
        return false;
    if (!(options->credentials ? read_file(place, options->credentials, error)
                               : read_environment(place, environment, error)))
        return false;
    return (*place->key_id && *place->secret) ||
           store_fail(error, STORE_BROKEN,
                      "no credentials for %.80s: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give "
                      "--s3-credentials FILE",
                      options->blobs);
}
