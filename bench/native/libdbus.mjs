// libdbus in C as a contender (Debian: libdbus-1-dev), timed on the same messages between the others' rounds and their memory.
// It has no way to leave a body unchecked: its header row costs as much as the whole message.
import { counted, measured, number, run } from './program.mjs'

export const libdbus = {
  name: 'libdbus-c',
  library: 'dbus-1',
  operations: ['read', 'readExact', 'readHeader'],
  /** Nanoseconds of one message, the median; throws where the program cannot be made or run. */
  time(operation, inputs) {
    const walks = operation === 'readHeader' ? 0 : 1
    const messages = inputs.flatMap(({ bytes }) => counted(bytes))
    const flags = run('pkg-config', ['--cflags', '--libs', 'dbus-1']).trim().split(/\s+/)
    return measured('dbus', flags, Buffer.concat([number(walks), number(inputs.length), ...messages]))
  },
}
