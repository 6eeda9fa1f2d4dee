/* Converts to files of other formats: clips with their skeleton and meshes (resolves the target, bakes, encodes), or a
 * mesh with what belongs to it (its codec makes it fit). */
#include "lib/bake/bake.h"
#include "lib/core/text.h"
#include "lib/core/value.h"
#include "lib/formats/table.h"
#include "lib/model/document.h"
#include "lib/model/match.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DEFAULT_KEY_LIMIT = 4 * 1000 * 1000 };

/* ------------------------------------------------------------------------------------------------ targets -- */

/* The target of a conversion, and its codec; file is NULL if an id does not determine the file type. */
struct goal {
    const struct codec *codec;
    const struct pose_target *file;
};

static struct goal find_goal(const char *to)
{
    const struct pose_target *file = to ? pose_target_find(to) : NULL;
    const struct codec *codec = to ? codec_find(file ? file->format : to) : NULL;
    return codec && codec->target && codec->encode ? (struct goal){codec, file} : (struct goal){0};
}

static const struct codec *find_target(const char *format)
{
    const struct codec *codec = format ? codec_find(format) : NULL;
    return codec && codec->target ? codec : NULL;
}

static bool is_of_game(const struct codec *codec)
{
    return codec && codec->target->family != FAMILY_NONE;
}

/* The first format whose clips have these rules. */
static const struct codec *find_by_rules(enum pose_rules rules)
{
    for (const struct codec *const *codec = codecs; *codec; codec++) {
        const struct target *target = (*codec)->target;
        if (target && rules != POSE_RULES_PLAIN && (target->rules == rules || target->other_rules == rules))
            return *codec;
    }
    return NULL;
}

/* The format whose extras a clip has: its origin, else its document's format, else that of its rules. NULL:
 * none. */
static const struct codec *find_origin(const struct pose_conversion_clip *from)
{
    const struct codec *origin = find_target(from->clip->origin);
    if (!is_of_game(origin))
        origin = find_target(from->from);
    if (!origin && !from->from)
        origin = find_by_rules(from->clip->rules);
    return is_of_game(origin) ? origin : NULL;
}

/* ------------------------------------------------------------------------------------------------- baking -- */

/* One call of pose_bake. */
struct bake_call {
    const struct pose_conversion *conversion;
    const struct codec *codec;
    struct arena *arena; /* of the document */
    struct bake_renames renames;
    struct baking common; /* the same for all clips */
    size_t memory;
};

static bool bake_one(struct bake_call *call, const struct pose_conversion_clip *from, struct pose_clip *out)
{
    struct baking b = call->common;
    const struct codec *origin = find_origin(from);
    struct arena scratch;
    arena_init(&scratch, call->arena->allocator, call->memory, b.error);
    scratch.stop = call->arena->stop;
    b.scratch = &scratch;
    b.out = out;
    b.clip = *from->clip;
    b.clip.name = b.clip.name ? b.clip.name : from->name;
    b.family = origin ? origin->target->family : FAMILY_NONE;
    b.origin = origin ? origin->format.id : NULL;
    bool done = bake_clip(&b) && !call->arena->failed;
    arena_release(&scratch);
    return done;
}

/* Whether the file includes the skeleton: always if the target says so; an exchange format also gets the
 * skeleton of the clip's own file. */
static bool takes_skeleton(const struct pose_conversion *conversion, const struct target *target)
{
    if (!conversion->skeleton || target->files[0].on_skeleton)
        return conversion->skeleton;
    return target->family == FAMILY_NONE && conversion->clip_count == 1 &&
           clip_is_of_tree(conversion->clips->clip, conversion->skeleton);
}

static bool bake_all(struct bake_call *call, struct pose_document *document)
{
    const struct pose_conversion *conversion = call->conversion;
    const struct target *target = call->codec->target;
    bool has_skeleton = takes_skeleton(conversion, target);
    struct pose_clip *clips = ARENA_NEW(call->arena, struct pose_clip, conversion->clip_count);
    if (!clips || !bake_renames_init(&call->renames, call->arena, conversion))
        return false;
    bake_renames_tell(&call->renames, conversion, has_skeleton ? conversion->skeleton : NULL,
                      call->common.warn, call->common.user);
    for (uint32_t i = 0; i < conversion->clip_count; i++) {
        if (!bake_one(call, &conversion->clips[i], &clips[i]))
            return false;
    }
    document->format = call->codec->format.id;
    document->clips = clips;
    document->clip_count = conversion->clip_count;
    document->skeleton_count = has_skeleton;
    if (has_skeleton)
        document->skeletons = bake_rename_skeleton(call->arena, &call->renames, conversion->skeleton);
    if (target->files[0].is_scene) {
        document->mesh_count = conversion->mesh_count;
        document->meshes =
            bake_rename_meshes(call->arena, &call->renames, conversion->meshes, conversion->mesh_count);
    }
    return !call->arena->failed;
}

static void warn_of_scales(const struct baking *b, const struct bake_folded *folded)
{
    if (folded->is_uneven)
        bake_warn(b, "uneven_scale",
                  "a scale that differs between axes was taken as its mean: %s cannot hold it",
                  b->target.title);
    if (folded->is_growing)
        bake_warn(b, "scale_dropped",
                  "a scale above the bones changes with time: the lengths of bones stay as at rest in %s",
                  b->target.title);
}

struct pose_document *pose_bake(const struct pose_conversion *conversion, const struct pose_options *options,
                                pose_warn *warn, void *user, struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    const struct codec *codec = find_goal(conversion->to).codec;
    if (!codec) {
        error_set(error, POSE_BAD_ARGUMENT, "unknown_format", "clips cannot be written as \"%s\"",
                  conversion->to ? conversion->to : "");
        return NULL;
    }
    size_t memory = options ? options->limits.memory : 0;
    const uint64_t key_limit = options && options->limits.keys ? options->limits.keys : DEFAULT_KEY_LIMIT;
    struct arena arena;
    arena_init(&arena, options ? options->allocator : NULL, memory, error);
    arena.stop = options ? options->stop : NULL;
    struct document *document = ARENA_NEW(&arena, struct document, 1);
    struct bake_folded folded;
    if (!bake_fold(conversion, codec->target, key_limit, &arena, &folded)) {
        arena_release(&arena);
        return NULL;
    }
    conversion = &folded.conversion;
    struct bake_call call = {.conversion = conversion, .codec = codec, .arena = &arena, .memory = memory};
    call.common = (struct baking){.conversion = conversion,
                                  .format = codec->format.id,
                                  .target = *codec->target,
                                  .arena = &arena,
                                  .renames = &call.renames,
                                  .key_limit = key_limit,
                                  .warn = warn,
                                  .user = user,
                                  .error = error};
    warn_of_scales(&call.common, &folded);
    if (!document || !bake_all(&call, &document->view)) {
        error_set(error, POSE_BAD_DATA, "bad_data", "the clip cannot be converted to that format");
        arena_release(&arena);
        return NULL;
    }
    document->view.size = arena.held;
    arena.error = NULL;
    document->arena = arena;
    return &document->view;
}

/* ----------------------------------------------------------------------------------------------- settings -- */

enum { MADE_SETTINGS = 3 };

/* The converter's own settings for an encoder, placed before the user's. */
struct made_settings {
    struct pose_value object, members[MADE_SETTINGS];
    const struct pose_value *settings;
    unsigned count;
};

static void ask(struct made_settings *made, struct pose_value member)
{
    if (pose_value_find(made->settings, member.key))
        return;
    struct pose_value *at = &made->members[made->count++];
    *at = member;
    at->next = made->settings ? made->settings->first : NULL;
    made->object = (struct pose_value){.kind = POSE_OBJECT, .first = at};
    made->settings = &made->object;
}

/* The file type; the rate, if the encoder does the sampling; and that keys on every frame from another engine are
 * reduced. */
static void make_settings(struct made_settings *made, const struct pose_conversion *conversion,
                          const struct goal *goal, const struct pose_document *baked)
{
    const struct target *target = goal->codec->target;
    bool is_foreign =
        conversion->clip_count && conversion->clips->clip->rules != target->rules && !baked->clips->extras;
    *made = (struct made_settings){.settings = conversion->settings};
    if (goal->file && target->files[1].options)
        ask(made,
            (struct pose_value){.kind = POSE_STRING, .key = "container", .as.string = goal->file->word});
    if (target->files[0].on_skeleton && conversion->fps > 0)
        ask(made, (struct pose_value){.kind = POSE_FLOAT, .key = "fps", .as.number = conversion->fps});
    if (target->reduces && is_foreign && !(conversion->fps > 0))
        ask(made, (struct pose_value){.kind = POSE_BOOL, .key = "reduce", .as.boolean = true});
}

/* -------------------------------------------------------------------------------------------------- pairs -- */

void pose_second_name(const struct pose_target *target, const struct pose_clip *clip, const char *name,
                      char text[POSE_SECOND_NAME])
{
    const struct codec *codec = find_target(target->format);
    const struct codec *second = target->second ? codec_find(target->second) : NULL;
    const char *member = codec ? codec->target->second_member : NULL;
    const char *stored = member ? value_get_string(clip->extras, member, NULL) : NULL;
    const char *stem = stored ? stored : clip->name ? clip->name : name ? name : "";
    size_t length = strlen(stem), extension = second ? strlen(second->format.extensions) : 0;
    if (second && length > extension && !strcasecmp(stem + length - extension, second->format.extensions))
        length -= extension;
    snprintf(text, POSE_SECOND_NAME, "%s%.*s", stored || !codec ? "" : codec->target->second_prefix,
             (int)(length < POSE_SECOND_NAME ? length : POSE_SECOND_NAME), stem);
    for (size_t end = strlen(text); end && !text_is_utf8(text, end); end--)
        text[end - 1] = '\0';
}

/* The clip unchanged, or with another name for its second file in its extras. */
static bool name_second(const struct pose_conversion *conversion, const struct goal *goal,
                        struct arena *arena, struct pose_clip *clip, char name[POSE_SECOND_NAME])
{
    const char *member = goal->codec->target->second_member;
    pose_second_name(goal->file, clip, conversion->clips->name, name);
    if (!conversion->second_name || !strcmp(name, conversion->second_name))
        return true;
    snprintf(name, POSE_SECOND_NAME, "%s", conversion->second_name);
    struct value_list extras = value_object(arena);
    value_put_string(&extras, member, conversion->second_name);
    value_put_members(&extras, clip->extras, (const char *const[]){member, NULL});
    clip->extras = value_done(&extras);
    return !arena->failed;
}

static bool write_pair(const struct pose_conversion *conversion, const struct goal *goal,
                       const struct pose_options *options, pose_warn *warn, void *user,
                       struct pose_content *content, struct pose_buffer *out, struct pose_second_file *second,
                       struct pose_error *error)
{
    struct pose_clip clip = *content->clips;
    struct arena arena;
    arena_init(&arena, options ? options->allocator : NULL, options ? options->limits.memory : 0, error);
    arena.stop = options ? options->stop : NULL;
    content->clips = &clip;
    bool done = name_second(conversion, goal, &arena, &clip, second->name) &&
                pose_encode(goal->file->format, content, options, warn, user, out, error) &&
                pose_encode(goal->file->second, content, options, warn, user, &second->bytes, error);
    arena_release(&arena);
    if (!done)
        pose_buffer_free(out);
    return done;
}

/* ---------------------------------------------------------------------------------------------- the entry -- */

/* Prime's clips are written against a skeleton of Prime: one of Metroid Prime 2 has a channel for each of its
 * bones. */
static bool looks_at_skeleton(const struct pose_conversion *conversion, const struct target *target)
{
    return target->wants_own_skeleton && conversion->skeleton && conversion->skeleton->axes == target->axes;
}

static bool write_file(const struct pose_conversion *conversion, const struct goal *goal,
                       const struct pose_document *baked, const struct pose_options *options, pose_warn *warn,
                       void *user, struct pose_buffer *out, struct pose_second_file *second,
                       struct pose_error *error)
{
    struct made_settings made;
    make_settings(&made, conversion, goal, baked);
    bool is_own = looks_at_skeleton(conversion, goal->codec->target);
    struct pose_content content = {.clip_count = baked->clip_count,
                                   .clips = baked->clips,
                                   .skeleton_count = is_own ? 1 : baked->skeleton_count,
                                   .skeletons = is_own ? conversion->skeleton : baked->skeletons,
                                   .mesh_count = baked->mesh_count,
                                   .meshes = baked->meshes,
                                   .image_count = baked->mesh_count ? conversion->image_count : 0,
                                   .images = conversion->images,
                                   .settings = made.settings};
    if (goal->file && goal->file->second && second)
        return write_pair(conversion, goal, options, warn, user, &content, out, second, error);
    return pose_encode(goal->codec->format.id, &content, options, warn, user, out, error);
}

bool pose_convert(const struct pose_conversion *conversion, const struct pose_options *options,
                  pose_warn *warn, void *user, struct pose_buffer *out, struct pose_second_file *second,
                  struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    const struct goal goal = find_goal(conversion->to);
    *out = (struct pose_buffer){.allocator =
                                    options && options->allocator ? options->allocator : allocator_default()};
    if (second)
        *second = (struct pose_second_file){.bytes.allocator = out->allocator};
    if (goal.codec && !goal.codec->target->files[0].is_scene && conversion->clip_count != 1) {
        pose_error_init(error);
        return error_set(error, POSE_BAD_ARGUMENT, "one_clip", "a file of this format holds one clip");
    }
    struct pose_document *baked = pose_bake(conversion, options, warn, user, error);
    bool done = baked && write_file(conversion, &goal, baked, options, warn, user, out, second, error);
    pose_document_free(baked);
    return done;
}

/* ----------------------------------------------------------------------------------------------- a mesh -- */

void pose_mesh_files_free(struct pose_mesh_files *files)
{
    for (uint32_t i = 0; i < files->count; i++)
        pose_buffer_free(&files->files[i].bytes);
    files->count = 0;
}

/* One call of pose_mesh_convert. */
struct mesh_call {
    struct fit_job job;
    const struct codec *codec;
    const struct pose_options *options;
    struct pose_mesh_files *files;
};

/* Appends a file with the contents that are to be encoded. */
static bool add_encoded(struct mesh_call *call, const char *name, const char *format,
                        const struct pose_content *content)
{
    struct pose_mesh_file *file = &call->files->files[call->files->count];
    *file = (struct pose_mesh_file){.bytes.allocator = call->job.arena->allocator};
    snprintf(file->name, sizeof file->name, "%s", name);
    if (!pose_encode(format, content, call->options, call->job.warn, call->job.user, &file->bytes,
                     call->job.error))
        return false;
    call->files->count++;
    return true;
}

static bool add_beside(struct mesh_call *call, struct fit_file *beside)
{
    if (!beside->format) {
        struct pose_mesh_file *file = &call->files->files[call->files->count++];
        *file = (struct pose_mesh_file){.bytes = beside->bytes};
        snprintf(file->name, sizeof file->name, "%s", beside->name);
        beside->bytes = (struct pose_buffer){0};
        return true;
    }
    beside->content.settings = call->job.conversion->settings;
    return add_encoded(call, beside->name, beside->format, &beside->content);
}

static bool write_files(struct mesh_call *call)
{
    const struct pose_content content = {
        .mesh_count = 1, .meshes = &call->job.fitted, .settings = call->job.conversion->settings};
    bool done = add_encoded(call, call->job.file, call->codec->format.id, &content);
    for (uint32_t i = 0; done && i < call->job.beside_count; i++)
        done = add_beside(call, &call->job.beside[i]);
    for (uint32_t i = 0; i < call->job.beside_count; i++)
        pose_buffer_free(&call->job.beside[i].bytes);
    return done;
}

bool pose_mesh_convert(const struct pose_mesh_conversion *conversion, const struct pose_options *options,
                       pose_warn *warn, void *user, struct pose_mesh_files *files, struct pose_error *error)
{
    struct pose_error local;
    struct arena arena;
    error = error ? error : &local;
    pose_error_init(error);
    files->count = 0;
    const struct codec *codec = conversion->to ? codec_find(conversion->to) : NULL;
    if (!codec || !codec->fit)
        return error_set(error, POSE_BAD_ARGUMENT, "unknown_format", "meshes cannot be written as \"%.60s\"",
                         conversion->to ? conversion->to : "");
    arena_init(&arena, options ? options->allocator : NULL, options ? options->limits.memory : 0, error);
    arena.stop = options ? options->stop : NULL;
    arena.refusals = options ? options->refusals : NULL;
    const char *name = conversion->name ? conversion->name : conversion->mesh->name;
    struct pose_mesh_conversion level = *conversion;
    struct pose_mesh mesh;
    struct mesh_call call = {.job = {.conversion = &level,
                                     .name = name && *name ? name : "mesh",
                                     .arena = &arena,
                                     .error = error,
                                     .warn = warn,
                                     .user = user},
                             .codec = codec,
                             .options = options,
                             .files = files};
    bool done = bake_level(&level, &arena, &mesh, error) && codec->fit(&call.job) && !arena.failed &&
                write_files(&call);
    if (!done) {
        error_set(error, POSE_BAD_DATA, "bad_data", "the mesh cannot be converted to that format");
        for (uint32_t i = 0; i < call.job.beside_count; i++)
            pose_buffer_free(&call.job.beside[i].bytes);
        pose_mesh_files_free(files);
    }
    arena_release(&arena);
    return done;
}
