#include "server/commands/report.h"

#include "server/commands/commands.h"

#include <stdio.h>

/* Appends an item to a list; a list that memory does not suffice for stays as it is. */
static void add_item(struct pose_buffer *list, const struct pose_buffer *item)
{
    struct writer to;
    struct pose_error error;
    if (!item->size)
        return;
    writer_init(&to, list, &error);
    if (list->size)
        writer_bytes(&to, ",", 1);
    writer_bytes(&to, item->data, item->size);
}

void report_made(struct report *report, struct pose_buffer *described)
{
    report->made++;
    add_item(&report->files, described);
    pose_buffer_free(described);
}

void report_warnings(const struct report *report, const char *file, const struct warnings *warnings)
{
    for (uint32_t i = 0; i < warnings->count && !report->json && !report->quiet; i++)
        command_failed(file, "%s: %s (%s)", warnings->items[i].severity == POSE_WARNING ? "warning" : "note",
                       warnings->items[i].message, warnings->items[i].code);
}

static void tell_error(struct report *report, const char *file, const struct pose_error *error,
                       const char *detail)
{
    struct pose_buffer text = {0};
    struct json_writer json;
    if (!report->json && error)
        command_broken(file, error);
    else if (!report->json)
        command_failed(file, "%s", detail);
    if (!report->json)
        return;
    jsonw_init(&json, &text);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "file", file);
    if (error)
        jsonw_error_members(&json, error);
    else
        jsonw_line(&json, "detail", detail);
    jsonw_end(&json);
    add_item(&report->errors, &text);
    pose_buffer_free(&text);
}

void report_failed(struct report *report, const char *file, const struct pose_error *error,
                   const char *detail)
{
    report->failed++;
    tell_error(report, file, error, detail);
}

void report_skipped(struct report *report, const char *file, const struct pose_error *error)
{
    tell_error(report, file, error, NULL);
}

static void print_list(const char *key, const struct pose_buffer *items)
{
    printf(",\"%s\":[", key);
    if (items->size)
        fwrite(items->data, 1, items->size, stdout);
    putchar(']');
}

static void print_document(const struct report *report)
{
    printf("{\"made\":%zu,\"failed\":%zu", report->made, report->failed);
    print_list("files", &report->files);
    print_list("errors", &report->errors);
    fputs("}\n", stdout);
}

int report_end(struct report *report, bool with_counts)
{
    if (report->json)
        print_document(report);
    else if (with_counts && report->failed)
        printf("%zu converted, %zu failed\n", report->made, report->failed);
    else if (with_counts && !report->quiet)
        printf("%zu converted\n", report->made);
    pose_buffer_free(&report->files);
    pose_buffer_free(&report->errors);
    int status = command_finish();
    return report->failed ? COMMAND_BAD_INPUT : status;
}
