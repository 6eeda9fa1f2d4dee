#include "server/access/tokens.h"

#include "lib/core/numbers/numbers.h"
#include "server/ops/options.h"

#include <errno.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 1 << 20 };

typedef unsigned char digest[SHA256_DIGEST_SIZE];

/* A line of the file. */
struct token {
    digest digest;
    struct grant grant;
};

struct tokens {
    char *path;
    pthread_rwlock_t lock; /* guards the following members */
    struct token *items;
    size_t count, capacity;
};

struct token_line {
    const char *path;
    unsigned number;
    char *error;
    size_t error_size;
};

static bool refuse(const struct token_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const struct token_line *line, const char *format, ...)
{
    va_list arguments;
    int used = snprintf(line->error, line->error_size, "%s: line %u: ", line->path, line->number);
    va_start(arguments, format);
    if (used > 0 && (size_t)used < line->error_size)
        vsnprintf(line->error + used, line->error_size - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

/* The whole file, NUL-terminated; NULL with errno. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(MAX_FILE + 1) : NULL;
    if (text) {
        *size = fread(text, 1, MAX_FILE + 1, file);
        if (ferror(file) || *size > MAX_FILE) {
            int problem = ferror(file) ? errno : EFBIG;
            free(text);
            text = NULL;
            errno = problem;
        } else {
            text[*size] = '\0';
        }
    }
    if (file) {
        int problem = errno;
        fclose(file);
        errno = problem;
    }
    return text;
}

/* Visible ASCII, as allowed in a header. */
static bool is_token(const char *text)
{
    size_t length = 0;
    while (text[length] > ' ' && text[length] < 0x7f)
        length++;
    return length && !text[length];
}

/* ---------------------------------------------------------------------------------------- what it permits -- */

static bool take_name(const struct token_line *line, const char *value, struct grant *grant)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@+-";
    const size_t length = strlen(value);
    if (!length || length >= sizeof grant->name || strspn(value, allowed) != length)
        return refuse(line, "name=%.70s: a name is at most %d letters, digits and ._@+-", value,
                      TOKEN_NAME - 1);
    memcpy(grant->name, value, length + 1);
    return true;
}

static bool take_scopes(const struct token_line *line, char *value, struct grant *grant)
{
    static const struct {
        const char *word;
        unsigned scopes;
    } words[] = {{"upload", SCOPE_UPLOAD},
                 {"delete:own", SCOPE_DELETE_OWN},
                 {"delete", SCOPE_DELETE | SCOPE_DELETE_OWN},
                 {"admin", SCOPES_ALL}};
    char *rest = NULL;
    grant->scopes = 0;
    for (char *word = strtok_r(value, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        size_t i = 0;
        while (i < sizeof words / sizeof *words && strcmp(words[i].word, word) != 0)
            i++;
        if (i == sizeof words / sizeof *words)
            return refuse(line, "scopes=%.40s is not one of upload, delete:own, delete, admin", word);
        grant->scopes |= words[i].scopes;
    }
    return grant->scopes || refuse(line, "scopes= names none of upload, delete:own, delete, admin");
}

static bool take_ttl(const struct token_line *line, const char *value, struct grant *grant)
{
    enum { MAX_DAYS = 36500, DAY_MS = 86400000 };
    float days;
    if (!number_parse_float(value, strlen(value), &days) || !(days > 0) || days > MAX_DAYS)
        return refuse(line, "ttl=%.40s: it is a number of days, above 0 and at most %d", value, MAX_DAYS);
    grant->ttl_ms = (int64_t)((double)days * DAY_MS) + 1;
    return true;
}

/* Takes "key=value". */
static bool take_word(const struct token_line *line, char *word, struct grant *grant)
{
    char *value = strchr(word, '=');
    if (!value)
        return refuse(line,
                      "a token is visible ASCII without spaces; name=, scopes=, quota= or ttl= may follow");
    *value++ = '\0';
    if (!strcmp(word, "name"))
        return take_name(line, value, grant);
    if (!strcmp(word, "scopes"))
        return take_scopes(line, value, grant);
    if (!strcmp(word, "ttl"))
        return take_ttl(line, value, grant);
    if (strcmp(word, "quota") != 0)
        return refuse(line, "%.40s= is not one of name=, scopes=, quota=, ttl=", word);
    return (option_size(value, &grant->quota) && grant->quota) ||
           refuse(line, "quota=%.40s: it is a size such as 512K, 64M or 2G", value);
}

static bool check_grant(const struct token_line *line, const struct grant *grant)
{
    const bool own = (grant->scopes & (SCOPE_DELETE | SCOPE_DELETE_OWN)) == SCOPE_DELETE_OWN;
    if (grant->name[0] || (!own && !grant->quota))
        return true;
    return refuse(line, "%s needs name=: uploads are counted by the name", own ? "delete:own" : "quota=");
}

/* ------------------------------------------------------------------------------------------------- the file -- */

static void hash_token(const char *token, digest out)
{
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, strlen(token), (const uint8_t *)token);
    sha256_digest(&context, sizeof(digest), out);
}

static bool add(struct tokens *set, const char *text, const struct grant *grant)
{
    if (set->count == set->capacity) {
        const size_t capacity = set->capacity ? set->capacity * 2 : 16;
        struct token *larger = reallocarray(set->items, capacity, sizeof *larger);
        if (!larger)
            return false;
        set->items = larger;
        set->capacity = capacity;
    }
    struct token *token = &set->items[set->count++];
    token->grant = *grant;
    hash_token(text, token->digest);
    return true;
}

static bool parse_line(struct tokens *set, const struct token_line *line, char *text)
{
    static const char blanks[] = " \t\r";
    char *rest = NULL, *token = strtok_r(text, blanks, &rest);
    struct grant grant = {.scopes = SCOPES_DEFAULT};
    if (!token || *token == '#')
        return true;
    if (!is_token(token))
        return refuse(line, "a token is visible ASCII without spaces");
    for (char *word = strtok_r(NULL, blanks, &rest); word; word = strtok_r(NULL, blanks, &rest)) {
        if (!take_word(line, word, &grant))
            return false;
    }
    return check_grant(line, &grant) && (add(set, token, &grant) || refuse(line, "out of memory"));
}

/* Fills in the items of a zeroed set. */
static bool parse(struct tokens *set, char *text, size_t size, const char *path, char *error,
                  size_t error_size)
{
    struct token_line line = {.path = path, .error = error, .error_size = error_size};
    if (strlen(text) != size) {
        snprintf(error, error_size, "%s: a token cannot contain NUL", path);
        return false;
    }
    for (char *next = text; next;) {
        char *at = next;
        next = strchr(at, '\n');
        if (next)
            *next++ = '\0';
        line.number++;
        if (!parse_line(set, &line, at))
            return false;
    }
    return true;
}

bool tokens_reload(struct tokens *tokens, char *error, size_t error_size)
{
    struct tokens fresh = {0};
    size_t size = 0;
    char *text = read_file(tokens->path, &size);
    if (!text) {
        snprintf(error, error_size, "%s: %s", tokens->path, strerror(errno));
        return false;
    }
    bool parsed = parse(&fresh, text, size, tokens->path, error, error_size);
    explicit_bzero(text, size);
    free(text);
    if (!parsed) {
        free(fresh.items);
        return false;
    }
    pthread_rwlock_wrlock(&tokens->lock);
    struct token *old = tokens->items;
    tokens->items = fresh.items;
    tokens->count = fresh.count;
    pthread_rwlock_unlock(&tokens->lock);
    free(old);
    return true;
}

struct tokens *tokens_open(const char *path, char *error, size_t error_size)
{
    struct tokens *tokens = calloc(1, sizeof *tokens);
    if (!tokens || !(tokens->path = strdup(path))) {
        snprintf(error, error_size, "%s: out of memory", path);
        free(tokens);
        return NULL;
    }
    pthread_rwlock_init(&tokens->lock, NULL);
    if (!tokens_reload(tokens, error, error_size)) {
        tokens_close(tokens);
        return NULL;
    }
    return tokens;
}

void tokens_close(struct tokens *tokens)
{
    if (!tokens)
        return;
    pthread_rwlock_destroy(&tokens->lock);
    free(tokens->items);
    free(tokens->path);
    free(tokens);
}

/* Compares every digest completely, whichever matches (constant time). */
bool tokens_find(struct tokens *tokens, const char *token, struct grant *grant)
{
    digest given;
    bool found = false;
    hash_token(token, given);
    pthread_rwlock_rdlock(&tokens->lock);
    for (size_t i = 0; i < tokens->count; i++) {
        if (memeql_sec(given, tokens->items[i].digest, sizeof given)) {
            *grant = tokens->items[i].grant;
            found = true;
        }
    }
    pthread_rwlock_unlock(&tokens->lock);
    return found;
}
