#include "server/events/change.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void change_set_text(char *to, size_t capacity, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (length >= capacity) {
        length = capacity - 1;
        while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
    }
    if (length)
        memcpy(to, text, length);
    to[length] = '\0';
}

static void put_time(struct json_writer *json, uint64_t number)
{
    const time_t seconds = (time_t)(number / 1000000000);
    struct tm when;
    char text[40];
    gmtime_r(&seconds, &when);
    size_t used = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &when);
    snprintf(text + used, sizeof text - used, ".%03uZ", (unsigned)(number / 1000000 % 1000));
    jsonw_string(json, "time", text);
}

void change_members(struct json_writer *json, const struct change *change, const char *key, bool with_people)
{
    char id[ID_TEXT];
    id_write(&change->archive, id);
    jsonw_string(json, key, id);
    jsonw_string(json, "name", change->name);
    jsonw_string(json, "format", change->format);
    jsonw_unsigned(json, "bytes", change->bytes);
    if (change->kind != CHANGE_DELETE)
        jsonw_string(json, "state", change->is_waiting ? "waiting" : "published");
    put_time(json, change->number);
    if (change->uploader[0])
        jsonw_string(json, "uploader", change->uploader);
    if (with_people && change->by[0])
        jsonw_string(json, "by", change->by);
    if (with_people && change->reason[0])
        jsonw_string(json, "reason", change->reason);
}
