#include "tests/samples/sample_paks.h"

#include "tests/samples/creature/model.h"
#include "tests/samples/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One resource. */
struct part {
    const char *format, *name, *extension; /* of the file by itself */
    uint32_t id;
    const char *label; /* of a named resource, NULL: it has none */
    struct pose_content content;
    struct prime_made made; /* instead of content, of what has no writer */
};

enum { PARTS = 32 };

static const char *const texture_names[CREATURE_TEXTURES] = {
    "i4", "i8", "ia4", "ia8", "c4", "c8", "c14x2", "rgb565", "rgb5a3", "rgba8", "cmpr",
};

static struct part part_of(const char *format, const char *name, uint32_t id, struct pose_content content)
{
    return (struct part){
        .format = format, .name = name, .extension = format + 6, .id = id, .content = content};
}

static unsigned list_parts(struct creature *creature, struct part parts[PARTS])
{
    const struct pose_content nothing = {0};
    unsigned count = 0;
    for (int i = 0; i < CREATURE_CLIPS; i++)
        parts[count++] = part_of("prime-anim", creature_motions[i].name, (uint32_t)(CREATURE_ANIM + i),
                                 creature_clip_content(creature, (enum creature_clip)i));
    /* In Metroid Prime 2 they lie in the set; a file of them is the same all the same. */
    for (int i = 0; i < CREATURE_CLIPS; i++) {
        if (creature->animations[i].event_count)
            parts[count++] = part_of("prime-evnt", creature_motions[i].name, (uint32_t)(CREATURE_EVNT + i),
                                     creature_events_content(creature, (enum creature_clip)i));
    }
    parts[count++] = part_of("prime-cinf", "hopper", CREATURE_CINF, creature_skeleton_content(creature));
    parts[count++] = part_of("prime-cskr", "hopper", CREATURE_CSKR, creature_skin_content(creature));
    parts[count] = part_of("prime-ancs", "hopper", CREATURE_ANCS, creature_set_content(creature));
    parts[count++].label = "Hopper";
    parts[count] = part_of("prime-cmdl", "hopper", CREATURE_CMDL, nothing);
    creature_put_model(creature, &parts[count++].made);
    for (unsigned format = 0; format < CREATURE_TEXTURES; format++) {
        parts[count] = part_of("prime-txtr", texture_names[format], CREATURE_TXTR + format, nothing);
        creature_put_texture(format, &parts[count++].made);
    }
    return count;
}

static void free_parts(struct part *parts, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pose_buffer_free(&parts[i].made.bytes);
}

/* The file takes the bytes over. */
static bool make_file(struct part *part, struct made *file)
{
    if (!part->made.bytes.size)
        return encode_made(part->format, &part->content, file);
    file->bytes = part->made.bytes;
    part->made.bytes = (struct pose_buffer){0};
    return true;
}

static bool can_write(const struct part *part)
{
    const struct pose_format *format = pose_format_find(part->format);
    return part->made.bytes.size || (format && format->can_write);
}

static bool pack_pak(const struct creature *creature, const struct made *files, unsigned count,
                     struct made *pak)
{
    struct pose_pack_item items[PARTS];
    struct pose_value game = tree_string("game", creature->game),
                      settings = tree_of(POSE_OBJECT, NULL, &game, 1);
    struct pose_error error;
    for (unsigned i = 0; i < count; i++)
        items[i] = (struct pose_pack_item){files[i].name, {files[i].bytes.data, files[i].bytes.size}};
    return pose_pack("prime-pak", items, count, &settings, NULL, &pak->bytes, &error) ||
           fail(pak->name, error.detail);
}

static bool write_pak(struct creature *creature, const char *root)
{
    struct part parts[PARTS];
    struct made files[PARTS] = {0}, pak = {0};
    unsigned count = list_parts(creature, parts), made = 0;
    bool done = true;
    snprintf(pak.name, sizeof pak.name, "metroid-prime-%d.pak", creature->is_mp2 ? 2 : 1);
    for (unsigned i = 0; done && i < count; i++) {
        struct part *part = &parts[i];
        if (!can_write(part) || (creature->is_mp2 && !strcmp(part->format, "prime-evnt")))
            continue;
        struct made *file = &files[made++];
        snprintf(file->name, sizeof file->name, "%08X%s%s.%s", part->id, part->label ? "_" : "",
                 part->label ? part->label : "", part->extension);
        done = make_file(part, file);
    }
    done = done && pack_pak(creature, files, made, &pak) && write_made(root, ".", &pak, 1);
    free_parts(parts, count);
    free_made(files, PARTS);
    free_made(&pak, 1);
    return done;
}

static bool write_parts(struct creature *creature, const char *root)
{
    struct part parts[PARTS];
    unsigned count = list_parts(creature, parts);
    bool done = true;
    for (unsigned i = 0; done && i < count; i++) {
        struct part *part = &parts[i];
        struct made file = {0};
        if (!can_write(part))
            continue;
        snprintf(file.name, sizeof file.name, "%s-%s.%s", part->name, creature->game, part->extension);
        done = make_file(part, &file) && write_made(root, part->format, &file, 1);
        free_made(&file, 1);
    }
    free_parts(parts, count);
    return done;
}

static bool write_both(const char *root, bool (*write)(struct creature *creature, const char *root))
{
    bool done = true;
    for (int is_mp2 = 0; done && is_mp2 < 2; is_mp2++) {
        struct creature *creature = creature_new(is_mp2);
        done = creature && write(creature, root);
        free(creature);
    }
    return done;
}

bool write_paks(const char *root)
{
    return write_both(root, write_pak);
}

bool write_pak_parts(const char *root)
{
    return write_both(root, write_parts);
}
