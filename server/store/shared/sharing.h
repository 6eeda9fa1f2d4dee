/*
 * What a catalogue offers beyond catalog.h if several processes share it. Every function is thread-safe, waits for a server
 * until its deadline at the latest, and is therefore never called on an event loop nor with the service's write lock held.
 * A write whose answer was lost is asked again under its ticket, and so has its effect once.
 */
#ifndef POSED_SERVER_STORE_SHARED_SHARING_H
#define POSED_SERVER_STORE_SHARED_SHARING_H

#include "server/store/catalog.h"

enum addition {
    ADDITION_NEW,
    ADDITION_KNOWN,    /* there is an upload of that id: another was faster */
    ADDITION_NO_ROOM,  /* more than room.most, by all uploads */
    ADDITION_NO_QUOTA, /* more than room.quota, by those of the same uploader */
    ADDITION_SWEPT,    /* its bytes are being removed at this moment: put them again, then try again */
};

struct addition_room {
    uint64_t most, quota; /* bytes; 0: no limit */
};

enum shared_kind { SHARED_ADD, SHARED_PUBLISH, SHARED_REMOVE };

/* A change with all that is known of it. Of a removal the row has id, blob, name, format, bytes, uploader and is_waiting. */
struct shared_change {
    struct upload_change change; /* must be first */
    enum shared_kind kind;
    struct upload_row row;
    const char *by, *reason; /* who did it, and why; NULL: nobody, none */
};
typedef bool shared_change_visit(void *user, const struct shared_change *change);

struct shared_removal {
    bool is_removed; /* by this call; else there was none */
    bool is_last;    /* no upload has these bytes any more */
    uint64_t version;
    struct blob_hash blob;
};

struct database_metrics;

struct catalog_sharing {
    /* Adds a row unless there is one, with its record. */
    bool (*add)(struct store_catalog *catalog, const struct upload_row *row, const struct addition_room *room,
                enum addition *addition, uint64_t *version, struct store_error *error);
    bool (*remove)(struct store_catalog *catalog, const struct asset_id *id, const char *by,
                   const char *reason, struct shared_removal *removal, struct store_error *error);
    /* is_published: by this call; else there was none that waits. */
    bool (*publish)(struct store_catalog *catalog, const struct asset_id *id, const char *by,
                    bool *is_published, uint64_t *version, struct store_error *error);
    /* As changes, with the rows and their records. */
    bool (*changes)(struct store_catalog *catalog, uint64_t after, uint32_t most, shared_change_visit *visit,
                    void *user, struct store_error *error);
    /* Total bytes of all uploads. */
    bool (*bytes)(struct store_catalog *catalog, uint64_t *bytes, struct store_error *error);
    /* Of those rows, by their ids, the ones whose record is older than that revision and that nobody else is making anew:
     * is_ours is set, for as long. */
    bool (*lease)(struct store_catalog *catalog, const struct upload_row *rows, size_t count,
                  uint32_t revision, uint64_t lease_ms, bool *is_ours, struct store_error *error);
    /* The record of an upload is made anew by whoever asks for it next. */
    bool (*outdate)(struct store_catalog *catalog, const struct asset_id *id, struct store_error *error);
    /* The totals become those of the rows, whatever they were; others go on meanwhile. */
    bool (*recount)(struct store_catalog *catalog, struct store_error *error);
    /* Waits for a change elsewhere, for so long at most, or until wake is called. Only for one thread. */
    void (*wait)(struct store_catalog *catalog, uint64_t timeout_ms);
    void (*wake)(struct store_catalog *catalog);
    /* The right to sweep, which one process has until it ends or gives it back. */
    bool (*sweep_begin)(struct store_catalog *catalog, bool *is_ours, struct store_error *error);
    void (*sweep_end)(struct store_catalog *catalog);
    /* From mark to unmark no upload with these bytes is added. is_marked: no upload has them. */
    bool (*mark)(struct store_catalog *catalog, const struct blob_hash *hash, bool *is_marked,
                 struct store_error *error);
    bool (*unmark)(struct store_catalog *catalog, const struct blob_hash *hash, struct store_error *error);
    /* The bytes of uploads that were removed so long ago, at most that many; nobody has looked yet whether they can go. After
     * swept they are not among them any more. */
    bool (*sweepable)(struct store_catalog *catalog, uint64_t least_ms, uint32_t most, blob_visit *visit,
                      void *user, struct store_error *error);
    bool (*swept)(struct store_catalog *catalog, const struct blob_hash *hash, struct store_error *error);
    bool (*is_away)(struct store_catalog *catalog);
    struct database_metrics *(*count)(struct store_catalog *catalog);
};

#endif
