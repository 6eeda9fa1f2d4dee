/* The options that name a catalogue which several machines share; several commands take them. */
#ifndef POSED_SERVER_OPS_CATALOG_OPTIONS_H
#define POSED_SERVER_OPS_CATALOG_OPTIONS_H

#include "server/ops/options.h"

struct catalog_options {
    const char *url; /* postgres://…; NULL: the catalogue is in the folder */
    uint64_t connections;
};

/* Rows of a table of options; type is that of the values, member its struct catalog_options, name the first option's. */
#define CATALOG_OPTION_ROWS(type, field, first)                                                              \
    {.name = first,                                                                                          \
     .metavar = "postgres://…",                                                                              \
     .shown = "none: it is in DIR",                                                                          \
     .kind = OPTION_DATABASE,                                                                                \
     .member = offsetof(type, field.url),                                                                    \
     .help = "PostgreSQL database for the list of uploads, which several machines may share"},               \
    {                                                                                                        \
        .name = "--catalog-connections", .metavar = "N", .fallback = "8", .kind = OPTION_COUNT,              \
        .member = offsetof(type, field.connections), .least = 1, .most = 100,                                \
        .help = "most connections to it, and one that listens"                                               \
    }

#endif
