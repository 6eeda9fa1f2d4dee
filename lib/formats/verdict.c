#include "lib/formats/verdict.h"

#include <stdio.h>
#include <string.h>

enum { MAX_REASONS = 64 };

struct verdict verdict_begin(struct arena *arena)
{
    return (struct verdict){.reasons = value_array(arena)};
}

static void add(struct verdict *verdict, const char *code, const char *message, const char *joint,
                uint64_t offset)
{
    if (verdict->count++ >= MAX_REASONS)
        return;
    struct value_list reason = value_object(verdict->reasons.arena);
    value_put_string(&reason, "code", code);
    value_put_string(&reason, "message", message);
    if (joint)
        value_put_string(&reason, "joint", joint);
    if (offset != POSE_NO_OFFSET)
        value_put_int(&reason, "offset", (int64_t)offset);
    value_put_list(&verdict->reasons, NULL, &reason);
}

void verdict_refuse(struct verdict *verdict, const char *code, const char *joint, uint64_t offset,
                    const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    add(verdict, code, arena_copy_text(verdict->reasons.arena, message), joint, offset);
}

void verdict_take(struct verdict *verdict, const struct pose_warning *warnings, uint32_t count,
                  const char *const *codes)
{
    for (uint32_t i = 0; i < count; i++) {
        for (const char *const *code = codes; *code; code++) {
            if (!strcmp(warnings[i].code, *code))
                add(verdict, warnings[i].code, warnings[i].message, NULL, warnings[i].offset);
        }
    }
}

void verdict_keep(struct verdict *verdict, const struct pose_value *reason)
{
    if (verdict->count++ >= MAX_REASONS)
        return;
    struct value_list copy = value_object(verdict->reasons.arena);
    value_put_members(&copy, reason, NULL);
    value_put_list(&verdict->reasons, NULL, &copy);
}

const char *verdict_joint(const struct verdict *verdict, const struct pose_track *track)
{
    char text[16];
    if (track->name || !track->has_id)
        return track->name;
    snprintf(text, sizeof text, "#%u", track->id);
    return arena_copy_text(verdict->reasons.arena, text);
}

void verdict_tell(const struct verdict *verdict, const char *target, pose_judge *tell, void *user)
{
    tell(user, &(struct pose_verdict){
                   .target = target, .accepted = !verdict->count, .reasons = verdict->reasons.value});
}
