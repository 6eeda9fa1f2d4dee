/* The bytes of one request or file as a catalogue of their own: nothing else sees what is in them. */
#ifndef POSED_SERVER_LIBRARY_OWN_CATALOG_H
#define POSED_SERVER_LIBRARY_OWN_CATALOG_H

#include "server/library/index/upload.h"
#include "server/library/service.h"

struct own_catalog {
    struct index_archive *archive;
    struct catalog *catalog;
    struct index_refusal refusal; /* why it was not opened; borrows from the archive */
};

/* How bytes are indexed: beside the PATHs of common, and whether decoded documents are kept, see index_upload_kept. */
struct own_setting {
    const struct service *service;
    const struct catalog *common;
    struct index_options options;
    bool keeps;
};

/* False with refusal. Must be closed in either case; the bytes of source must outlive the catalogue. */
bool own_catalog_open(struct own_catalog *own, const struct upload_source *source,
                      const struct own_setting *setting);
void own_catalog_close(struct own_catalog *own);

#endif
