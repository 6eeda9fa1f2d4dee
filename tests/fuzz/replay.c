/* posed-replay FILE...: gives each file to the fuzz target, once. */
#include "tests/support/corpus.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct test_file file;
        if (!test_file_read(argv[i], &file))
            return 1;
        LLVMFuzzerTestOneInput(file.data, file.size);
        test_file_free(&file);
    }
    printf("%d inputs\n", argc - 1);
    return 0;
}
