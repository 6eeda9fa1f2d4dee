#include "server/ops/metrics/prometheus.h"

#include <inttypes.h>
#include <stdbool.h>

void prometheus_family(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* The format escapes only backslash, quote and line feed. */
static void write_label(FILE *out, char before, const char *name, const char *value)
{
    fprintf(out, "%c%s=\"", before, name);
    for (; *value; value++) {
        switch (*value) {
        case '\\':
            fputs("\\\\", out);
            break;
        case '"':
            fputs("\\\"", out);
            break;
        case '\n':
            fputs("\\n", out);
            break;
        default:
            fputc(*value, out);
        }
    }
    fputc('"', out);
}

/* Writes name and labels; bound is the value of a histogram's label "le", NULL for other samples. */
static void write_series(FILE *out, const char *name, const char *suffix,
                         const struct prometheus_label *labels, const char *bound)
{
    fprintf(out, "%s%s", name, suffix);
    char before = '{';
    for (; labels->name; labels++, before = ',')
        write_label(out, before, labels->name, labels->value);
    if (bound) {
        write_label(out, before, "le", bound);
        before = ',';
    }
    fputs(before == ',' ? "} " : " ", out);
}

enum { SECONDS_CAPACITY = 32 };

/* Exact and locale-independent: 50000 is "0.00005". */
static const char *seconds_text(uint64_t nanoseconds, char text[SECONDS_CAPACITY])
{
    int length = snprintf(text, SECONDS_CAPACITY, "%" PRIu64 ".%09" PRIu64, nanoseconds / 1000000000,
                          nanoseconds % 1000000000);
    char *end = text + length;
    while (end[-1] == '0')
        end--;
    if (end[-1] == '.')
        end--;
    *end = '\0';
    return text;
}

void prometheus_sample(FILE *out, const char *name, const struct prometheus_label *labels, uint64_t value)
{
    write_series(out, name, "", labels, NULL);
    fprintf(out, "%" PRIu64 "\n", value);
}

void prometheus_single(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
    prometheus_family(out, name, type, help);
    prometheus_sample(out, name, PROMETHEUS_NO_LABELS, value);
}

void prometheus_seconds(FILE *out, const char *name, const struct prometheus_label *labels,
                        uint64_t nanoseconds)
{
    char text[SECONDS_CAPACITY];
    write_series(out, name, "", labels, NULL);
    fprintf(out, "%s\n", seconds_text(nanoseconds, text));
}

void prometheus_histogram(FILE *out, const char *name, const struct prometheus_label *labels,
                          const struct prometheus_histogram *histogram)
{
    char text[SECONDS_CAPACITY];
    uint64_t count = 0;
    for (size_t i = 0; i <= histogram->bound_count; i++) {
        count += histogram->counts[i];
        bool last = i == histogram->bound_count;
        write_series(out, name, "_bucket", labels, last ? "+Inf" : seconds_text(histogram->bounds[i], text));
        fprintf(out, "%" PRIu64 "\n", count);
    }
    write_series(out, name, "_sum", labels, NULL);
    fprintf(out, "%s\n", seconds_text(histogram->sum, text));
    write_series(out, name, "_count", labels, NULL);
    fprintf(out, "%" PRIu64 "\n", count);
}
