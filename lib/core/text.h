/* Text in files: encodings, and comparison independent of the locale. */
#ifndef POSE_CORE_TEXT_H
#define POSE_CORE_TEXT_H

#include "lib/core/arena.h"
#include "lib/core/utf8.h"

/* Converts Windows-1252 to UTF-8, in the arena; a NUL byte ends the text. The five undefined bytes become the C1
 * controls of the same value, so that converting back is exact. */
char *text_from_windows1252(struct arena *arena, const uint8_t *bytes, size_t length);
/* Converts back: writes at most capacity bytes and returns their number; -1 if a character has no encoding or
 * does not fit. */
int64_t text_to_windows1252(const char *text, uint8_t *bytes, size_t capacity);

/* Copies UTF-8 into the arena; each invalid byte becomes U+FFFD. A NUL byte ends the text. */
char *text_from_utf8(struct arena *arena, const uint8_t *bytes, size_t length);
/* Copies UTF-8 into the arena; bytes that are not valid UTF-8 are read as Windows-1252. *is_utf8 says which it
 * was. A NUL byte ends the text. Returns NULL if out of memory. */
char *text_from_bytes(struct arena *arena, const char *bytes, size_t length, bool *is_utf8);

/* Case-insensitive for ASCII letters only. */
char text_lower(char c);
int text_compare_nocase(const char *a, const char *b);
bool text_equal_nocase(const char *a, const char *b);
/* Whether a part of the text (NULL: empty) is the word, which is in lower case. */
bool text_has_nocase(const char *text, const char *word);
bool text_ends_with_nocase(const char *text, const char *end);

/* Whether a text is in a NULL-terminated list; either may be NULL. */
bool text_is_among(const char *text, const char *const *list);

/* Whether a blank-separated list (NULL: empty) contains the word. */
bool text_lists(const char *list, const char *word);

/* The part after the last '/' or '\\'. */
const char *text_base_name(const char *path);
/* Its length without the extension (from the last dot; a leading dot does not count). */
size_t text_stem_length(const char *base_name);
/* Compares two paths without folder, extension and case. */
bool text_same_stem(const char *a, const char *b);

/* Copies the words of a text, separated by blanks, tabs and line ends, to a NULL-terminated list. An empty list
 * is NULL. Returns false if out of memory. */
bool text_split(struct arena *arena, const char *text, const char *const **words);

/* True if the name's extension is in a blank-separated list such as ".anim .animatn". */
bool text_has_extension(const char *name, const char *extensions);

#endif
