/* From a clip to the bytes of another format, in one call. */
#include "lib/core/value.h"

#include <string.h>

/* Whether the target's files hold a skeleton beside the clip, and sample it by themselves. */
static bool holds_skeleton(const char *format)
{
    return !strcmp(format, "gltf") || !strcmp(format, "bvh");
}

/* Prime's clips are written against a skeleton of Prime: one of Metroid Prime 2 has a channel for each of its bones. */
static bool takes_skeleton(const char *format, const struct pose_skeleton *skeleton)
{
    return holds_skeleton(format) || (!strcmp(format, "prime-anim") && skeleton->axes == POSE_AXES_PRIME);
}

/* The same settings and one more before them. */
static const struct pose_value *with_setting(const struct pose_value *settings, struct pose_value *object,
                                             struct pose_value *member)
{
    member->next = settings ? settings->first : NULL;
    *object = (struct pose_value){.kind = POSE_OBJECT, .first = member};
    return object;
}

/* What a converter asks of an encoder beyond its user's settings: the frame rate, which bvh and gltf see to by themselves;
 * and that keys which a foreign engine had on every frame are thinned out for Second Life. */
static const struct pose_value *complete_settings(const struct pose_conversion *conversion,
                                                  const struct pose_clip *baked, struct pose_value *object,
                                                  struct pose_value *member)
{
    const struct pose_value *settings = conversion->settings;
    if (holds_skeleton(conversion->to) && conversion->fps > 0 && !pose_value_find(settings, "fps")) {
        *member = (struct pose_value){.kind = POSE_FLOAT, .key = "fps", .as.number = conversion->fps};
        return with_setting(settings, object, member);
    }
    bool is_foreign = conversion->clip->rules != POSE_RULES_SL && !baked->extras;
    if (!strcmp(conversion->to, "sl-anim") && is_foreign && !(conversion->fps > 0) &&
        !pose_value_find(settings, "reduce")) {
        *member = (struct pose_value){.kind = POSE_BOOL, .key = "reduce", .as.boolean = true};
        return with_setting(settings, object, member);
    }
    return settings;
}

bool pose_convert(const struct pose_conversion *conversion, const struct pose_options *options,
                  pose_warn *warn, void *user, struct pose_buffer *out, struct pose_error *error)
{
    *out = (struct pose_buffer){.allocator =
                                    options && options->allocator ? options->allocator : allocator_default()};
    struct pose_document *document = pose_bake(conversion, options, warn, user, error);
    if (!document)
        return false;
    struct pose_value object, member;
    struct pose_content content = {
        .clip_count = 1,
        .clips = document->clips,
        .settings = complete_settings(conversion, document->clips, &object, &member),
    };
    if (conversion->skeleton && takes_skeleton(conversion->to, conversion->skeleton)) {
        content.skeletons = conversion->skeleton;
        content.skeleton_count = 1;
    }
    bool done = pose_encode(conversion->to, &content, options, warn, user, out, error);
    pose_document_free(document);
    return done;
}
