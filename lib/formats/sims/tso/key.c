#include "lib/formats/sims/tso/key.h"

#include <string.h>

void tso_visit_key(struct sims_stream *s, struct tso_key *key)
{
    sims_unsigned(s, "file", &key->file);
    sims_unsigned(s, "type", &key->type);
}

void tso_visit_named_key(struct sims_stream *s, const char *field, struct tso_key *key)
{
    sims_enter(s, field, READER_NO_INDEX);
    tso_visit_key(s, key);
    sims_leave(s);
}

void tso_put_key(struct value_list *list, const char *name, const struct tso_key *key, bool with_group)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(key->file >> (24 - 8 * i));
        bytes[4 + i] = (uint8_t)(key->type >> (24 - 8 * i));
    }
    struct value_list object = value_object(list->arena);
    if (with_group)
        value_put_int(&object, "group", key->group);
    value_put_int(&object, "file", key->file);
    value_put_int(&object, "type", key->type);
    value_put_hex(&object, "key", bytes, sizeof bytes);
    value_put_list(list, name, &object);
}

bool tso_get_key(const struct pose_value *value, struct tso_key *key)
{
    uint8_t bytes[8] = {0};
    *key = (struct tso_key){0};
    if (!value || value->kind != POSE_OBJECT)
        return false;
    if (value_get_hex(value, "key", bytes, sizeof bytes) == sizeof bytes) {
        for (unsigned i = 0; i < 4; i++) {
            key->file = key->file << 8 | bytes[i];
            key->type = key->type << 8 | bytes[4 + i];
        }
    }
    key->group = (uint32_t)value_get_int(value, "group", 0);
    key->file = (uint32_t)value_get_int(value, "file", key->file);
    key->type = (uint32_t)value_get_int(value, "type", key->type);
    return true;
}

struct pose_character *tso_character_new(struct decode_job *job, const char *type,
                                         const struct value_list *extras)
{
    struct pose_character *character = ARENA_NEW(job->arena, struct pose_character, 1);
    if (!character)
        return NULL;
    character->type = type;
    character->extras = value_done(extras);
    job->document->characters = character;
    job->document->character_count = 1;
    return character;
}

void tso_warn_trailing(struct decode_job *job, const struct sims_stream *s)
{
    if (reader_left(&s->reader))
        warning_add(&job->warnings, POSE_WARNING, "trailing_bytes", reader_offset(&s->reader),
                    "%zu bytes follow the last field", reader_left(&s->reader));
}

const struct pose_character *tso_character_to_encode(struct encode_job *job, const char *type)
{
    const struct pose_content *content = job->content;
    if (content->character_count == 1 && content->characters[0].type &&
        !strcmp(content->characters[0].type, type))
        return &content->characters[0];
    error_set(job->error, POSE_BAD_ARGUMENT, "one_character", "the file must hold one %s and nothing else",
              type);
    return NULL;
}
