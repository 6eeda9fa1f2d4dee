#include "server/store/note.h"

#include "lib/core/bytes/json_writer.h"

#include <jansson.h>
#include <string.h>

enum { NOTE_VERSION = 1 };

/* False if out of memory. */
static bool write_note(const struct upload_row *row, struct pose_buffer *text)
{
    char id[ID_TEXT], hash[HASH_TEXT];
    struct json_writer json;
    id_write(&row->id, id);
    hash_write(&row->blob, hash);
    jsonw_init(&json, text);
    jsonw_object(&json, NULL);
    jsonw_integer(&json, "version", NOTE_VERSION);
    jsonw_string(&json, "id", id);
    jsonw_string(&json, "blob", hash);
    jsonw_string(&json, "name", row->name);
    jsonw_string(&json, "format", row->format);
    jsonw_string(&json, "game", row->game);
    jsonw_bool(&json, "has_parts", row->has_parts);
    jsonw_integer(&json, "created_ms", row->created_ms);
    if (row->uploader)
        jsonw_string(&json, "uploader", row->uploader);
    if (row->expires_ms)
        jsonw_integer(&json, "expires_ms", row->expires_ms);
    if (row->is_waiting)
        jsonw_bool(&json, "is_waiting", true);
    jsonw_end(&json);
    return !json.to.failed;
}

static const char *text_of(const json_t *root, const char *key)
{
    return json_string_value(json_object_get(root, key));
}

enum note_state note_read(const char *text, size_t size, struct region *region, struct upload_row *row)
{
    json_t *root = json_loadb(text, size, 0, NULL);
    json_int_t version = json_integer_value(json_object_get(root, "version"));
    const char *id = text_of(root, "id"), *blob = text_of(root, "blob"), *name = text_of(root, "name");
    *row = (struct upload_row){0};
    bool done = version == NOTE_VERSION && id && blob && name && id_parse(id, strlen(id), &row->id) &&
                hash_parse(blob, &row->blob);
    if (done) {
        row->name = region_text(region, name);
        row->format = region_text(region, text_of(root, "format"));
        row->game = region_text(region, text_of(root, "game"));
        row->has_parts = json_is_true(json_object_get(root, "has_parts"));
        row->created_ms = json_integer_value(json_object_get(root, "created_ms"));
        row->uploader = region_text(region, text_of(root, "uploader"));
        row->expires_ms = json_integer_value(json_object_get(root, "expires_ms"));
        row->is_waiting = json_is_true(json_object_get(root, "is_waiting"));
    }
    json_decref(root);
    return done ? NOTE_WHOLE : version > NOTE_VERSION ? NOTE_FOREIGN : NOTE_BROKEN;
}

bool note_keep(struct blobs *blobs, const struct upload_row *row, struct store_error *error)
{
    struct pose_buffer text = {0};
    char name[ID_TEXT];
    id_write(&row->id, name);
    bool done = write_note(row, &text) ? blobs->note(blobs, name, (const char *)text.data, text.size, error)
                                       : store_fail(error, STORE_DOWN, "out of memory");
    pose_buffer_free(&text);
    return done;
}
