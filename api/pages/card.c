#include "api/pages/card.h"

#include "api/choices/scope.h"

#include <stdio.h>
#include <string.h>

static const char *const path_of_kind[] = {"/clip/", "/archive/", "/character/", "/skeleton/"};

/* "folder" and "file" are not formats of the library. */
static const char *format_title(const char *id)
{
    const struct pose_format *format = id ? pose_format_find(id) : NULL;
    return format ? format->title : id && !strcmp(id, "folder") ? "Folder" : "File";
}

static void describe_clip(const struct catalog *catalog, const struct catalog_item *item, struct card *card)
{
    const struct index_asset *clip = item->asset;
    char frames[48] = "";
    if (clip->fps > 0)
        snprintf(frames, sizeof frames, " at %.4g frames per second", (double)clip->fps);
    snprintf(card->description, sizeof card->description, "%s: %.3g s%s, %u joint%s. Play it in 3D.",
             format_title(catalog_entry(catalog, item->place)->format), (double)clip->duration, frames,
             clip->joint_count, clip->joint_count == 1 ? "" : "s");
}

/* Counts the assets of each kind and finds the first clip. */
static void count_assets(const struct index_archive *archive, uint64_t counts[ASSET_KIND_COUNT],
                         struct card *card)
{
    for (uint32_t i = 0; i < index_present(archive); i++) {
        const struct index_entry *entry = archive->entries[index_slot(archive, i)];
        for (uint32_t k = 0; k < entry->asset_count && !entry->is_copy; k++) {
            const struct index_asset *asset = &entry->assets[k];
            counts[asset->kind]++;
            if (asset->kind == ASSET_CLIP && !card->has_clip) {
                card->clip = asset->id;
                card->has_clip = true;
            }
        }
    }
}

static void describe_archive(const struct index_archive *archive, struct card *card)
{
    static const char *const names[][2] = {[ASSET_CLIP] = {"clip", "clips"},
                                           [ASSET_SKELETON] = {"skeleton", "skeletons"},
                                           [ASSET_MESH] = {"mesh", "meshes"},
                                           [ASSET_CHARACTER] = {"character", "characters"},
                                           [ASSET_IMAGE] = {"image", "images"}};
    uint64_t counts[ASSET_KIND_COUNT] = {0};
    count_assets(archive, counts, card);
    size_t used =
        (size_t)snprintf(card->description, sizeof card->description, "%s", format_title(archive->format));
    for (unsigned kind = 0; kind < ASSET_KIND_COUNT && used < sizeof card->description; kind++) {
        if (counts[kind])
            used += (size_t)snprintf(card->description + used, sizeof card->description - used, " · %llu %s",
                                     (unsigned long long)counts[kind], names[kind][counts[kind] != 1]);
    }
}

static bool find_archive(struct api_call *call, const char *text, struct card *card)
{
    const struct index_archive *archive =
        id_parse(text, strlen(text), &card->id) ? catalog_find_archive(call->catalog, &card->id, NULL) : NULL;
    if (!archive) {
        reply_not_found(call, "archive", text);
        return false;
    }
    card->title = archive->name;
    card->archive = archive->id;
    card->has_scope = true;
    describe_archive(archive, card);
    return true;
}

/* A skeleton that is built in, and in no archive. */
static bool find_shipped(const struct api_call *call, struct card *card)
{
    const struct skeleton_choice choice = catalog_find_skeleton(call->catalog, &card->id);
    if (!choice.asset)
        return false;
    card->title = choice.asset->name;
    snprintf(card->description, sizeof card->description, "A built-in skeleton.");
    return true;
}

static bool find_asset(struct api_call *call, enum card_kind kind, const char *text, const char *scope,
                       struct card *card)
{
    static const struct {
        enum asset_kind kind;
        const char *word;
    } assets[] = {[CARD_CLIP] = {ASSET_CLIP, "clip"},
                  [CARD_CHARACTER] = {ASSET_CHARACTER, "character"},
                  [CARD_SKELETON] = {ASSET_SKELETON, "skeleton"}};
    bool is_clip = kind == CARD_CLIP;
    struct catalog_item *item = id_parse(text, strlen(text), &card->id)
                                    ? catalog_find(call->catalog, assets[kind].kind, &card->id)
                                    : NULL;
    if (!item && kind == CARD_SKELETON && find_shipped(call, card))
        return true;
    if (!item) {
        reply_not_found(call, assets[kind].word, text);
        return false;
    }
    if (!scope_item_in(call, scope, &item))
        return false;
    const struct index_archive *archive = call->catalog->archives[item->place.archive];
    card->title = item->asset->name;
    card->archive = archive->id;
    card->has_scope = call->scope;
    card->has_clip = is_clip;
    card->clip = card->id;
    if (is_clip) {
        describe_clip(call->catalog, item, card);
    } else {
        uint64_t counts[ASSET_KIND_COUNT] = {0};
        count_assets(archive, counts, card);
        card->has_scope = true; /* the clip is searched there */
        snprintf(card->description, sizeof card->description, "%s, a %s of %.120s.",
                 format_title(catalog_entry(call->catalog, item->place)->format), assets[kind].word,
                 archive->name);
    }
    return true;
}

bool card_find(struct api_call *call, enum card_kind kind, const char *id, const char *scope,
               struct card *card)
{
    memset(card, 0, sizeof *card);
    card->kind = kind;
    return kind == CARD_ARCHIVE ? find_archive(call, id, card) : find_asset(call, kind, id, scope, card);
}

/* Writes prefix, id, and the scope as the first or a further parameter. */
static void put_path(const struct card *card, const char *prefix, const struct asset_id *id,
                     const char *ending, bool has_scope, char path[CARD_PATH])
{
    char text[ID_TEXT], archive[ID_TEXT];
    id_write(id, text);
    id_write(&card->archive, archive);
    snprintf(path, CARD_PATH, "%s%s%s%s%s%s", prefix, text, ending,
             has_scope ? strchr(ending, '?') ? "&" : "?" : "", has_scope ? "archive=" : "",
             has_scope ? archive : "");
}

void card_page(const struct card *card, char path[CARD_PATH])
{
    put_path(card, path_of_kind[card->kind], &card->id, "", card->has_scope && card->kind != CARD_ARCHIVE,
             path);
}

void card_picture(const struct card *card, char path[CARD_PATH])
{
    char ending[64];
    snprintf(ending, sizeof ending, "/preview.png?width=%d&height=%d", CARD_WIDTH, CARD_HEIGHT);
    put_path(card, "/v1/clips/", &card->clip, ending, card->has_scope, path);
}

void card_embed(const struct card *card, char path[CARD_PATH])
{
    put_path(card, "/embed/", &card->clip, "", card->has_scope, path);
}
