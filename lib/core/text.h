/* Text of files: encodings, comparison without locale, numbers. */
#ifndef POSE_CORE_TEXT_H
#define POSE_CORE_TEXT_H

#include "lib/core/arena.h"
#include "lib/core/utf8.h"

/* Windows-1252 bytes as UTF-8, in the arena; a NUL byte ends the text. The five bytes it leaves undefined become the
 * C1 controls of the same number, so that the way back is exact. */
char *text_from_windows1252(struct arena *arena, const uint8_t *bytes, size_t length);
/* The way back: at most capacity bytes; -1 when a character is not in Windows-1252 or there is no room. */
int64_t text_to_windows1252(const char *text, uint8_t *bytes, size_t capacity);

/* Bytes that should be UTF-8, in the arena; each byte of what is not becomes U+FFFD. A NUL byte ends the text. */
char *text_from_utf8(struct arena *arena, const uint8_t *bytes, size_t length);
/* Bytes that ought to be UTF-8, as text in the arena; where they are not, as Windows-1252. *is_utf8 says which it was. A
 * NUL byte ends the text. NULL when memory is out. */
char *text_from_bytes(struct arena *arena, const char *bytes, size_t length, bool *is_utf8);

/* ASCII letters without case; other bytes as they are. */
char text_lower(char c);
int text_compare_nocase(const char *a, const char *b);
bool text_equal_nocase(const char *a, const char *b);
bool text_ends_with_nocase(const char *text, const char *end);

/* Whether a text is one of a list that ends with NULL; either may be NULL. */
bool text_is_among(const char *text, const char *const *list);

/* Whether a blank-separated list (NULL: an empty one) holds the word. */
bool text_lists(const char *list, const char *word);

/* The part after the last '/' or '\\'. */
const char *text_base_name(const char *path);
/* Its length without the extension (from the last dot; a leading dot is no extension). */
size_t text_stem_length(const char *base_name);

/* The words of a text that blanks, tabs and line ends separate, as copies: a list that ends with NULL. An empty list is
 * NULL. False when memory is out. */
bool text_split(struct arena *arena, const char *text, const char *const **words);

/* True when the name's extension is among a blank-separated list such as ".anim .animatn". */
bool text_has_extension(const char *name, const char *extensions);

#endif
