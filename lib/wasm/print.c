#include "lib/wasm/print.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Digits of the largest integer, and of the longest number in the form of %f with its sign and point. */
enum { MOST_DIGITS = 20, LONGEST_NUMBER = 64, MOST_PRECISION = 17 };
#define END_OF_FIXED 1e15

struct printing {
    char *room;
    size_t size, length; /* length: of the whole text, also where there is no room for it */
};

struct field {
    bool has_precision, is_zero_filled;
    int width, precision;
    size_t argument; /* bytes of an integer */
};

static void put(struct printing *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++, out->length++)
        if (out->length + 1 < out->size)
            out->room[out->length] = text[i];
}

static void put_field(struct printing *out, const struct field *field, const char *text, size_t length)
{
    const bool has_sign = field->is_zero_filled && *text == '-';
    put(out, text, has_sign);
    for (size_t i = length; field->width > 0 && i < (size_t)field->width; i++)
        put(out, field->is_zero_filled ? "0" : " ", 1);
    put(out, text + has_sign, length - has_sign);
}

/* Writes the digits before end; returns where they begin. */
static char *put_digits(char *end, uint64_t value, unsigned base, const char *digits)
{
    do
        *--end = digits[value % base];
    while (value /= base);
    return end;
}

static void put_integer(struct printing *out, const struct field *field, uint64_t value, bool is_negative,
                        char conversion)
{
    char text[MOST_DIGITS + 1], *end = text + sizeof text;
    const bool is_hex = conversion == 'x' || conversion == 'X';
    char *begin =
        put_digits(end, value, is_hex ? 16 : 10, conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef");
    if (is_negative)
        *--begin = '-';
    put_field(out, field, begin, (size_t)(end - begin));
}

/* ------------------------------------------------------------------------------------------- numbers with a point -- */

/* Exact up to 10^22. */
static double power_of_ten(int exponent)
{
    double power = 1, square = 10;
    for (; exponent; exponent >>= 1, square *= square)
        if (exponent & 1)
            power *= square;
    return power;
}

static double times_ten(double value, int exponent)
{
    for (; exponent > 300; exponent -= 300)
        value *= 1e300;
    return exponent < 0 ? value / power_of_ten(-exponent) : value * power_of_ten(exponent);
}

/* The exponent of ten of a value that is rounded to so many digits, which are in *number. */
static int round_to(double value, int digits, uint64_t *number)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = value > 0 ? (int)floor(((int)(bits >> 52) - 1023) * 0.30103) : 0; /* or one too few */
    for (;; exponent++) {
        *number = (uint64_t)nearbyint(times_ten(value, digits - 1 - exponent));
        if ((double)*number < power_of_ten(digits))
            return exponent;
    }
}

/* number / 10^decimals; returns where the text begins. */
static char *put_fixed(char *end, uint64_t number, int decimals)
{
    char *at = end;
    for (; decimals > 0; decimals--, number /= 10)
        *--at = (char)('0' + number % 10);
    if (at != end)
        *--at = '.';
    return put_digits(at, number, 10, "0123456789");
}

static char *put_general(char *end, double value, int digits)
{
    uint64_t number;
    const int exponent = round_to(value, digits, &number);
    int decimals = digits - 1;
    for (; decimals > 0 && number % 10 == 0; decimals--)
        number /= 10;
    if (exponent >= -4 && exponent < digits) {
        for (; decimals < exponent; decimals++)
            number *= 10;
        return put_fixed(end, number, decimals - exponent);
    }
    char *at = put_digits(end, (uint64_t)(exponent < 0 ? -exponent : exponent), 10, "0123456789");
    if (end - at < 2)
        *--at = '0';
    *--at = exponent < 0 ? '-' : '+';
    *--at = 'e';
    return put_fixed(at, number, decimals);
}

static void put_number(struct printing *out, const struct field *field, double value, char conversion)
{
    char text[LONGEST_NUMBER], *end = text + sizeof text, *begin = end - 3;
    const double size = fabs(value);
    int precision = field->has_precision ? field->precision : 6;
    if (precision > MOST_PRECISION)
        precision = MOST_PRECISION;
    if (!isfinite(value))
        memcpy(begin, isnan(value) ? "nan" : "inf", 3);
    else if (conversion == 'f' && times_ten(size, precision) < END_OF_FIXED)
        begin = put_fixed(end, (uint64_t)nearbyint(times_ten(size, precision)), precision);
    else
        begin = put_general(end, size, precision ? precision : 1);
    if (signbit(value))
        *--begin = '-';
    put_field(out, field, begin, (size_t)(end - begin));
}

/* ------------------------------------------------------------------------------------------------------ the format -- */

static int read_number(const char **format)
{
    int number = 0;
    for (; **format >= '0' && **format <= '9'; ++*format)
        number = number * 10 + (**format - '0');
    return number;
}

/* Of what may stand between % and the conversion. */
static struct field read_field(const char **format, va_list *arguments)
{
    struct field field = {.argument = sizeof(int)};
    for (; **format == '0'; ++*format)
        field.is_zero_filled = true;
    if (**format == '*') {
        field.width = va_arg(*arguments, int);
        ++*format;
    } else {
        field.width = read_number(format);
    }
    if (**format == '.') {
        const bool is_given = *++*format == '*';
        field.precision = is_given ? va_arg(*arguments, int) : read_number(format);
        *format += is_given;
        field.has_precision = field.precision >= 0;
    }
    unsigned longs = 0;
    for (; **format && strchr("hlzjt", **format); ++*format) {
        longs += **format == 'l' ? 1 : **format == 'j' ? 2 : 0;
        field.argument = longs > 1                            ? sizeof(long long)
                         : longs                              ? sizeof(long)
                         : **format == 'z' || **format == 't' ? sizeof(size_t)
                                                              : sizeof(int);
    }
    return field;
}

static void put_text(struct printing *out, struct field *field, const char *text)
{
    const bool is_bounded = field->has_precision;
    text = text ? text : "(null)";
    field->is_zero_filled = false;
    put_field(out, field, text, is_bounded ? strnlen(text, (size_t)field->precision) : strlen(text));
}

static void put_conversion(struct printing *out, struct field *field, char conversion, va_list *arguments)
{
    const bool is_wide = field->argument == sizeof(long long);
    if (conversion == 's') {
        put_text(out, field, va_arg(*arguments, const char *));
    } else if (conversion == 'c') {
        const char one = (char)va_arg(*arguments, int);
        put_field(out, field, &one, 1);
    } else if (conversion == 'f' || conversion == 'g') {
        put_number(out, field, va_arg(*arguments, double), conversion);
    } else if (conversion == 'd' || conversion == 'i') {
        const int64_t value = is_wide ? va_arg(*arguments, long long) : va_arg(*arguments, int);
        put_integer(out, field, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0, conversion);
    } else {
        put_integer(out, field,
                    is_wide ? va_arg(*arguments, unsigned long long) : va_arg(*arguments, unsigned), false,
                    conversion);
    }
}

int local_vsnprintf(char *room, size_t size, const char *format, va_list given)
{
    struct printing out = {room, size, 0};
    va_list arguments;
    va_copy(arguments, given);
    while (*format) {
        const size_t plain = strcspn(format, "%");
        put(&out, format, plain);
        format += plain;
        if (!*format)
            break;
        format++;
        struct field field = read_field(&format, &arguments);
        if (!*format)
            break;
        if (*format == '%')
            put(&out, "%", 1);
        else
            put_conversion(&out, &field, *format, &arguments);
        format++;
    }
    va_end(arguments);
    if (size)
        room[out.length < size ? out.length : size - 1] = 0;
    return (int)out.length;
}

#ifdef __wasm__
/* In place of the C library's. */
int vsnprintf(char *restrict room, size_t size, const char *restrict format, va_list arguments)
{
    return local_vsnprintf(room, size, format, arguments);
}

int snprintf(char *restrict room, size_t size, const char *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = local_vsnprintf(room, size, format, arguments);
    va_end(arguments);
    return length;
}

/* Nobody would see it. */
int fprintf(FILE *restrict file, const char *restrict format, ...)
{
    (void)file, (void)format;
    return 0;
}
#endif
