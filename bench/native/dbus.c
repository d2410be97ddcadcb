/*
 * libdbus, which is C, on the messages of one workload, for comparison in the same run: each is validated whole and, with `walk`,
 * every value of its body is visited, strings by their length, arrays of numbers as one.
 * usage: dbus FILE, which holds (numbers are 32 bits, little-endian; bytes are a length and the bytes themselves)
 *   0 header | 1 walk, number of messages, and each message.
 * Prints the median time of one message in nanoseconds.
 */
#include <dbus/dbus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAMPLES 41
#define SAMPLE_NS 3e6

struct recorded {
  char *bytes;
  int length;
};

static volatile size_t sink;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static size_t walk(DBusMessageIter *iter) {
  size_t sum = 0;
  for (int type; (type = dbus_message_iter_get_arg_type(iter)) != DBUS_TYPE_INVALID; dbus_message_iter_next(iter)) {
    if (type == DBUS_TYPE_ARRAY && dbus_type_is_fixed(dbus_message_iter_get_element_type(iter))) {
      DBusMessageIter inner;
      const void *elements;
      int count;
      dbus_message_iter_recurse(iter, &inner);
      dbus_message_iter_get_fixed_array(&inner, &elements, &count);
      sum += count;
    } else if (dbus_type_is_container(type)) {
      DBusMessageIter inner;
      dbus_message_iter_recurse(iter, &inner);
      sum += walk(&inner);
    } else {
      DBusBasicValue value;
      dbus_message_iter_get_basic(iter, &value);
      int text = type == DBUS_TYPE_STRING || type == DBUS_TYPE_OBJECT_PATH || type == DBUS_TYPE_SIGNATURE;
      sum += text ? strlen(value.str) : value.u32;
    }
  }
  return sum;
}

static size_t read_message(const struct recorded *recorded, int walks) {
  DBusError error = DBUS_ERROR_INIT;
  DBusMessage *message = dbus_message_demarshal(recorded->bytes, recorded->length, &error);
  if (!message) fail(error.message);
  size_t sum = dbus_message_get_serial(message);
  const char *member = dbus_message_get_member(message);
  if (member) sum += strlen(member);
  DBusMessageIter iter;
  if (walks && dbus_message_iter_init(message, &iter)) sum += walk(&iter);
  dbus_message_unref(message);
  return sum;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static uint32_t number(FILE *file) {
  uint32_t value;
  if (fread(&value, 4, 1, file) != 1) fail("the file is too short");
  return value;
}

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file) fail("usage: dbus FILE");
  int walks = number(file);
  size_t count = number(file);
  struct recorded *messages = calloc(count, sizeof *messages);
  for (size_t i = 0; i < count; i++) {
    messages[i].length = number(file);
    messages[i].bytes = malloc(messages[i].length);
    if (fread(messages[i].bytes, messages[i].length, 1, file) != 1) fail("the file is too short");
  }

  size_t turn = 0, batch = 1;
  double samples[SAMPLES];
  for (int i = -1; i < SAMPLES; i++) {
    for (;;) {
      double start = now();
      for (size_t n = 0; n < batch; n++, turn++) sink += read_message(&messages[turn % count], walks);
      double spent = now() - start;
      if (i < 0 && spent < SAMPLE_NS) {
        batch *= 2;
        continue;
      }
      if (i >= 0) samples[i] = spent / batch;
      break;
    }
  }
  qsort(samples, SAMPLES, sizeof *samples, compare);
  printf("%.1f\n", samples[SAMPLES / 2]);
  return 0;
}
