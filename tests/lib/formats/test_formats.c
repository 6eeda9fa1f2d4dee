/* The public list of formats against the two tables that it is made of. */
#include "lib/formats/table.h"
#include "tests/support/unit.h"

#include <string.h>

TEST(every_codec_and_archive_type_is_listed)
{
    const struct pose_format *format = pose_formats();
    for (const struct codec *const *codec = codecs; *codec; codec++, format++) {
        ck_assert_str_eq(format->id, (*codec)->format.id);
        ck_assert_int_eq(format->can_read, (*codec)->decode != NULL);
        ck_assert_int_eq(format->can_write, (*codec)->encode != NULL);
    }
    for (const struct archive_type *const *type = archive_types; *type; type++) {
        for (const struct pose_format *row = (*type)->formats; row->id; row++, format++) {
            ck_assert_str_eq(format->id, row->id);
            ck_assert_str_eq(format->kinds, "archive");
            ck_assert(!format->can_write || (*type)->pack);
        }
    }
    ck_assert_ptr_null(format->id);
}

TEST(every_row_says_what_it_is)
{
    for (const struct pose_format *format = pose_formats(); format->id; format++) {
        ck_assert_ptr_eq(pose_format_find(format->id), format); /* so no id comes twice */
        ck_assert_msg(format->title && *format->title, "%s has no title", format->id);
        ck_assert_msg(format->media_type && strchr(format->media_type, '/'), "%s has no type", format->id);
        ck_assert_msg(format->kinds && *format->kinds, "%s has no kinds", format->id);
        ck_assert_msg(format->extensions, "%s has no extensions", format->id);
        ck_assert_msg(!*format->extensions || *format->extensions == '.', "%s: \"%s\"", format->id,
                      format->extensions);
    }
    ck_assert_ptr_null(pose_format_find("no such format"));
}
