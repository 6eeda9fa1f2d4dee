/* There is no libarchive in a page: of containers only ZIPs with a directory are read there. */
#include "lib/formats/zip/libarchive.h"

#include "lib/core/error.h"

struct libarchive libarchive;

bool libarchive_open(struct pose_error *error)
{
    return error_set(error, POSE_UNSUPPORTED, "unsupported_container",
                     "TAR, 7z, RAR and the like are not opened in a page; a server reads them");
}
