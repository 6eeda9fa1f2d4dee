/* Every .anim of the corpus decodes, and comes back byte for byte. */
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

TEST(every_animation_comes_back)
{
    struct test_paths paths;
    if (!corpus_list("sims/tso/anim", ".anim", &paths))
        return;
    for (size_t i = 0; i < paths.count; i++) {
        struct test_file file;
        ck_assert(test_file_read(paths.items[i], &file));
        struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
        ck_assert_str_eq(document->format, "tso-anim");
        struct pose_content content = document_content(document);
        struct codec_losses losses;
        struct pose_buffer out = codec_must_encode("tso-anim", &content, &losses);
        ck_assert_str_eq(losses.codes, "");
        codec_check_bytes(paths.items[i], out.data, out.size, file.data, file.size);
        pose_buffer_free(&out);
        pose_document_free(document);
        test_file_free(&file);
    }
    ck_assert_uint_eq(paths.count, 44);
    test_paths_free(&paths);
}
