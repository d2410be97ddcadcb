/*
 * libdbus: reads messages in hexadecimal digits, one a line, and answers each with what it makes of it. Strings are shown in
 * hexadecimal digits, doubles by their bits, descriptors as `h`.
 */
#include <dbus/dbus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void hex(const char *text) {
  putchar('\'');
  for (; *text; text++) printf("%02x", (unsigned char)*text);
  putchar('\'');
}

static void show(DBusMessageIter *iter);

static void show_all(DBusMessageIter *iter) {
  for (int i = 0; dbus_message_iter_get_arg_type(iter) != DBUS_TYPE_INVALID; dbus_message_iter_next(iter), i++) {
    if (i) putchar(' ');
    show(iter);
  }
}

static void show(DBusMessageIter *iter) {
  DBusBasicValue value;
  DBusMessageIter inner;
  int type = dbus_message_iter_get_arg_type(iter);
  if (dbus_type_is_container(type)) {
    dbus_message_iter_recurse(iter, &inner);
    if (type == DBUS_TYPE_VARIANT) {
      char *signature = dbus_message_iter_get_signature(&inner);
      printf("<%s ", signature);
      dbus_free(signature);
    } else
      putchar(type == DBUS_TYPE_ARRAY ? '[' : type == DBUS_TYPE_STRUCT ? '(' : '{');
    show_all(&inner);
    putchar(type == DBUS_TYPE_VARIANT ? '>' : type == DBUS_TYPE_ARRAY ? ']' : type == DBUS_TYPE_STRUCT ? ')' : '}');
    return;
  }
  if (type == DBUS_TYPE_UNIX_FD) {
    putchar('h');
    return;
  }
  dbus_message_iter_get_basic(iter, &value);
  switch (type) {
    case DBUS_TYPE_BYTE: printf("%u", value.byt); break;
    case DBUS_TYPE_BOOLEAN: printf("%u", value.bool_val); break;
    case DBUS_TYPE_INT16: printf("%d", value.i16); break;
    case DBUS_TYPE_UINT16: printf("%u", value.u16); break;
    case DBUS_TYPE_INT32: printf("%d", value.i32); break;
    case DBUS_TYPE_UINT32: printf("%u", value.u32); break;
    case DBUS_TYPE_INT64: printf("%lld", (long long)value.i64); break;
    case DBUS_TYPE_UINT64: printf("%llu", (unsigned long long)value.u64); break;
    case DBUS_TYPE_DOUBLE:
      if (value.dbl != value.dbl) printf("nan");
      else printf("f%016llx", (unsigned long long)value.u64);
      break;
    default: hex(value.str);
  }
}

static void field(const char *text) {
  putchar(' ');
  if (text) hex(text);
  else putchar('-');
}

static void answer(const char *bytes, int length) {
  int needed = length < DBUS_MINIMUM_HEADER_SIZE ? -1 : dbus_message_demarshal_bytes_needed(bytes, length);
  DBusMessage *message = needed > 0 && needed <= length ? dbus_message_demarshal(bytes, needed, NULL) : NULL;
  if (!message) {
    puts("error");
    return;
  }
  int flags = dbus_message_get_no_reply(message) | !dbus_message_get_auto_start(message) << 1 |
              dbus_message_get_allow_interactive_authorization(message) << 2;
  printf("ok %d %d %u", dbus_message_get_type(message), flags, dbus_message_get_serial(message));
  field(dbus_message_get_path(message));
  field(dbus_message_get_interface(message));
  field(dbus_message_get_member(message));
  field(dbus_message_get_error_name(message));
  printf(" %u", dbus_message_get_reply_serial(message));
  field(dbus_message_get_destination(message));
  field(dbus_message_get_sender(message));
  printf(" %s:", dbus_message_get_signature(message));
  DBusMessageIter iter;
  if (dbus_message_iter_init(message, &iter)) {
    putchar(' ');
    show_all(&iter);
  }
  putchar('\n');
  dbus_message_unref(message);
}

int main(void) {
  static char line[4 << 20];
  static char bytes[2 << 20];
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  while (fgets(line, sizeof line, stdin)) {
    int length = (int)strcspn(line, "\n") / 2;
    for (int i = 0; i < length; i++) {
      char digits[3] = {line[2 * i], line[2 * i + 1], 0};
      bytes[i] = (char)strtoul(digits, NULL, 16);
    }
    answer(bytes, length);
    fflush(stdout);
  }
  return 0;
}
