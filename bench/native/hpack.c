/*
 * nghttp2's HPACK coder in C on the connections of one workload, for comparison in the same run.
 * usage: hpack FILE, which holds (numbers are 32 bits, little-endian; bytes are a length and the bytes themselves)
 *   0 decode | 1 encode, number of connections, and for each: number of blocks, and for each
 *   decode: the block; encode: number of fields, and name and value of each.
 * Prints the median time of one connection in nanoseconds, table and all.
 */
#include <nghttp2/nghttp2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAMPLES 41
#define SAMPLE_NS 3e6
#define OUTPUT (1 << 20)

struct block {
  uint8_t *bytes;
  size_t length;
  nghttp2_nv *fields;
};
struct connection {
  struct block *blocks;
  size_t count;
};

static uint8_t *at;
static uint8_t *output;
static volatile size_t sink;

static uint32_t number(void) {
  uint32_t value;
  memcpy(&value, at, 4);
  at += 4;
  return value;
}

static uint8_t *bytes(size_t *length) {
  uint8_t *start;
  *length = number();
  start = at;
  at += *length;
  return start;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void decode(const struct connection *connection) {
  nghttp2_hd_inflater *inflater;
  nghttp2_nv field;
  if (nghttp2_hd_inflate_new(&inflater) != 0) fail("no inflater");
  for (size_t i = 0; i < connection->count; i++) {
    const uint8_t *rest = connection->blocks[i].bytes;
    size_t left = connection->blocks[i].length;
    for (;;) {
      int flags = 0;
      ssize_t read = nghttp2_hd_inflate_hd2(inflater, &field, &flags, rest, left, 1);
      if (read < 0) fail("nghttp2 cannot decode the block");
      rest += read;
      left -= read;
      if (flags & NGHTTP2_HD_INFLATE_EMIT) sink += field.namelen + field.valuelen;
      if (flags & NGHTTP2_HD_INFLATE_FINAL) {
        nghttp2_hd_inflate_end_headers(inflater);
        break;
      }
    }
  }
  nghttp2_hd_inflate_del(inflater);
}

static void encode(const struct connection *connection) {
  nghttp2_hd_deflater *deflater;
  if (nghttp2_hd_deflate_new(&deflater, 4096) != 0) fail("no deflater");
  for (size_t i = 0; i < connection->count; i++) {
    const struct block *block = &connection->blocks[i];
    ssize_t length = nghttp2_hd_deflate_hd(deflater, output, OUTPUT, block->fields, block->length);
    if (length < 0) fail("nghttp2 cannot encode the list");
    sink += length;
  }
  nghttp2_hd_deflate_del(deflater);
}

static int order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file) fail("usage: hpack FILE");
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  at = malloc(size);
  output = malloc(OUTPUT);
  if (!at || !output || fread(at, 1, size, file) != (size_t)size) fail("cannot read the file");
  void (*run)(const struct connection *) = number() == 0 ? decode : encode;
  size_t count = number();
  struct connection *connections = calloc(count, sizeof *connections);
  for (size_t c = 0; c < count; c++) {
    connections[c].count = number();
    connections[c].blocks = calloc(connections[c].count, sizeof(struct block));
    for (size_t i = 0; i < connections[c].count; i++) {
      struct block *block = &connections[c].blocks[i];
      if (run == decode) {
        block->bytes = bytes(&block->length);
        continue;
      }
      block->length = number();
      block->fields = calloc(block->length, sizeof(nghttp2_nv));
      for (size_t f = 0; f < block->length; f++) {
        block->fields[f].name = bytes(&block->fields[f].namelen);
        block->fields[f].value = bytes(&block->fields[f].valuelen);
      }
    }
  }
  double samples[SAMPLES];
  size_t rounds = 1, next = 0;
  for (int s = -3; s < SAMPLES; s++) {
    double start = now();
    for (size_t r = 0; r < rounds; r++) {
      run(&connections[next]);
      next = (next + 1) % count;
    }
    double each = (now() - start) / rounds;
    if (s >= 0) samples[s] = each;
    else rounds = each < SAMPLE_NS ? (size_t)(SAMPLE_NS / each) + 1 : 1;
  }
  qsort(samples, SAMPLES, sizeof *samples, order);
  printf("%.1f\n", samples[SAMPLES / 2]);
  return 0;
}
