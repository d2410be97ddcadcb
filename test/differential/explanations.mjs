// Why wiretape and a peer differ, and why wiretape does as it does: what docs/disagreements.md says. An explanation has
//   id, peers
//   says            in a sentence or two
//   holds({ input, ours, theirs, code })   whether it explains a difference; `code` is that of our WireError

/** The code of the header field and its type. */
const UNIX_FDS = Buffer.from('\x09\x01u')

/** Where these stand in a verdict. */
const ERROR_NAME = 7
const REPLY_SERIAL = 8

const hexOf = (text) => Buffer.from(text).toString('hex')
const refusedByUs = ({ ours, theirs }) => ours.endsWith('error') && theirs.startsWith('ok')
const refusedByThem = ({ ours, theirs }) => ours.startsWith('ok') && theirs.endsWith('error')

/** Where both have units, as far as they go: how many of theirs stand in ours too. */
const unitsOf = (text) => text.split(' ').filter((unit) => unit.includes(':'))
const isBeginning = (some, all) => some.every((unit, i) => unit === all[i])

export const explanations = [
  {
    id: 'blank-line',
    peers: ['katcp-python'],
    says: 'A line of blanks alone is ignored, as the specification has it (section 2.1); katcp-python’s parser calls it an empty message, though its server skips such lines.',
    holds: ({ ours, theirs }) => ours === 'blank' && theirs === 'error',
  },
  {
    id: 'id-range',
    peers: ['katcp-python'],
    says: 'A message id is a whole number of 1 to 2147483647 without leading zeros (section 2.2); katcp-python takes any digits.',
    holds: (difference) => refusedByUs(difference) && /ID/.test(difference.code),
  },
  {
    id: 'three-size-updates',
    peers: ['nghttp2'],
    says: 'A block may begin with two size updates, the smallest size and the final one (RFC 7541, section 4.2); a third can mean nothing, so it is refused. nghttp2 takes any number.',
    holds: ({ ours, theirs, code }) =>
      ours.endsWith('error') &&
      code === 'WT_HPACK_TOO_MANY_UPDATES' &&
      theirs.split(' | ').length >= ours.split(' | ').length,
  },
  {
    id: 'unique-name-elements',
    peers: ['libdbus'],
    says: 'A bus name has at least two elements (section “Bus names”); libdbus lets `:` and `:a` through.',
    holds: (difference) =>
      refusedByUs(difference) &&
      /SENDER|DESTINATION/.test(difference.code) &&
      /'3a(?:(?!2e)[0-9a-f]{2})*'/.test(difference.theirs),
  },
  {
    id: 'descriptors',
    peers: ['libdbus'],
    says: 'Descriptors come beside the bytes. wiretape compares their number with UNIX_FDS where it is told it (`unixFds`); libdbus, given bytes alone, has none and refuses.',
    holds: (difference) => refusedByThem(difference) && difference.input.includes(UNIX_FDS),
  },
  {
    id: 'fields-of-other-types',
    peers: ['libdbus'],
    says: 'REPLY_SERIAL and ERROR_NAME mean something in replies and errors alone, and are ignored elsewhere as the specification has it; libdbus shows them in any message.',
    holds: ({ ours, theirs }) => {
      const mine = ours.split(' ')
      const ignored = { [ERROR_NAME]: '-', [REPLY_SERIAL]: '0' }
      const seen = theirs.split(' ').map((part, at) => (mine[at] === ignored[at] ? mine[at] : part))
      return ours.startsWith('ok') && seen.join(' ') === ours
    },
  },
  {
    id: '65th-container',
    peers: ['libdbus'],
    says: 'Containers are nested 64 deep at most (section “Valid signatures”); libdbus does not look into an array that is empty or of numbers, and so lets it be the 65th.',
    holds: (difference) => refusedByUs(difference) && difference.code === 'WT_DBUS_DEPTH',
  },
  {
    id: 'array-runs',
    peers: ['libdbus'],
    says: 'A signature opens at most 32 arrays at once (section “Valid signatures”); libdbus counts those that follow each other directly, and starts anew in a struct.',
    holds: (difference) => refusedByUs(difference) && difference.code === 'WT_DBUS_SIG_ARRAY_DEPTH',
  },
  {
    id: 'unknown-type',
    peers: ['libdbus'],
    says: 'Messages of unknown types must be ignored. A Decoder skips them; `decode`, which is asked for one message, says that it is none. libdbus hands it over.',
    holds: (difference) => refusedByUs(difference) && difference.code === 'WT_DBUS_UNKNOWN_TYPE',
  },
  {
    id: 'field-10',
    peers: ['libdbus'],
    says: 'Header fields of unknown codes are skipped; libdbus 1.14 knows code 10 by a draft and wants an object path in it.',
    holds: (difference) => refusedByThem(difference) && difference.input.includes(Buffer.of(10, 1)),
  },
  {
    id: 'utf8-at-once',
    peers: ['ws'],
    says: 'Text is refused at the first byte that no UTF-8 goes on with (RFC 6455, section 8.1, as the Autobahn testsuite asks by “strict”); ws looks when the message is whole, and until then at what comes between its fragments.',
    holds: ({ ours, theirs, code }) =>
      /UTF8/.test(code) &&
      isBeginning(unitsOf(ours), unitsOf(theirs)) &&
      !unitsOf(theirs)
        .slice(unitsOf(ours).length)
        .some((unit) => unit.startsWith('text:') || unit.startsWith('binary:')),
  },
  {
    id: 'close-at-once',
    peers: ['ws'],
    says: 'A close frame with a code that must not be sent is refused by its first two payload bytes (RFC 6455, section 7.4); ws waits for all of it.',
    holds: ({ ours, theirs, code }) => /CLOSE_CODE/.test(code) && ours === `${theirs} error 1002`.trim(),
  },
  {
    id: 'terminator',
    peers: ['hap-nodejs'],
    says: 'The terminator 03 ends a container and is no value; HAP-NodeJS gives the object that it uses for it to the reader.',
    holds: ({ theirs, code }) =>
      theirs.includes(`'${hexOf('type')}':'${hexOf('terminator')}'`) ||
      (code === 'WT_HDS_TERMINATOR' && theirs.includes(hexOf('[object Object]'))),
  },
  {
    id: 'int64',
    peers: ['hap-nodejs'],
    says: 'Integers of 64 bits beyond 2^53 are bigints; HAP-NodeJS rounds them.',
    holds: ({ input, ours, theirs }) =>
      input.includes(0x33) &&
      ours.startsWith('ok') &&
      ours.replace(/-?\d{16,}/g, (digits) => BigInt(Number(digits))) === theirs,
  },
  {
    id: 'utf8',
    peers: ['hap-nodejs'],
    says: 'Strings that are no UTF-8 are refused (`utf8: "replace"` reads them); HAP-NodeJS puts U+FFFD for what it cannot read.',
    holds: (difference) =>
      refusedByUs(difference) && /UTF8/.test(difference.code) && difference.theirs.includes('efbfbd'),
  },
  {
    id: 'inline-data',
    peers: ['hap-nodejs'],
    says: 'Tags 70 to 90 are data of up to 32 bytes; HAP-NodeJS writes them and reads `undefined`.',
    holds: ({ ours, theirs }) => ours.startsWith('ok') && theirs.includes('undefined'),
  },
  {
    id: 'prototype',
    peers: ['hap-nodejs'],
    says: 'A key `__proto__` is a key like any other; in HAP-NodeJS what stands there becomes the prototype of the object, or is lost.',
    holds: ({ input, theirs }) => input.includes('__proto__') && theirs.startsWith('ok'),
  },
  {
    id: 'depth',
    peers: ['hap-nodejs', 'HAP-python'],
    says: 'Containers are nested 32 deep at most by default; HAP-NodeJS nests as deep as its stack goes.',
    holds: (difference) => refusedByUs(difference) && difference.code === 'WT_HDS_DEPTH',
  },
  {
    id: 'references',
    peers: ['hap-nodejs'],
    says: 'References count what HAP-NodeJS counts when it writes; when it reads, it counts otherwise, and so reads its own references as other values.',
    holds: ({ input, ours, theirs, code }) =>
      input.some((byte) => byte >= 0xa0 && byte <= 0xcf) &&
      (ours.startsWith('ok') || (code === 'WT_HDS_BAD_REFERENCE' && theirs.startsWith('ok'))),
  },
  {
    id: 'terminated-forms',
    peers: ['HAP-python'],
    says: 'Strings that end with NUL (6F) and data that ends with 03 (9F) are read; HAP-python does not know them.',
    holds: (difference) =>
      refusedByThem(difference) && (difference.input.includes(0x6f) || difference.input.includes(0x9f)),
  },
  {
    id: 'keys',
    peers: ['HAP-python', 'hap-nodejs'],
    says: 'Keys are strings in HDS (any scalar with the profile `opack`). HAP-python takes what a Python dictionary takes, HAP-NodeJS makes a string of anything.',
    holds: (difference) => refusedByUs(difference) && difference.code === 'WT_HDS_KEY',
  },
  {
    id: 'tag-2f',
    peers: ['hap-nodejs', 'HAP-python'],
    says: 'Tag 2F is the integer 39 in the family of OPACK, and is read as that; this peer does not know it.',
    holds: (difference) => refusedByThem(difference) && difference.input.includes(0x2f),
  },
  {
    id: 'uuid-and-date',
    peers: ['HAP-python'],
    says: 'UUIDs and dates are values; HAP-python cannot read them.',
    holds: (difference) => refusedByThem(difference) && (difference.input.includes(5) || difference.input.includes(6)),
  },
]
