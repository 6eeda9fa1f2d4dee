/* The preview of a link to a clip, an archive, a character or a skeleton: a title, a line, a picture. */
#ifndef POSED_API_PAGES_CARD_H
#define POSED_API_PAGES_CARD_H

#include "api/protocol/reply.h"

enum card_kind { CARD_CLIP, CARD_ARCHIVE, CARD_CHARACTER, CARD_SKELETON };

enum { CARD_WIDTH = 1200, CARD_HEIGHT = 630 }; /* of the picture, as recommended for Open Graph */

struct card {
    enum card_kind kind;
    const char *title; /* valid as long as the catalogue */
    char description[256];
    struct asset_id id;
    bool has_clip;
    struct asset_id clip, archive; /* what the picture and the viewer show, and its archive */
    bool has_scope;                /* the URL names the archive, and so do the URLs of picture and viewer */
};

/*
 * The card for id, as seen in the archive scope (NULL: none). False, with the problem in the response, if nothing
 * has that id or the archive does not contain it.
 */
bool card_find(struct api_call *call, enum card_kind kind, const char *id, const char *scope,
               struct card *card);

/* Paths on this server, with their query. */
enum { CARD_PATH = 192 };
void card_page(const struct card *card, char path[CARD_PATH]);
void card_picture(const struct card *card, char path[CARD_PATH]);
void card_embed(const struct card *card, char path[CARD_PATH]);

#endif
