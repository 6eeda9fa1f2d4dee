#include "server/store/s3/objects.h"

#include "server/ops/clock.h"
#include "server/ops/log.h"
#include "server/ops/modules/modules.h"
#include "server/ops/region.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CONNECTIONS = 16,
    MAX_NAME = 1000,
    TRIES = 2,
    MAX_FAILURES = 3, /* in a row: then it is away */
    AWAY_MS = 500,    /* between looks whether it is back */
    IDLE_MS = 5000,   /* without a request: a look whether it is there */
};

struct objects {
    const struct s3_module *module;
    struct s3 *s3;
    char *prefix, *shown; /* shown: "s3://bucket/prefix" */
    uint64_t timeout_ms;
    struct object_metrics metrics;
    atomic_bool away;
    atomic_uint failures;
    _Atomic uint64_t heard_ms; /* when it last answered */
    pthread_t thread;
    bool is_started, ends; /* ends: guarded by lock */
    objects_chore *chore;
    void *user;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

/* -------------------------------------------------------------------------------------------------- health -- */

static void note_back(struct objects *objects)
{
    atomic_store(&objects->failures, 0);
    atomic_store(&objects->heard_ms, clock_ms());
    if (atomic_exchange(&objects->away, false))
        log_message(LOG_INFO, "%s is back", objects->shown);
    atomic_store(&objects->metrics.away, false);
}

static void note_away(struct objects *objects, const char *detail)
{
    if (atomic_fetch_add(&objects->failures, 1) + 1 < MAX_FAILURES)
        return;
    if (!atomic_exchange(&objects->away, true))
        log_message(LOG_WARNING, "%s is away: %s", objects->shown, detail);
    atomic_store(&objects->metrics.away, true);
    pthread_mutex_lock(&objects->lock);
    pthread_cond_signal(&objects->wake);
    pthread_mutex_unlock(&objects->lock);
}

bool objects_are_away(const struct objects *objects)
{
    return atomic_load(&objects->away);
}

struct object_metrics *objects_metrics(struct objects *objects)
{
    return &objects->metrics;
}

/* ------------------------------------------------------------------------------------------------- requests -- */

/* One try. */
typedef bool attempt(struct objects *objects, void *user, struct s3_failure *failure);

static void tell(const struct objects *objects, const struct s3_failure *failure, const char *name,
                 struct store_error *error)
{
    const enum store_status status = failure->outcome == S3_MISSING ? STORE_MISSING
                                     : failure->outcome == S3_WRONG ? STORE_BROKEN
                                                                    : STORE_AWAY;
    store_fail(error, status, "%.80s, %.90s: %.70s", objects->shown, name, failure->detail);
}

static void judge(struct objects *objects, const struct s3_failure *failure)
{
    if (failure->outcome == S3_AWAY) {
        note_away(objects, failure->detail);
    } else if (failure->outcome == S3_REFUSED) {
        log_message(LOG_WARNING, "%s: %s", objects->shown, failure->detail);
        atomic_store(&objects->heard_ms,
                     0); /* a look at the bucket says whether nothing is allowed any more */
    } else {
        note_back(objects);
    }
}

/* Tries twice where there is time: a connection may have been cut, a server of many may be ill. */
static bool try_twice(struct objects *objects, enum object_operation operation, attempt *once, void *user,
                      const char *name, struct store_error *error)
{
    const uint64_t began_ms = clock_ms();
    struct s3_failure failure = {.outcome = S3_DONE};
    bool done = false;
    if (objects_are_away(objects))
        return store_fail(error, STORE_AWAY, "%.200s is away", objects->shown);
    for (int i = 0; i < TRIES && !done; i++) {
        const uint64_t from = clock_us();
        done = once(objects, user, &failure);
        object_metrics_record(&objects->metrics, operation, done || failure.outcome == S3_MISSING,
                              (clock_us() - from) * 1000);
        if (done || (failure.outcome != S3_AWAY && failure.outcome != S3_WRONG) ||
            clock_ms() - began_ms > objects->timeout_ms / 2)
            break;
    }
    if (done)
        note_back(objects);
    else
        judge(objects, &failure);
    if (!done)
        tell(objects, &failure, name, error);
    return done;
}

static bool key_of(const struct objects *objects, const char *name, char key[MAX_NAME])
{
    int length = snprintf(key, MAX_NAME, "%s%s", objects->prefix, name);
    return length > 0 && length < MAX_NAME;
}

/* What a request is about; what it finds. */
struct asked {
    char key[MAX_NAME];
    const void *bytes;
    size_t size;
    const struct blob_hash *hash;
    const char *folder;
    uint64_t most;
    struct draft *draft;
    struct store_error *error;
    struct s3_object found;
    s3_visit *visit;
    void *user;
    size_t skipped; /* of the key: the prefix */
};

static bool ask(struct objects *objects, enum object_operation operation, attempt *once, struct asked *asked,
                const char *name, struct store_error *error)
{
    asked->error = error;
    return key_of(objects, name, asked->key)
               ? try_twice(objects, operation, once, asked, name, error)
               : store_fail(error, STORE_MISSING, "the name of the object is too long");
}

static bool append(void *user, const void *bytes, size_t size)
{
    const struct asked *asked = user;
    return draft_append(asked->draft, bytes, size, asked->error);
}

static bool is_wanted(struct asked *asked, struct s3_failure *failure)
{
    const bool is_sound = draft_finish(asked->draft, asked->error) &&
                          (!asked->hash || !memcmp(asked->hash, &asked->draft->hash, sizeof *asked->hash));
    failure->outcome = S3_WRONG;
    if (!is_sound)
        snprintf(failure->detail, sizeof failure->detail, "the bytes are not those of the hash");
    return is_sound;
}

static bool get_into(struct objects *objects, struct asked *asked, struct s3_failure *failure)
{
    bool done = asked->draft &&
                objects->module->get(objects->s3, asked->key, asked->most, append, asked, failure) &&
                is_wanted(asked, failure);
    if (!done) {
        draft_free(asked->draft);
        asked->draft = NULL;
    }
    return done;
}

static bool try_get(struct objects *objects, void *user, struct s3_failure *failure)
{
    struct asked *asked = user;
    *failure = (struct s3_failure){.outcome = S3_STOPPED, .detail = "the disk is full"};
    asked->draft = draft_in_folder(asked->folder, false, asked->error);
    bool done = get_into(objects, asked, failure);
    if (done || failure->outcome != S3_STOPPED)
        return done;
    asked->draft = draft_in_memory(asked->error);
    return get_into(objects, asked, failure);
}

struct draft *objects_get(struct objects *objects, const char *name, const char *folder, uint64_t most,
                          const struct blob_hash *want, struct store_error *error)
{
    struct asked asked = {.folder = folder, .most = most, .hash = want};
    ask(objects, OBJECT_GET, try_get, &asked, name, error);
    return asked.draft;
}

static bool try_put(struct objects *objects, void *user, struct s3_failure *failure)
{
    const struct asked *asked = user;
    return objects->module->put(objects->s3, asked->key, asked->bytes, asked->size, asked->hash->bytes,
                                failure);
}

bool objects_put(struct objects *objects, const char *name, const void *bytes, size_t size,
                 const struct blob_hash *hash, struct store_error *error)
{
    struct asked asked = {.bytes = bytes, .size = size, .hash = hash};
    return ask(objects, OBJECT_PUT, try_put, &asked, name, error);
}

static bool try_remove(struct objects *objects, void *user, struct s3_failure *failure)
{
    const struct asked *asked = user;
    return objects->module->remove(objects->s3, asked->key, failure);
}

bool objects_remove(struct objects *objects, const char *name, struct store_error *error)
{
    struct asked asked = {0};
    return ask(objects, OBJECT_DELETE, try_remove, &asked, name, error);
}

static bool try_head(struct objects *objects, void *user, struct s3_failure *failure)
{
    struct asked *asked = user;
    return objects->module->head(objects->s3, asked->key, &asked->found, failure);
}

bool objects_head(struct objects *objects, const char *name, struct s3_object *found,
                  struct store_error *error)
{
    struct asked asked = {0};
    bool done = ask(objects, OBJECT_HEAD, try_head, &asked, name, error);
    *found = asked.found;
    return done;
}

static bool visit_key(void *user, const struct s3_object *object)
{
    const struct asked *asked = user;
    struct s3_object named = *object;
    named.key += asked->skipped;
    return asked->visit(asked->user, &named);
}

static bool try_list(struct objects *objects, void *user, struct s3_failure *failure)
{
    struct asked *asked = user;
    return objects->module->list(objects->s3, asked->key, visit_key, asked, failure);
}

/* Once: what has been visited would be visited again. */
bool objects_list(struct objects *objects, const char *folder, s3_visit *visit, void *user,
                  struct store_error *error)
{
    struct asked asked = {.visit = visit, .user = user, .skipped = strlen(objects->prefix) + strlen(folder)};
    struct s3_failure failure;
    const uint64_t from = clock_us();
    if (!key_of(objects, folder, asked.key))
        return store_fail(error, STORE_AWAY, "the prefix is too long");
    bool done = try_list(objects, &asked, &failure);
    object_metrics_record(&objects->metrics, OBJECT_LIST, done, (clock_us() - from) * 1000);
    if (!done)
        tell(objects, &failure, folder, error);
    return done;
}

bool objects_reach(struct objects *objects, struct store_error *error)
{
    struct s3_failure failure;
    if (objects->module->reach(objects->s3, &failure))
        return true;
    tell(objects, &failure, "bucket", error);
    return false;
}

/* ----------------------------------------------------------------------------------------------- the thread -- */

static void look(struct objects *objects)
{
    struct s3_failure failure;
    const uint64_t from = clock_us();
    const bool done = objects->module->reach(objects->s3, &failure);
    object_metrics_record(&objects->metrics, OBJECT_HEAD, done, (clock_us() - from) * 1000);
    if (done)
        note_back(objects);
    else
        note_away(objects, failure.detail);
}

static void *watch(void *user)
{
    struct objects *objects = user;
    pthread_mutex_lock(&objects->lock);
    while (!objects->ends) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += AWAY_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&objects->wake, &objects->lock, &until);
        if (objects->ends)
            break;
        pthread_mutex_unlock(&objects->lock);
        const bool is_due = objects_are_away(objects) || atomic_load(&objects->failures) ||
                            clock_ms() - atomic_load(&objects->heard_ms) >= IDLE_MS;
        if (is_due)
            look(objects);
        objects->chore(objects->user);
        pthread_mutex_lock(&objects->lock);
    }
    pthread_mutex_unlock(&objects->lock);
    return NULL;
}

void objects_start(struct objects *objects, objects_chore *chore, void *user)
{
    objects->chore = chore;
    objects->user = user;
    objects->is_started = !pthread_create(&objects->thread, NULL, watch, objects);
    if (!objects->is_started)
        log_message(LOG_ERROR, "no thread watches %s", objects->shown);
}

/* ------------------------------------------------------------------------------------------------- opening -- */

static void hash_bytes(const void *bytes, size_t size, uint8_t hash[S3_HASH])
{
    const struct blob_hash made = hash_of(bytes, size);
    memcpy(hash, made.bytes, S3_HASH);
}

static struct objects *make(const struct place *place, uint64_t timeout_ms, const struct s3_module *module)
{
    const struct s3_place at = {.endpoint = place->endpoint,
                                .region = place->region,
                                .bucket = place->bucket,
                                .key_id = place->key_id,
                                .secret = place->secret,
                                .token = *place->token ? place->token : NULL,
                                .timeout_ms = timeout_ms,
                                .connections = CONNECTIONS,
                                .sha256 = hash_bytes};
    struct objects *objects = must_alloc(1, sizeof *objects);
    const size_t size = strlen(place->bucket) + strlen(place->prefix) + 8;
    objects->shown = must_alloc(size, 1);
    snprintf(objects->shown, size, "s3://%s/%s", place->bucket, place->prefix);
    objects->module = module;
    objects->prefix = strdup(place->prefix);
    objects->timeout_ms = timeout_ms;
    objects->heard_ms = clock_ms();
    pthread_mutex_init(&objects->lock, NULL);
    pthread_cond_init(&objects->wake, NULL);
    objects->s3 = module->open(&at);
    if (objects->s3 && objects->prefix)
        return objects;
    objects_close(objects);
    return NULL;
}

struct objects *objects_open(const struct object_options *options, struct store_error *error)
{
    struct place place;
    char problem[200];
    if (!place_read(&place, options, getenv, error))
        return NULL;
    const struct s3_module *module = module_symbol("posed-s3.so", S3_MODULE_SYMBOL, problem, sizeof problem);
    struct objects *objects = module ? make(&place, options->timeout_ms, module) : NULL;
    if (!module)
        store_fail(error, STORE_BROKEN, "object stores cannot be used here: %s", problem);
    else if (!objects)
        store_fail(error, STORE_BROKEN, "out of memory");
    explicit_bzero(&place, sizeof place);
    return objects;
}

void objects_close(struct objects *objects)
{
    if (!objects)
        return;
    if (objects->is_started) {
        pthread_mutex_lock(&objects->lock);
        objects->ends = true;
        pthread_cond_signal(&objects->wake);
        pthread_mutex_unlock(&objects->lock);
        pthread_join(objects->thread, NULL);
    }
    if (objects->s3)
        objects->module->close(objects->s3);
    pthread_cond_destroy(&objects->wake);
    pthread_mutex_destroy(&objects->lock);
    free(objects->prefix);
    free(objects->shown);
    free(objects);
}
