/* Archives that belong to no game: ZIP, TAR, 7z, RAR. */
#include "lib/formats/family.h"

extern const struct archive_type zip_archive;

/* clang-format off */
static const struct archive_type *const archives[] = {
    &zip_archive,
    NULL,
};
/* clang-format on */

const struct family family_zip = {
    .id = "zip",
    .title = "ZIP and its like",
    .archives = archives,
};
