#include "server/store/s3/xml.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_DEPTH = 8, MAX_NAME = 40, MAX_OBJECTS = 10000 };

/* What is being read: the names of open elements, and the text of the innermost. */
struct reading {
    XML_Parser parser;
    unsigned depth; /* elements below MAX_DEPTH are counted, not named */
    char names[MAX_DEPTH][MAX_NAME];
    char text[S3_TEXT];
    size_t length;
    bool failed;
    void (*end)(struct reading *reading); /* of an element, with its text */
    void (*begin)(struct reading *reading);
    /* of a list */
    struct s3_page *page;
    struct s3_object object;
    char *key;
    /* of a text */
    const char *root, *wanted;
    char *found;
    bool is_found;
};

static void fail(struct reading *reading)
{
    reading->failed = true;
    XML_StopParser(reading->parser, XML_FALSE);
}

static void on_doctype(void *user, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                       int has_subset)
{
    (void)name, (void)system, (void)public, (void)has_subset;
    fail(user);
}

static void on_begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
    struct reading *reading = user;
    (void)attributes;
    if (reading->depth < MAX_DEPTH)
        snprintf(reading->names[reading->depth], MAX_NAME, "%s", name);
    reading->depth++;
    reading->length = 0;
    if (reading->begin)
        reading->begin(reading);
}

static void on_text(void *user, const XML_Char *text, int size)
{
    struct reading *reading = user;
    if ((size_t)size >= sizeof reading->text - reading->length) {
        fail(reading);
        return;
    }
    memcpy(reading->text + reading->length, text, (size_t)size);
    reading->length += (size_t)size;
}

static void on_end(void *user, const XML_Char *name)
{
    struct reading *reading = user;
    (void)name;
    reading->text[reading->length] = 0;
    if (reading->depth <= MAX_DEPTH)
        reading->end(reading);
    reading->depth--;
    reading->length = 0;
}

/* The innermost open element, and whether it is one of the path root/name or root/parent/name. */
static bool is_at(const struct reading *reading, unsigned depth, const char *root, const char *name)
{
    return reading->depth == depth && !strcmp(reading->names[0], root) &&
           !strcmp(reading->names[depth - 1], name);
}

static bool parse(struct reading *reading, const char *text, size_t size)
{
    while (size && strchr(" \t\r\n", *text)) { /* some stores keep the connection alive with blanks */
        text++;
        size--;
    }
    reading->parser = size && size <= S3_MAX_XML ? XML_ParserCreate(NULL) : NULL;
    if (!reading->parser)
        return false;
    XML_SetUserData(reading->parser, reading);
    XML_SetElementHandler(reading->parser, on_begin, on_end);
    XML_SetCharacterDataHandler(reading->parser, on_text);
    XML_SetStartDoctypeDeclHandler(reading->parser, on_doctype);
    bool done = XML_Parse(reading->parser, text, (int)size, XML_TRUE) == XML_STATUS_OK && !reading->failed;
    XML_ParserFree(reading->parser);
    return done;
}

/* --------------------------------------------------------------------------------------------------- lists -- */

static const char list_root[] = "ListBucketResult";

/* A time as in lists, "2026-11-23T16:35:00.000Z"; -1 if it is none. */
static int64_t parse_time(const char *text)
{
    struct tm parts = {0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
    return rest && (*rest == 'Z' || *rest == '.') ? (int64_t)timegm(&parts) : -1;
}

static bool parse_count(const char *text, uint64_t *count)
{
    char *end;
    *count = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && end - text <= 15;
}

static bool add_object(struct s3_page *page, const struct s3_object *object)
{
    if (page->count == page->capacity) {
        size_t capacity = page->capacity ? page->capacity * 2 : 64;
        struct s3_object *larger =
            capacity <= MAX_OBJECTS * 2 ? reallocarray(page->objects, capacity, sizeof *larger) : NULL;
        if (!larger)
            return false;
        page->objects = larger;
        page->capacity = capacity;
    }
    page->objects[page->count++] = *object;
    return true;
}

static void begin_in_list(struct reading *reading)
{
    if (!is_at(reading, 2, list_root, "Contents"))
        return;
    free(reading->key);
    reading->key = NULL;
    reading->object = (struct s3_object){.modified_s = -1};
}

static void end_object(struct reading *reading)
{
    reading->object.key = reading->key;
    if (!reading->key || reading->object.modified_s < 0 || !add_object(reading->page, &reading->object)) {
        fail(reading);
        return;
    }
    reading->key = NULL;
}

static void end_in_list(struct reading *reading)
{
    if (is_at(reading, 2, list_root, "Contents"))
        end_object(reading);
    else if (is_at(reading, 2, list_root, "IsTruncated"))
        reading->page->is_truncated = !strcmp(reading->text, "true");
    else if (is_at(reading, 2, list_root, "NextContinuationToken"))
        memcpy(reading->page->next, reading->text, reading->length + 1);
    else if (is_at(reading, 3, list_root, "Key") && !strcmp(reading->names[1], "Contents") && !reading->key)
        reading->key = strdup(reading->text);
    else if (is_at(reading, 3, list_root, "LastModified"))
        reading->object.modified_s = parse_time(reading->text);
    else if (is_at(reading, 3, list_root, "Size") && !parse_count(reading->text, &reading->object.size))
        fail(reading);
}

bool s3_parse_list(const char *text, size_t size, struct s3_page *page)
{
    struct reading reading = {.begin = begin_in_list, .end = end_in_list, .page = page};
    *page = (struct s3_page){0};
    bool done = parse(&reading, text, size) && !strcmp(reading.names[0], list_root) &&
                (!page->is_truncated || *page->next);
    free(reading.key);
    if (!done)
        s3_page_release(page);
    return done;
}

void s3_page_release(struct s3_page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        union {
            const char *view;
            char *memory;
        } key = {.view = page->objects[i].key};
        free(key.memory);
    }
    free(page->objects);
    *page = (struct s3_page){0};
}

/* --------------------------------------------------------------------------------------------------- texts -- */

static void end_of_text(struct reading *reading)
{
    if (reading->is_found || !is_at(reading, 2, reading->root, reading->wanted))
        return;
    memcpy(reading->found, reading->text, reading->length + 1);
    reading->is_found = true;
}

bool s3_parse_text(const char *text, size_t size, const char *root, const char *name, char found[S3_TEXT])
{
    struct reading reading = {.end = end_of_text, .root = root, .wanted = name, .found = found};
    return parse(&reading, text, size) && reading.is_found;
}
