/*
 * posed-golden [--update] PATH...: the text (dump.c) of each file, those of folders too, against the committed
 * tests/golden/FORMAT/NAME.txt.
 * --update rewrites them. Numbers may differ by what another order of additions makes; everything else is literal.
 * posed-golden --coverage: every format that can be read has at least one.
 */
#include "tests/golden/dump.h"
#include "tests/support/companions.h"
#include "tests/support/exercise/exercise.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char golden_folder[] = POSED_SOURCE_DIR "/tests/golden";
static const double TOLERANCE = 3e-5;

/* ------------------------------------------------------------------------------------------- comparison -- */

static bool starts_number(const char *text)
{
    return isdigit((unsigned char)*text) || (*text == '-' && isdigit((unsigned char)text[1]));
}

/* Walks over both lines; numbers with a decimal point by value, all else character by character. */
static bool lines_agree(const char *a, const char *b)
{
    while (*a && *b) {
        if (starts_number(a) && starts_number(b)) {
            char *end_a, *end_b;
            double x = strtod(a, &end_a), y = strtod(b, &end_b);
            if (fabs(x - y) > TOLERANCE * fmax(1, fabs(x)))
                return false;
            a = end_a;
            b = end_b;
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return !*a && !*b;
}

/* The next line, NULL at the end; cuts it off in place. */
static char *next_line(char **text)
{
    if (!**text)
        return NULL;
    char *line = *text, *end = strchr(line, '\n');
    *text = end ? end + 1 : line + strlen(line);
    if (end)
        *end = '\0';
    return line;
}

static bool texts_agree(const char *name, char *expected, char *found)
{
    for (unsigned number = 1;; number++) {
        char *want = next_line(&expected), *got = next_line(&found);
        if (!want && !got)
            return true;
        if (want && got && lines_agree(want, got))
            continue;
        fprintf(stderr, "%s:%u:\n- %s\n+ %s\n(./dev golden rewrites the texts)\n", name, number,
                want ? want : "(nothing)", got ? got : "(nothing)");
        return false;
    }
}

/* ------------------------------------------------------------------------------------------------- files -- */

static char *text_of(const struct test_file *file, const char **format)
{
    struct companions companions = {.path = file->path};
    struct pose_source source = {.name = test_base_name(file->path),
                                 .bytes = {file->data, file->size},
                                 .find = companions_find,
                                 .user = &companions};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    dump_file(out, &source);
    fclose(out);
    *format = exact_format(&source);
    companions_free(&companions);
    return text;
}

static bool write_text(const char *folder, const char *path, const char *text)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        perror(folder);
        return false;
    }
    FILE *out = fopen(path, "w");
    bool done = out && fputs(text, out) >= 0;
    if (!out || fclose(out) != 0 || !done) {
        perror(path);
        return false;
    }
    return true;
}

static bool check_file(const char *path, bool update)
{
    struct test_file file, expected;
    if (!test_file_read(path, &file))
        return false;
    const char *format;
    char *text = text_of(&file, &format), folder[4096], golden[4352];
    snprintf(folder, sizeof folder, "%s/%s", golden_folder, format ? format : "unknown");
    snprintf(golden, sizeof golden, "%s/%s.txt", folder, test_base_name(path));
    bool agree;
    if (update) {
        agree = write_text(folder, golden, text);
    } else if ((agree = test_file_read(golden, &expected))) {
        char *want = strndup((const char *)expected.data, expected.size);
        agree = want && texts_agree(golden, want, text);
        free(want);
        test_file_free(&expected);
    }
    free(text);
    test_file_free(&file);
    return agree;
}

/* ---------------------------------------------------------------------------------------------- coverage -- */

static bool has_golden(const char *id)
{
    char folder[4096];
    struct stat status;
    struct test_paths paths = {0};
    snprintf(folder, sizeof folder, "%s/%s", golden_folder, id);
    bool found = stat(folder, &status) == 0 && test_paths_list(folder, ".txt", &paths) && paths.count > 0;
    test_paths_free(&paths);
    return found;
}

/* folder and file are what the daemon makes of the file system, not formats of bytes. */
static bool is_of_bytes(const struct pose_format *format)
{
    return format->can_read && strcmp(format->id, "folder") && strcmp(format->id, "file");
}

static bool check_coverage(void)
{
    bool covered = true;
    for (const struct pose_format *format = pose_formats(); format->id; format++) {
        if (is_of_bytes(format) && !has_golden(format->id)) {
            fprintf(stderr, "no sample of %s has a golden text\n", format->id);
            covered = false;
        }
    }
    return covered;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--coverage"))
        return check_coverage() ? EXIT_SUCCESS : EXIT_FAILURE;
    bool update = argc > 1 && !strcmp(argv[1], "--update");
    if (argc < 2 + update) {
        fprintf(stderr, "usage: posed-golden [--update] PATH... | --coverage\n");
        return 2;
    }
    bool agree = true;
    for (int i = 1 + update; i < argc; i++) {
        struct test_paths paths;
        agree &= test_paths_walk(argv[i], &paths);
        for (size_t k = 0; k < paths.count; k++)
            agree &= check_file(paths.items[k], update);
        test_paths_free(&paths);
    }
    return agree ? EXIT_SUCCESS : EXIT_FAILURE;
}
