/* The public entry points: options with their defaults, ownership, and the table. */
#include "lib/formats/table.h"

#include "lib/core/warn.h"
#include "lib/images/picture.h"
#include "lib/mannequin/mannequin.h"
#include "lib/model/document.h"
#include "lib/model/lint.h"
#include "lib/retarget/humanoid.h"

const char *pose_version(void)
{
    return POSE_VERSION;
}

/* Increment whenever any decoded or sampled value changes. */
unsigned pose_revision(void)
{
    return 8;
}

static struct pose_limits limits_with_defaults(const struct pose_options *options)
{
    struct pose_limits limits = options ? options->limits : (struct pose_limits){0};
    limits.memory = limits.memory ? limits.memory : (size_t)1 << 30;
    limits.joints = limits.joints ? limits.joints : 65536;
    limits.keys = limits.keys ? limits.keys : 4 * 1000 * 1000;
    limits.entries = limits.entries ? limits.entries : 100000;
    limits.unpacked = limits.unpacked ? limits.unpacked : (uint64_t)256 << 20;
    limits.ratio = limits.ratio ? limits.ratio : 2000;
    return limits;
}

static const struct pose_allocator *allocator_of(const struct pose_options *options)
{
    return options && options->allocator ? options->allocator : allocator_default();
}

/* --------------------------------------------------------------------------------------------- documents -- */

static const struct codec *choose_codec(const struct pose_source *source, struct pose_error *error)
{
    if (source->format) {
        const struct codec *codec = codec_find(source->format);
        if (!codec || !codec->decode)
            error_set(error, POSE_BAD_ARGUMENT, "unknown_format", "no format \"%s\" can be read",
                      source->format);
        return codec && codec->decode ? codec : NULL;
    }
    enum probe_result result;
    const struct codec *codec = codec_detect(source, &result);
    if (!codec)
        error_set(error, POSE_UNKNOWN_FORMAT, "unknown_format", "unknown file format");
    return codec;
}

struct pose_document *pose_decode(const struct pose_source *source, const struct pose_options *options,
                                  struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    const struct codec *codec = choose_codec(source, error);
    if (!codec)
        return NULL;
    struct pose_limits limits = limits_with_defaults(options);
    struct arena arena;
    arena_init(&arena, allocator_of(options), limits.memory, error);
    arena.stop = options ? options->stop : NULL;
    arena.refusals = options ? options->refusals : NULL;
    struct document *document = ARENA_NEW(&arena, struct document, 1);
    if (!document) {
        arena_release(&arena);
        return NULL;
    }
    struct pose_document *view = &document->view;
    view->format = codec->format.id;
    struct decode_job job = {
        .source = source, .limits = &limits, .arena = &arena, .error = error, .document = view};
    warning_list_init(&job.warnings, &arena);
    if (!codec->decode(&job) || arena.failed) {
        error_set(error, POSE_BAD_DATA, "bad_data", "the file cannot be read");
        arena_release(&arena);
        return NULL;
    }
    view->warnings = job.warnings.items;
    view->warning_count = job.warnings.count;
    view->size = arena.held;
    arena.error = NULL;
    arena.stop = NULL;
    arena.refusals = NULL;
    document->arena = arena;
    return view;
}

void pose_document_free(struct pose_document *document)
{
    if (!document)
        return;
    struct arena arena = ((struct document *)document)->arena;
    arena_release(&arena);
}

const char *pose_detect(const struct pose_source *source)
{
    const struct archive_type *type = archive_detect(source);
    enum probe_result result;
    const struct codec *codec = codec_detect(source, &result);
    if (codec && (!type || result == PROBE_SURE))
        return codec->format.id;
    if (!type)
        return NULL;
    return type->identify ? type->identify(source) : type->formats[0].id;
}

/* The name of the document's only asset; NULL when there are several, or it has no name. */
static const char *only_name(const struct pose_document *document)
{
    if (document->clip_count + document->skeleton_count + document->mesh_count != 1)
        return NULL;
    return document->clip_count       ? document->clips->name
           : document->skeleton_count ? document->skeletons->name
                                      : document->meshes->name;
}

void pose_lint(const struct pose_document *document, const char *name, pose_warn *warn, void *user)
{
    const struct codec *codec = codec_find(document->format);
    const struct lint lint = {warn, user};
    if (codec && codec->named_after_file)
        lint_name(&lint, only_name(document), name);
    for (const struct family *const *family = families; *family; family++) {
        if ((*family)->lint)
            (*family)->lint(&lint, document, name);
    }
    for (uint32_t i = 0; i < document->clip_count; i++)
        lint_clip(&lint, &document->clips[i]);
    for (uint32_t i = 0; i < document->skeleton_count; i++)
        lint_skeleton(&lint, &document->skeletons[i]);
    for (uint32_t i = 0; i < document->mesh_count; i++)
        lint_mesh(&lint, &document->meshes[i]);
}

void pose_lint_skin(const struct pose_skin *skin, pose_warn *warn, void *user)
{
    const struct lint lint = {warn, user};
    lint_skin(&lint, skin);
    for (const struct family *const *family = families; *family; family++) {
        if ((*family)->lint_skin)
            (*family)->lint_skin(&lint, skin);
    }
}

/* ---------------------------------------------------------------------------------------------- encoding -- */

void encode_warn(struct encode_job *job, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    warn_vtell(job->warn, job->user, POSE_WARNING, code, POSE_NO_OFFSET, format, arguments);
    va_end(arguments);
}

void encode_note(struct encode_job *job, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    warn_vtell(job->warn, job->user, POSE_NOTE, code, POSE_NO_OFFSET, format, arguments);
    va_end(arguments);
}

bool pose_encode(const char *format, const struct pose_content *content, const struct pose_options *options,
                 pose_warn *warn, void *user, struct pose_buffer *out, struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    out->data = NULL;
    out->size = out->capacity = 0;
    out->allocator = allocator_of(options);
    const struct codec *codec = codec_find(format);
    if (!codec || !codec->encode)
        return error_set(error, POSE_BAD_ARGUMENT, "unknown_format", "no format \"%s\" can be written",
                         format);
    struct pose_limits limits = limits_with_defaults(options);
    struct arena arena;
    arena_init(&arena, allocator_of(options), limits.memory, error);
    struct writer writer;
    writer_init(&writer, out, error);
    if (options) {
        writer.limit = options->limits.output;
        writer.stop = arena.stop = options->stop;
        arena.refusals = options->refusals;
    }
    struct encode_job job = {.content = content,
                             .settings = content->settings,
                             .writer = &writer,
                             .arena = &arena,
                             .error = error,
                             .warn = warn,
                             .user = user};
    bool done = codec->encode(&job) && !arena.failed && writer_finish(&writer);
    arena_release(&arena);
    if (!done) {
        pose_buffer_free(out);
        error_set(error, POSE_BAD_DATA, "bad_data", "the clip cannot be written");
    }
    return done;
}

/* ---------------------------------------------------------------------------------------------- archives -- */

static const struct archive_type *choose_type(const struct pose_source *source, struct pose_error *error)
{
    const struct archive_type *type =
        source->format ? archive_type_find(source->format) : archive_detect(source);
    if (!type)
        error_set(error, POSE_UNKNOWN_FORMAT, "unknown_format", "unknown archive format");
    return type;
}

struct pose_archive *pose_archive_open(const struct pose_source *source, const struct pose_options *options,
                                       struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    const struct archive_type *type = choose_type(source, error);
    if (!type)
        return NULL;
    struct pose_limits limits = limits_with_defaults(options);
    struct arena arena;
    arena_init(&arena, allocator_of(options), limits.memory, error);
    struct pose_archive *archive = ARENA_NEW(&arena, struct pose_archive, 1);
    if (!archive) {
        arena_release(&arena);
        return NULL;
    }
    *archive = (struct pose_archive){.type = type,
                                     .format = type->formats[0].id,
                                     .bytes = source->bytes,
                                     .limits = limits,
                                     .allocator = allocator_of(options),
                                     .is_common_only = options && options->is_common_only,
                                     .arena = arena};
    archive->arena.stop = options ? options->stop : NULL;
    warning_list_init(&archive->warnings, &archive->arena);
    if (!type->open(archive, source, error) || archive->arena.failed) {
        if (archive->arena.failed)
            error_no_memory(error);
        error_set(error, POSE_BAD_DATA, "bad_data", "the archive cannot be read");
        pose_archive_close(archive);
        return NULL;
    }
    archive->arena.error = NULL;
    archive->arena.stop = NULL;
    return archive;
}

void pose_archive_close(struct pose_archive *archive)
{
    if (!archive)
        return;
    struct arena arena = archive->arena;
    arena_release(&arena);
}

const char *pose_archive_format(const struct pose_archive *archive)
{
    return archive->format;
}

bool pose_archive_is_stream(const struct pose_archive *archive)
{
    return archive->is_stream;
}

uint32_t pose_archive_count(const struct pose_archive *archive)
{
    return archive->entry_count;
}

const struct pose_entry *pose_archive_entry(const struct pose_archive *archive, uint32_t index)
{
    return &archive->entries[index];
}

uint32_t pose_archive_warning_count(const struct pose_archive *archive)
{
    return archive->warnings.count;
}

const struct pose_warning *pose_archive_warning(const struct pose_archive *archive, uint32_t index)
{
    return &archive->warnings.items[index];
}

uint32_t pose_archive_name_count(const struct pose_archive *archive)
{
    return archive->name_count;
}

const struct pose_name *pose_archive_names(const struct pose_archive *archive)
{
    return archive->names;
}

static bool read_entry(const struct pose_archive *archive, uint32_t index, pose_warn *warn, void *user,
                       const struct pose_stop *stop, struct pose_buffer *out, struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    *out = (struct pose_buffer){.allocator = archive->allocator};
    if (!archive_check_entry(archive, index, error))
        return false;
    struct read_job job = {archive, index, out, warn, user, error, stop};
    if (archive->type->read(&job))
        return true;
    pose_buffer_free(out);
    return error_set(error, POSE_BAD_DATA, "bad_data", "the entry cannot be read");
}

bool pose_archive_read_warn(const struct pose_archive *archive, uint32_t index, pose_warn *warn, void *user,
                            struct pose_buffer *out, struct pose_error *error)
{
    return read_entry(archive, index, warn, user, NULL, out, error);
}

bool pose_archive_read_until(const struct pose_archive *archive, uint32_t index, const struct pose_stop *stop,
                             struct pose_buffer *out, struct pose_error *error)
{
    return read_entry(archive, index, NULL, NULL, stop, out, error);
}

bool pose_archive_read(const struct pose_archive *archive, uint32_t index, struct pose_buffer *out,
                       struct pose_error *error)
{
    return pose_archive_read_warn(archive, index, NULL, NULL, out, error);
}

bool pose_archive_each(const struct pose_archive *archive, const struct pose_pass *pass)
{
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        if (pass->wants && !pass->wants(pass->user, i))
            continue;
        struct pose_buffer bytes;
        struct pose_error error;
        bool done = pose_archive_read_warn(archive, i, pass->warn, pass->user, &bytes, &error);
        bool go_on = pass->visit(pass->user, i, &bytes, done ? NULL : &error);
        pose_buffer_free(&bytes);
        if (!go_on)
            return false;
    }
    return true;
}

bool pose_pack(const char *format, const struct pose_pack_item *items, uint32_t count,
               const struct pose_value *settings, const struct pose_options *options, struct pose_buffer *out,
               struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    out->data = NULL;
    out->size = out->capacity = 0;
    out->allocator = allocator_of(options);
    const struct archive_type *type = archive_type_find(format);
    if (!type || !type->pack)
        return error_set(error, POSE_BAD_ARGUMENT, "unknown_format", "no archive \"%s\" can be written",
                         format);
    struct pose_limits limits = limits_with_defaults(options);
    struct arena arena;
    arena_init(&arena, allocator_of(options), limits.memory, error);
    struct writer writer;
    writer_init(&writer, out, error);
    struct pack_job job = {.format = format,
                           .items = items,
                           .count = count,
                           .settings = settings,
                           .writer = &writer,
                           .arena = &arena,
                           .error = error};
    bool done = type->pack(&job) && !arena.failed && writer_finish(&writer);
    arena_release(&arena);
    if (!done) {
        pose_buffer_free(out);
        error_set(error, POSE_BAD_DATA, "bad_data", "the archive cannot be written");
    }
    return done;
}

/* ------------------------------------------------------------------------------------------------- images -- */

static bool write_png(const struct pose_image *image, enum picture_effort effort, struct pose_buffer *out,
                      struct pose_error *error)
{
    const struct picture picture = {.width = image->width,
                                    .height = image->height,
                                    .pixels = (uint8_t *)image->pixels,
                                    .see_through = image->has_alpha};
    return picture_write_png(&picture, effort, out) || error_no_memory(error);
}

/* A picture that is no file of a game. */
static bool convert_png(struct pose_bytes bytes, struct pose_buffer *out, struct pose_error *error)
{
    struct picture picture;
    if (!picture_read(bytes, NULL, NULL, &picture, error))
        return false;
    bool done = picture_write_png(&picture, PICTURE_SMALL, out) || error_no_memory(error);
    picture_free(&picture);
    return done;
}

bool pose_image_png_quick(const struct pose_image *image, struct pose_buffer *out, struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    return image->pixels ? write_png(image, PICTURE_QUICK, out, error)
                         : error_set(error, POSE_BAD_ARGUMENT, "no_picture", "the image has no pixels");
}

bool pose_image_png(const struct pose_image *image, struct pose_buffer *out, struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    if (image->pixels)
        return write_png(image, PICTURE_SMALL, out, error);
    const struct pose_source source = {.name = image->name, .bytes = image->bytes};
    if (!pose_detect(&source))
        return convert_png(image->bytes, out, error);
    struct pose_document *document = pose_decode(&source, NULL, error);
    if (!document)
        return false;
    bool done = document->image_count
                    ? write_png(document->images, PICTURE_SMALL, out, error)
                    : error_set(error, POSE_BAD_ARGUMENT, "no_picture", "the file contains no image");
    pose_document_free(document);
    return done;
}

/* ------------------------------------------------------------------------------------------------ people -- */

struct pose_document *pose_mannequin(const struct pose_humanoid *humanoid, const struct pose_options *options,
                                     struct pose_error *error)
{
    return mannequin_new(humanoid, options, error);
}

struct pose_humanoid *pose_humanoid_new(const struct pose_skeleton *skeleton, const struct pose_bone_map *map,
                                        uint32_t map_count, const struct pose_options *options,
                                        struct pose_error *error)
{
    return pose_humanoid_of_clip(skeleton, NULL, map, map_count, options, error);
}

struct pose_humanoid *pose_humanoid_of_clip(const struct pose_skeleton *skeleton,
                                            const struct pose_clip *clip, const struct pose_bone_map *map,
                                            uint32_t map_count, const struct pose_options *options,
                                            struct pose_error *error)
{
    return humanoid_new(skeleton, clip, people_names, map, map_count, options, error);
}
