#include "tests/samples/sample_paks.h"

#include "tests/samples/creature.h"
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
};

enum { PARTS = 16 };

static unsigned list_parts(struct creature *creature, struct part parts[PARTS])
{
    unsigned count = 0;
    for (int i = 0; i < CREATURE_CLIPS; i++)
        parts[count++] = (struct part){"prime-anim", creature_motions[i].name,
                                       "anim",       (uint32_t)(CREATURE_ANIM + i),
                                       NULL,         creature_clip_content(creature, (enum creature_clip)i)};
    /* In Metroid Prime 2 they lie in the set; a file of them is the same all the same. */
    for (int i = 0; i < CREATURE_CLIPS; i++) {
        if (creature->animations[i].event_count)
            parts[count++] =
                (struct part){"prime-evnt", creature_motions[i].name,
                              "evnt",       (uint32_t)(CREATURE_EVNT + i),
                              NULL,         creature_events_content(creature, (enum creature_clip)i)};
    }
    parts[count++] = (struct part){"prime-cinf",  "hopper", "cinf",
                                   CREATURE_CINF, NULL,     creature_skeleton_content(creature)};
    parts[count++] =
        (struct part){"prime-cskr", "hopper", "cskr", CREATURE_CSKR, NULL, creature_skin_content(creature)};
    parts[count++] = (struct part){"prime-ancs",  "hopper", "ancs",
                                   CREATURE_ANCS, "Hopper", creature_set_content(creature)};
    return count;
}

static bool can_write(const struct part *part)
{
    const struct pose_format *format = pose_format_find(part->format);
    return format && format->can_write;
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
        const struct part *part = &parts[i];
        if (!can_write(part) || (creature->is_mp2 && !strcmp(part->format, "prime-evnt")))
            continue;
        struct made *file = &files[made++];
        snprintf(file->name, sizeof file->name, "%08X%s%s.%s", part->id, part->label ? "_" : "",
                 part->label ? part->label : "", part->extension);
        done = encode_made(part->format, &part->content, file);
    }
    done = done && pack_pak(creature, files, made, &pak) && write_made(root, ".", &pak, 1);
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
        const struct part *part = &parts[i];
        struct made file = {0};
        if (!can_write(part))
            continue;
        snprintf(file.name, sizeof file.name, "%s-%s.%s", part->name, creature->game, part->extension);
        done = encode_made(part->format, &part->content, &file) && write_made(root, part->format, &file, 1);
        free_made(&file, 1);
    }
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
