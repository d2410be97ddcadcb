// nghttp2 in C as a contender (Debian: libnghttp2-dev), timed on the same connections between the others' rounds and their memory.
import { counted, measured, number } from './program.mjs'

const text = (string) => counted(Buffer.from(string, 'latin1'))

const encodings = {
  decode: (blocks) => [number(blocks.length), ...blocks.flatMap(counted)],
  encode: (lists) => [
    number(lists.length),
    ...lists.flatMap((list) => [
      number(list.length),
      ...list.flatMap(([name, value]) => [...text(name), ...text(value)]),
    ]),
  ],
}

export const nghttp2 = {
  name: 'nghttp2-c',
  library: 'libnghttp2',
  operations: Object.keys(encodings),
  /** Nanoseconds of one connection, the median; throws where the program cannot be made or run. */
  time(operation, inputs) {
    const kind = operation === 'decode' ? 0 : 1
    const bytes = Buffer.concat([number(kind), number(inputs.length), ...inputs.flatMap(encodings[operation])])
    return measured('hpack', ['-lnghttp2'], bytes)
  },
}
