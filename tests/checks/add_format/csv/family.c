/* A toy: a clip as comma-separated values. tests/checks/add_format.sh adds it to a copy of the tree. */
#include "lib/formats/family.h"

extern const struct codec codec_csv;

static const struct codec *const codecs[] = {&codec_csv, NULL};

const struct family family_csv = {.id = "csv", .title = "Toy CSV", .codecs = codecs};
