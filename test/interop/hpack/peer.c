/*
 * nghttp2's HPACK coder, led by lines: one connection, both directions. Answers every line with one line.
 *   reset                  a new connection
 *   settings SIZE          the acknowledged SETTINGS_HEADER_TABLE_SIZE, for both coders
 *   decode HEX             → name:value:never in hexadecimal digits, separated by blanks; or an error
 *   encode NAME:VALUE:NEVER …  → the block in hexadecimal digits
 */
#include <nghttp2/nghttp2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FIELDS 4096
#define MAX_BLOCK (1 << 20)

static nghttp2_hd_inflater *inflater;
static nghttp2_hd_deflater *deflater;

static void reset(void) {
  if (inflater) nghttp2_hd_inflate_del(inflater);
  if (deflater) nghttp2_hd_deflate_del(deflater);
  if (nghttp2_hd_inflate_new(&inflater) != 0 || nghttp2_hd_deflate_new(&deflater, 1 << 20) != 0) exit(1);
  nghttp2_hd_deflate_change_table_size(deflater, 4096);
}

static size_t unhex(const char *text, size_t length, uint8_t *out) {
  for (size_t i = 0; i + 1 < length; i += 2) {
    char digits[3] = {text[i], text[i + 1], 0};
    out[i / 2] = (uint8_t)strtoul(digits, NULL, 16);
  }
  return length / 2;
}

static void hex(const uint8_t *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) printf("%02x", bytes[i]);
}

static void decode(const char *text) {
  static uint8_t block[MAX_BLOCK];
  const uint8_t *rest = block;
  size_t left = unhex(text, strlen(text), block);
  printf("ok");
  for (;;) {
    nghttp2_nv field;
    int flags = 0;
    ssize_t read = nghttp2_hd_inflate_hd2(inflater, &field, &flags, rest, left, 1);
    if (read < 0) {
      printf(" error\n");
      return;
    }
    rest += read;
    left -= read;
    if (flags & NGHTTP2_HD_INFLATE_EMIT) {
      printf(" ");
      hex(field.name, field.namelen);
      printf(":");
      hex(field.value, field.valuelen);
      printf(":%d", (field.flags & NGHTTP2_NV_FLAG_NO_INDEX) != 0);
    }
    if (flags & NGHTTP2_HD_INFLATE_FINAL) break;
  }
  nghttp2_hd_inflate_end_headers(inflater);
  printf("\n");
}

static void encode(char *text) {
  static nghttp2_nv fields[MAX_FIELDS];
  static uint8_t block[MAX_BLOCK], strings[MAX_BLOCK];
  uint8_t *at = strings;
  size_t count = 0;
  for (char *item = strtok(text, " "); item && count < MAX_FIELDS; item = strtok(NULL, " "), count++) {
    char *value = strchr(item, ':') + 1;
    char *never = strchr(value, ':') + 1;
    nghttp2_nv *field = &fields[count];
    field->name = at;
    at += field->namelen = unhex(item, value - 1 - item, at);
    field->value = at;
    at += field->valuelen = unhex(value, never - 1 - value, at);
    field->flags = *never == '1' ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE;
  }
  ssize_t length = nghttp2_hd_deflate_hd(deflater, block, sizeof block, fields, count);
  if (length < 0) {
    printf("error\n");
    return;
  }
  printf("ok ");
  hex(block, length);
  printf("\n");
}

int main(void) {
  static char line[4 * MAX_BLOCK];
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  reset();
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "decode ", 7) == 0) decode(line + 7);
    else if (strncmp(line, "encode", 6) == 0) encode(line + 6);
    else if (strncmp(line, "settings ", 9) == 0) {
      size_t size = strtoul(line + 9, NULL, 10);
      nghttp2_hd_inflate_change_table_size(inflater, size);
      nghttp2_hd_deflate_change_table_size(deflater, size);
      printf("ok\n");
    } else {
      reset();
      printf("ok\n");
    }
    fflush(stdout);
  }
  return 0;
}
