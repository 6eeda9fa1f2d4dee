#include "server/convert/convert.h"

#include "server/convert/convert_rename.h"
#include "server/text/extras.h"
#include "server/library/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------------------------------------- targets -- */

#define GLTF(word, media_type) word, "gltf", word, media_type, "mesh bones fps"
#define GAME(id, extensions, media_type, options)                                                            \
    {                                                                                                        \
        id, id, extensions, media_type, options, .is_text = false                                            \
    }
#define SIMS1(id, extensions)                                                                                \
    {                                                                                                        \
        id, id, extensions, "application/zip", "fps loop", .is_pair = true                                   \
    }

const struct convert_target convert_targets[] = {
    {GLTF("glb", "model/gltf-binary"), .on_skeleton = true},
    {GLTF("gltf", "model/gltf+json"), .on_skeleton = true, .is_text = true},
    {"bvh", "bvh", "bvh", "text/x-bvh", "fps", .on_skeleton = true, .is_text = true},
    {"json", "json", "json", "application/json", "axes", .is_text = true},
    GAME("sl-anim", "anim animatn", "application/vnd.ll.animation", "fps priority loop ease_in ease_out"),
    GAME("tso-anim", "anim", "application/x-tso-anim", "fps loop"),
    GAME("prime-anim", "anim", "application/x-prime-anim", "fps loop game"),
    GAME("sims3-clip", "clip animation", "application/x-sims3-clip", "fps"),
    SIMS1("sims1-cmx", "cmx cfp"),
    SIMS1("sims1-bcf", "bcf"),
    {.word = NULL},
};

const struct convert_target *convert_target_find(const char *word)
{
    for (const struct convert_target *target = convert_targets; target->word; target++) {
        if (!strcmp(target->word, word))
            return target;
    }
    return NULL;
}

/* Whether a blank-separated list holds the word. */
static bool lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");
        if (here == length && !strncasecmp(at, word, length))
            return true;
        at += here;
    }
    return false;
}

bool convert_target_has_extension(const struct convert_target *target, const char *extension)
{
    return lists(target->extensions, extension);
}

const struct convert_target *convert_target_of(const char *extension, const char *format, unsigned *count)
{
    const struct convert_target *only = NULL, *own = NULL;
    *count = 0;
    for (const struct convert_target *target = convert_targets; target->word; target++) {
        if (!convert_target_has_extension(target, extension))
            continue;
        if (format && !strcmp(target->format, format))
            own = target;
        only = target;
        ++*count;
    }
    return own ? own : *count == 1 ? only : NULL;
}

void convert_target_words(const char *extension, char words[CONVERT_WORDS])
{
    *words = '\0';
    for (const struct convert_target *target = convert_targets; target->word; target++) {
        if (!extension || convert_target_has_extension(target, extension))
            name_list_add(words, CONVERT_WORDS, target->word);
    }
}

bool convert_target_takes(const struct convert_target *target, const char *option)
{
    return lists(target->options, option);
}

/* ------------------------------------------------------------------------------------------------ warnings -- */

void convert_warn_text(struct convert_warnings *warnings, const char *code, enum pose_severity severity,
                       const char *message)
{
    for (uint32_t i = 0; i < warnings->count; i++) {
        if (!strcmp(warnings->items[i].code, code) && !strcmp(warnings->items[i].message, message))
            return;
    }
    if (warnings->count == CONVERT_WARNINGS) {
        warnings->is_full = true;
        return;
    }
    warnings->items[warnings->count++] =
        (struct pose_warning){.code = region_text(&warnings->region, code),
                              .severity = severity,
                              .message = region_text(&warnings->region, message),
                              .offset = POSE_NO_OFFSET};
}

void convert_warn(void *user, const struct pose_warning *warning)
{
    convert_warn_text(user, warning->code, warning->severity, warning->message ? warning->message : "");
}

/* A clip's own table of names is not the whole of it: see rename_tell_unused. */
static void warn_of_bake(void *user, const struct pose_warning *warning)
{
    if (strcmp(warning->code, "rename_unused") != 0)
        convert_warn(user, warning);
}

void convert_warnings_release(struct convert_warnings *warnings)
{
    region_release(&warnings->region);
    *warnings = (struct convert_warnings){0};
}

const struct pose_warning *convert_warnings_serious(const struct convert_warnings *warnings)
{
    for (uint32_t i = 0; i < warnings->count; i++) {
        if (warnings->items[i].severity == POSE_WARNING)
            return &warnings->items[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ file names -- */

const char *convert_file_name(char *text)
{
    for (char *at = text; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c < 0x20 || c == 0x7f || strchr("/\\:*?\"<>|", c))
            *at = '_';
    }
    size_t length = strlen(text);
    while (length && (text[length - 1] == '.' || text[length - 1] == ' '))
        text[--length] = '\0';
    while (*text == '.' || *text == ' ')
        text++;
    return *text ? text : "clip";
}

/* ---------------------------------------------------------------------------------------------- one conversion -- */

struct run {
    const struct convert_content *content;
    const struct pose_options *options;
    struct convert_warnings *warnings;
    struct pose_error *error;
    struct region region;
    struct pose_value settings; /* an object of members */
    struct pose_value members[CONVERT_SETTINGS + 2];
    unsigned member_count;
};

static void add_setting(struct run *run, struct pose_value member)
{
    struct pose_value *at = &run->members[run->member_count];
    *at = member;
    at->next = NULL;
    if (run->member_count++)
        at[-1].next = at;
    run->settings = (struct pose_value){.kind = POSE_OBJECT, .first = run->members};
}

static void begin(struct run *run)
{
    const struct convert_content *content = run->content;
    const struct convert_options *options = content->options;
    region_init(&run->region);
    for (unsigned i = 0; i < options->setting_count; i++)
        add_setting(run, options->settings[i]);
    if (!strcmp(content->target->format, "gltf"))
        add_setting(run, (struct pose_value){
                             .kind = POSE_STRING, .key = "container", .as.string = content->target->word});
    if (content->target->on_skeleton && options->fps > 0)
        add_setting(run, (struct pose_value){.kind = POSE_FLOAT, .key = "fps", .as.number = options->fps});
    rename_tell_unused(content, run->warnings);
}

/* The clip under a name that is never NULL; those without tell only what their file is called. */
static struct pose_clip *named_clip(struct run *run, const struct convert_clip *from)
{
    struct pose_clip *clip = REGION_NEW(&run->region, struct pose_clip, 1);
    *clip = *from->clip;
    if (!clip->name)
        clip->name = from->name;
    return clip;
}

static struct pose_conversion conversion_of(struct run *run, const struct convert_clip *from)
{
    const struct convert_content *content = run->content;
    return (struct pose_conversion){.clip = named_clip(run, from),
                                    .from = from->format,
                                    .to = content->target->format,
                                    .skeleton = content->skeleton,
                                    .fps = content->options->fps,
                                    .renames = content->options->renames,
                                    .rename_count = content->options->rename_count,
                                    .settings = run->member_count ? &run->settings : NULL};
}

static struct pose_document *bake(struct run *run, const struct convert_clip *from)
{
    struct pose_conversion conversion = conversion_of(run, from);
    return pose_bake(&conversion, run->options, warn_of_bake, run->warnings, run->error);
}

/* Clips, a skeleton and meshes in one file. */
static bool run_whole(struct run *run, struct pose_buffer *out)
{
    const struct convert_content *content = run->content;
    struct pose_document **documents = REGION_NEW(&run->region, struct pose_document *, content->clip_count);
    struct pose_clip *clips = REGION_NEW(&run->region, struct pose_clip, content->clip_count);
    bool done = true;
    for (uint32_t i = 0; i < content->clip_count && done; i++) {
        documents[i] = bake(run, &content->clips[i]);
        done = documents[i] != NULL;
        if (done)
            clips[i] = documents[i]->clips[0];
    }
    struct pose_content all = {
        .clip_count = content->clip_count,
        .clips = clips,
        .skeleton_count = content->skeleton != NULL,
        .skeletons = rename_skeleton(&run->region, content->skeleton, content->options),
        .mesh_count = content->mesh_count,
        .meshes = rename_meshes(&run->region, content->meshes, content->mesh_count, content->options),
        .image_count = content->image_count,
        .images = content->images,
        .settings = run->member_count ? &run->settings : NULL,
    };
    done = done && pose_encode(content->target->format, &all, run->options, convert_warn, run->warnings, out,
                               run->error);
    for (uint32_t i = 0; i < content->clip_count; i++)
        pose_document_free(documents[i]);
    return done;
}

static bool one_clip(struct run *run)
{
    if (run->content->clip_count == 1)
        return true;
    pose_error_init(run->error);
    run->error->status = POSE_BAD_ARGUMENT;
    strcpy(run->error->code, "one_clip");
    strcpy(run->error->detail, "a file of this format holds one clip");
    return false;
}

static bool run_zipped(const struct convert_content *content, const struct pose_options *options,
                       struct convert_warnings *warnings, struct pose_buffer *out, struct pose_error *error)
{
    struct convert_pair pair;
    if (!convert_run_pair(content, options, warnings, &pair, error))
        return false;
    struct pose_pack_item items[2];
    for (int i = 0; i < 2; i++)
        items[i] = (struct pose_pack_item){pair.names[i], {pair.bytes[i].data, pair.bytes[i].size}};
    bool done = pose_pack("zip", items, 2, NULL, options, out, error);
    convert_pair_release(&pair);
    return done;
}

bool convert_run(const struct convert_content *content, const struct pose_options *options,
                 struct convert_warnings *warnings, struct pose_buffer *out, struct pose_error *error)
{
    struct run run = {.content = content, .options = options, .warnings = warnings, .error = error};
    *out = (struct pose_buffer){0};
    if (content->target->is_pair)
        return run_zipped(content, options, warnings, out, error);
    bool is_gltf = !strcmp(content->target->format, "gltf");
    if (!is_gltf && !one_clip(&run))
        return false;
    begin(&run);
    bool done;
    if (content->target->on_skeleton || content->target->is_text) {
        done = run_whole(&run, out);
    } else {
        struct pose_conversion conversion = conversion_of(&run, &content->clips[0]);
        done = pose_convert(&conversion, options, warn_of_bake, warnings, out, error);
    }
    region_release(&run.region);
    return done;
}

/* ---------------------------------------------------------------------------------------------------- pairs -- */

/* text, made harmless, from malloc; text is freed. */
static char *harmless(char *text)
{
    char *name = strdup(convert_file_name(text));
    free(text);
    if (!name)
        abort();
    return name;
}

/* The file that a skill says its keys are in, or that its encoder makes up. */
char *convert_key_file(const struct pose_clip *clip, const char *name)
{
    const char *file = extra_text(clip->extras, "file");
    const char *stem = file ? file : clip->name ? clip->name : name;
    size_t length = strlen(stem);
    bool has_extension = length > 4 && !strcasecmp(stem + length - 4, ".cfp");
    char *text = must_alloc(length + 16, 1);
    sprintf(text, "%s%.*s", file ? "" : "xskill-", (int)(has_extension ? length - 4 : length), stem);
    return harmless(text);
}

/* The clip's extras with the name of its key file in the place of what they say. */
static const struct pose_value *with_key_file(struct region *region, const struct pose_value *extras,
                                              const char *key_file)
{
    struct pose_value *object = REGION_NEW(region, struct pose_value, 1);
    struct pose_value *file = REGION_NEW(region, struct pose_value, 1);
    *file = (struct pose_value){.kind = POSE_STRING, .key = "file", .as.string = key_file};
    *object = (struct pose_value){.kind = POSE_OBJECT, .first = file};
    const struct pose_value **next = &file->next;
    for (const struct pose_value *item = extras ? extras->first : NULL; item; item = item->next) {
        if (item->key && !strcmp(item->key, "file"))
            continue;
        struct pose_value *copy = REGION_NEW(region, struct pose_value, 1);
        *copy = *item;
        copy->next = NULL;
        *next = copy;
        next = &copy->next;
    }
    return object;
}

/* The clip as it goes into the pair; key_file: what its second file is called, without extension, from malloc. */
static struct pose_clip paired_clip(struct run *run, const struct pose_clip *clip, char **key_file)
{
    struct pose_clip paired = *clip;
    const char *wanted = run->content->key_file;
    *key_file = convert_key_file(clip, "");
    if (wanted && strcmp(*key_file, wanted) != 0) {
        free(*key_file);
        *key_file = strdup(wanted);
        paired.extras = with_key_file(&run->region, clip->extras, wanted);
    }
    return paired;
}

/* From malloc. */
static char *with_extension(const char *stem, const char *extensions)
{
    char *name = must_alloc(strlen(stem) + 8, 1);
    sprintf(name, "%s.%.*s", stem, (int)strcspn(extensions, " "), extensions);
    return name;
}

bool convert_run_pair(const struct convert_content *content, const struct pose_options *options,
                      struct convert_warnings *warnings, struct convert_pair *pair, struct pose_error *error)
{
    struct run run = {.content = content, .options = options, .warnings = warnings, .error = error};
    *pair = (struct convert_pair){0};
    if (!one_clip(&run))
        return false;
    begin(&run);
    struct pose_document *document = bake(&run, &content->clips[0]);
    char *key_file = NULL;
    struct pose_clip clip;
    bool done = document != NULL;
    if (done)
        clip = paired_clip(&run, document->clips, &key_file);
    const char *formats[2] = {content->target->format, "sims1-cfp"};
    for (int i = 0; i < 2 && done; i++) {
        struct pose_content one = {
            .clip_count = 1, .clips = &clip, .settings = run.member_count ? &run.settings : NULL};
        done = pose_encode(formats[i], &one, options, convert_warn, warnings, &pair->bytes[i], error);
    }
    if (done) {
        pair->names[0] = harmless(with_extension(content->name, content->target->extensions));
        pair->names[1] = with_extension(key_file, "cfp");
    }
    free(key_file);
    pose_document_free(document);
    region_release(&run.region);
    if (!done)
        convert_pair_release(pair);
    return done;
}

void convert_pair_release(struct convert_pair *pair)
{
    for (int i = 0; i < 2; i++) {
        pose_buffer_free(&pair->bytes[i]);
        free(pair->names[i]);
    }
}
