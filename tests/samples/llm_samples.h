/* A part of an avatar's body, and a level of detail of it. */
#ifndef TESTS_SAMPLES_LLM_SAMPLES_H
#define TESTS_SAMPLES_LLM_SAMPLES_H

#include <stdbool.h>

/* Writes root/sl-llm/NAME for both. */
bool write_llm_samples(const char *root);

#endif
