/* What a link to a clip, an archive or a character shows where it is pasted: a title, a line, a picture. */
#ifndef POSED_API_PAGES_CARD_H
#define POSED_API_PAGES_CARD_H

#include "api/protocol/reply.h"

enum card_kind { CARD_CLIP, CARD_ARCHIVE, CARD_CHARACTER };

enum { CARD_WIDTH = 1200, CARD_HEIGHT = 630 }; /* of the picture, as Open Graph's readers want it */

struct card {
    enum card_kind kind;
    const char *title; /* of the catalogue's life */
    char description[256];
    struct asset_id id;
    bool has_clip;
    struct asset_id clip, archive; /* that the picture and the viewer show, and where it lies */
    bool has_scope;                /* the address names the archive, and so do those of what it shows */
};

/*
 * The card of what id names, as the archive scope (NULL: none) has it. False, with the problem in the response, when
 * there is nothing of that id, or the archive does not hold it.
 */
bool card_find(struct api_call *call, enum card_kind kind, const char *id, const char *scope,
               struct card *card);

/* Paths on this server, with their query. */
enum { CARD_PATH = 192 };
void card_page(const struct card *card, char path[CARD_PATH]);
void card_picture(const struct card *card, char path[CARD_PATH]);
void card_embed(const struct card *card, char path[CARD_PATH]);

#endif
