/* The main of every check program that has none. */
#include "tests/support/unit.h"

int main(void)
{
    return unit_run();
}
