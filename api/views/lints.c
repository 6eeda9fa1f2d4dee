#include "api/views/lints.h"

#include "server/library/names.h"

#include <stdio.h>
#include <string.h>

/* Total number of entries visited per archive, so that no archive can make this take long. */
enum { MAX_VISITS = 5 * 1000 * 1000 };
/* Total joints of the skeletons that clips are checked on: each costs as much as 64 of its poses. */
enum { MAX_JOINTS = 500 * 1000 };

struct linting {
    struct json_writer *json;
    const struct index_archive *archive;
    const struct pose_options *options;
    const struct pose_skeleton *chosen; /* NULL: none */
    const char *entry;                  /* the subject of the findings */
    uint32_t visits;
    uint64_t joints;
    struct pose_document *skeleton; /* the one last used for a clip; NULL: none */
    uint32_t skeleton_entry;
};

/* Whether one more search over the whole archive is within the limit. */
static bool may_search(struct linting *work)
{
    work->visits += work->archive->entry_count + 1;
    return work->visits < MAX_VISITS;
}

static void add(void *user, const struct pose_warning *finding)
{
    struct linting *work = user;
    jsonw_object(work->json, NULL);
    jsonw_string(work->json, "code", finding->code);
    jsonw_string(work->json, "severity", finding->severity == POSE_WARNING ? "warning" : "note");
    jsonw_string(work->json, "message", finding->message);
    jsonw_string(work->json, "entry", work->entry);
    jsonw_end(work->json);
}

/* The archive's skeleton that has the most bones of a mesh or tracks of a clip, and at least `least` of
 * them; also its entry and its place in the document. */
static const struct index_asset *best_skeleton(const struct index_archive *archive,
                                               const struct index_asset *user, uint32_t least,
                                               uint32_t *entry)
{
    const struct index_asset *best = NULL;
    uint32_t most = least ? least - 1 : 0;
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        for (uint32_t i = 0; i < archive->entries[e]->asset_count; i++) {
            const struct index_asset *asset = &archive->entries[e]->assets[i];
            uint32_t matches = asset->kind == ASSET_SKELETON ? known_matches(asset, user) : 0;
            if (matches > most) {
                most = matches;
                best = asset;
                *entry = e;
            }
        }
    }
    return best;
}

static void lint_mesh(struct linting *work, const struct index_asset *asset, const struct pose_mesh *mesh)
{
    uint32_t entry = 0;
    const struct index_asset *skeleton =
        may_search(work) ? best_skeleton(work->archive, asset, 1, &entry) : NULL;
    struct pose_error error;
    struct pose_document *document =
        skeleton ? index_decode(work->archive, entry, NULL, 0, work->options, &error) : NULL;
    if (!document)
        return;
    struct pose_skin *skin =
        pose_skin_new(mesh, &document->skeletons[skeleton->inner], mesh->axes, work->options, &error);
    if (skin)
        pose_lint_skin(skin, add, work);
    pose_skin_free(skin);
    index_document_free(work->archive, entry, document);
}

/* Many clips share one skeleton, so the last one is kept. NULL if it cannot be loaded. */
static const struct pose_document *open_skeleton(struct linting *work, uint32_t entry)
{
    struct pose_error error;
    if (work->skeleton && work->skeleton_entry == entry)
        return work->skeleton;
    index_document_free(work->archive, work->skeleton_entry, work->skeleton);
    work->skeleton = index_decode(work->archive, entry, NULL, 0, work->options, &error);
    work->skeleton_entry = entry;
    return work->skeleton;
}

/*
 * The chosen skeleton, else the one that skeleton=auto would use. A skeleton with fewer than half of the tracks
 * says nothing about the clip: mods include the rigs of their props, and not those of the game's people.
 */
static const struct pose_skeleton *skeleton_of(struct linting *work, const struct index_asset *asset)
{
    uint32_t entry = 0, half = (asset->moving_count + 1) / 2;
    if (work->chosen)
        return work->chosen;
    const struct index_asset *known =
        may_search(work) ? best_skeleton(work->archive, asset, half ? half : 1, &entry) : NULL;
    const struct pose_document *document = known ? open_skeleton(work, entry) : NULL;
    return document ? &document->skeletons[known->inner] : NULL;
}

static void lint_clip(struct linting *work, const struct index_asset *asset, const struct pose_clip *clip)
{
    const struct pose_skeleton *skeleton = skeleton_of(work, asset);
    work->joints += skeleton ? skeleton->joint_count : clip->track_count;
    if (work->joints <= MAX_JOINTS)
        pose_lint_clip(clip, skeleton, add, work);
}

static bool has_mesh(const struct index_archive *archive, const char *name)
{
    for (uint32_t e = 0; e < archive->entry_count; e++) {
        const struct index_entry *entry = archive->entries[e];
        if (!strcmp(entry->kind, "mesh") && name_has_stem(entry->name, name))
            return true;
    }
    return false;
}

struct character_lint {
    struct linting *work;
    const struct pose_character *character;
};

/* Only of what is called by its name: keys are those of the whole game. */
static bool lint_relation(void *user, const struct pose_relation *relation)
{
    const struct character_lint *lint = user;
    const struct pose_character *character = lint->character;
    if (relation->way != POSE_BY_STEM || !relation->wanted || !may_search(lint->work) ||
        has_mesh(lint->work->archive, relation->wanted))
        return true;
    char message[300];
    snprintf(message, sizeof message, "%.20s \"%.80s\" names the mesh \"%.120s\", which is missing",
             character->type, character->name ? character->name : "", relation->wanted);
    add(lint->work,
        &(struct pose_warning){
            .code = "missing_mesh", .severity = POSE_WARNING, .message = message, .offset = POSE_NO_OFFSET});
    return true;
}

static void lint_character(struct linting *work, const char *format, const struct pose_character *character)
{
    struct character_lint lint = {work, character};
    pose_relations(format, character, (struct pose_bytes){NULL, 0}, lint_relation, &lint);
}

static void lint_entry(struct linting *work, uint32_t index)
{
    const struct index_entry *entry = work->archive->entries[index];
    struct pose_error error;
    struct pose_document *document = index_decode(work->archive, index, NULL, 0, work->options, &error);
    if (!document)
        return;
    work->entry = entry->name;
    pose_lint(document, entry->name, add, work);
    for (uint32_t i = 0; i < entry->asset_count; i++) {
        const struct index_asset *asset = &entry->assets[i];
        if (asset->kind == ASSET_CLIP)
            lint_clip(work, asset, &document->clips[asset->inner]);
        else if (!work->archive->archive)
            continue; /* what belongs to it is elsewhere */
        else if (asset->kind == ASSET_MESH)
            lint_mesh(work, asset, &document->meshes[asset->inner]);
        else if (asset->kind == ASSET_CHARACTER)
            lint_character(work, document->format, &document->characters[asset->inner]);
    }
    index_document_free(work->archive, index, document);
}

/* Whether the entry is the first place of what it holds: copies of the same bytes need no second look. */
static bool is_first_place(const struct catalog *catalog, uint32_t entry)
{
    const struct index_entry *item = catalog->archives[0]->entries[entry];
    const struct catalog_item *found =
        item->asset_count ? catalog_find(catalog, item->assets[0].kind, &item->assets[0].id) : NULL;
    return found && found->place.entry == entry;
}

void lint_archive(struct json_writer *json, const struct catalog *catalog,
                  const struct pose_skeleton *skeleton, const struct pose_options *options)
{
    struct linting work = {
        .json = json, .archive = catalog->archives[0], .chosen = skeleton, .options = options};
    for (uint32_t e = 0; e < work.archive->entry_count; e++) {
        if (is_first_place(catalog, e))
            lint_entry(&work, e);
    }
    index_document_free(work.archive, work.skeleton_entry, work.skeleton);
}
