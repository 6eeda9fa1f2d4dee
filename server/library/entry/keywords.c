#include "server/library/entry/keywords.h"

#include "server/library/texts.h"
#include "lib/core/value.h"
#include "lib/core/fold.h"

#include <string.h>

/* The number of names depends on files, so it is limited. */
enum { MAX_KEYWORDS = 4096, MAX_KEYWORD = 128 };

struct keywords {
    size_t used;
    bool is_full;
    char text[MAX_KEYWORDS];
};

/* Adds the words of a name, unless the same sequence is already present. */
static void add_words(struct keywords *keywords, const char *name)
{
    char folded[MAX_KEYWORD];
    if (!name || keywords->is_full)
        return;
    size_t length = fold_text(name, folded, sizeof folded);
    if (length < 2 || strstr(keywords->text, folded))
        return;
    /* The blank that ends the present text also precedes the first new word. */
    const size_t skipped = keywords->used > 0;
    keywords->is_full = keywords->used + length - skipped >= sizeof keywords->text;
    if (keywords->is_full)
        return;
    memcpy(keywords->text + keywords->used, folded + skipped, length - skipped + 1);
    keywords->used += length - skipped;
}

/* Adds an event type unchanged, as one line. */
static void add_line(struct keywords *lines, const char *type)
{
    size_t length = strlen(type);
    if (!length || length >= MAX_KEYWORD || strchr(type, '\n'))
        return;
    for (const char *at = lines->text; *at; at += strcspn(at, "\n") + 1) {
        if (!strncmp(at, type, length) && at[length] == '\n')
            return;
    }
    if (lines->used + length + 2 > sizeof lines->text)
        return;
    memcpy(lines->text + lines->used, type, length);
    lines->used += length;
    lines->text[lines->used++] = '\n';
    lines->text[lines->used] = 0;
}

static void add_event(struct keywords *words, const struct pose_event *event)
{
    add_words(words, event->type);
    for (const struct pose_value *field = event->fields ? event->fields->first : NULL; field;
         field = field->next) {
        if (field->kind == POSE_STRING)
            add_words(words, field->as.string);
    }
}

static const char *clip_events(const struct pose_clip *clip, struct keywords *words)
{
    enum { MAX_EVENTS = 4096 };
    struct keywords lines = {.used = 0};
    for (uint32_t i = 0; i < clip->event_count && i < MAX_EVENTS; i++) {
        add_line(&lines, clip->events[i].type);
        add_event(words, &clip->events[i]);
    }
    return text_hold(lines.text, lines.used);
}

void index_keywords(const struct pose_document *document, struct index_asset *asset)
{
    struct keywords words = {.used = 0};
    if (asset->kind == ASSET_CLIP) {
        const struct pose_clip *clip = &document->clips[asset->inner];
        asset->events = clip_events(clip, &words);
        for (uint32_t i = 0; i < clip->track_count && !words.is_full; i++)
            add_words(&words, clip->tracks[i].name);
        asset->loop = clip->loop == POSE_LOOP_UNKNOWN ? -1 : clip->loop == POSE_LOOP_YES;
    } else if (asset->kind == ASSET_SKELETON) {
        const struct pose_skeleton *skeleton = &document->skeletons[asset->inner];
        for (uint32_t i = 0; i < skeleton->joint_count && !words.is_full; i++)
            add_words(&words, skeleton->joints[i].name);
    } else if (asset->kind == ASSET_MESH) {
        const struct pose_mesh *mesh = &document->meshes[asset->inner];
        for (uint32_t i = 0; mesh->bones && i < mesh->bone_count && !words.is_full; i++)
            add_words(&words, mesh->bones[i]);
    }
    asset->words = text_hold(words.text, words.used);
}
