/*
 * What the smoke suite does with a format: one function an operation. Each returns a JSON-able outcome, faults included, so that what a
 * runtime has seen can be compared with what it should have. No Node here: this runs wherever JavaScript runs.
 */

export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** The outcome of a call that may throw a WireError; anything else that is thrown is a fault of the runtime. */
export function attempt({ WireError }, run) {
  try {
    return run()
  } catch (error) {
    return faultOf(WireError, error)
  }
}

function faultOf(WireError, error) {
  if (!WireError.is(error)) throw error
  if (!(error instanceof WireError && error instanceof Error)) throw new Error('the fault is no WireError of this copy')
  const { code, kind, protocol, offset, path, status, limit } = error
  return { fault: { code, kind, protocol, offset, path, status, limit } }
}

const WAYS = {
  whole: (bytes) => [bytes],
  'byte by byte': (bytes) => Array.from(bytes, (byte) => Uint8Array.of(byte)),
  'in pieces of 7': (bytes) => {
    const pieces = []
    for (let at = 0; at < bytes.length; at += 7) pieces.push(bytes.slice(at, at + 7))
    return pieces
  },
}

/** Runs `feed` with the bytes cut in each way, and demands the same outcome of all. */
function everyWay(bytes, feed) {
  let first
  for (const [way, cut] of Object.entries(WAYS)) {
    const outcome = feed(cut(bytes))
    first ??= outcome
    if (JSON.stringify(outcome) !== JSON.stringify(first)) {
      throw new Error(`${way}: ${JSON.stringify(outcome)} instead of ${JSON.stringify(first)}`)
    }
  }
  return first
}

/** What a fresh Decoder makes of the pieces: its units, then the fault that ended it. */
function unitsOf(library, { toJson }, options, pieces) {
  const decoder = new library.Decoder(options)
  const units = []
  const ended = attempt(library, () => {
    for (const piece of pieces) for (const unit of decoder.push(piece)) units.push(JSON.parse(toJson(unit)))
    decoder.end()
  })
  return { units, ...ended }
}

const sourceOf = (pieces) =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })

async function collect(library, source, toJson, keep) {
  const units = []
  try {
    for await (const unit of source) {
      keep?.push(unit)
      units.push(JSON.parse(toJson(unit)))
    }
  } catch (error) {
    return { units, ...faultOf(library.WireError, error) }
  }
  return { units }
}

/** A reader instead of an iterator: not every runtime has iterable streams. */
async function* read(stream) {
  const reader = stream.getReader()
  for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value
}

const outcomes = (library, run) => attempt(library, () => ({ value: run() }))

export const CALLS = {
  /** One unit, and how it is written again. */
  decode: (library, json, { hex, options, back }) =>
    outcomes(library, () => {
      const bytes = fromHex(hex)
      const value = library.decode(bytes, options)
      const again = library.encode(value, back)
      if (library.encodeInto && library.encodedLength) {
        const target = new Uint8Array(library.encodedLength(value, back) + 4)
        const end = library.encodeInto(value, target, 2, back)
        if (toHex(target) !== `0000${toHex(again)}0000` || end !== again.length + 2) {
          throw new Error(`encodeInto wrote ${toHex(target)} up to ${end}`)
        }
      }
      if (library.encodeChunks) {
        const chunks = library.encodeChunks(value, back).map(toHex).join('')
        if (chunks !== toHex(again)) throw new Error(`encodeChunks made ${chunks}`)
      }
      if (library.decodeAt) {
        const at = library.decodeAt(bytes, 0, options)
        if (json.toJson(at?.value) !== json.toJson(value)) throw new Error('decodeAt differs from decode')
      }
      return { read: JSON.parse(json.toJson(value)), again: toHex(again) }
    }),

  /** A stream of units, in any chunking. */
  units: (library, json, { hex, options }) =>
    everyWay(fromHex(hex), (pieces) => unitsOf(library, json, options, pieces)),

  /** The same through decodeStream, DecoderStream and, of what came out, EncoderStream. */
  async stream(library, json, { hex, options, back }) {
    const bytes = fromHex(hex)
    const pieces = () => WAYS['in pieces of 7'](bytes)
    const kept = []
    const iterated = await collect(library, library.decodeStream(sourceOf(pieces()), options), json.toJson, kept)
    if (typeof TransformStream === 'function') {
      const piped = sourceOf(pieces()).pipeThrough(new library.DecoderStream(options))
      const through = await collect(library, read(piped), json.toJson)
      if (JSON.stringify(through) !== JSON.stringify(iterated)) {
        throw new Error(`DecoderStream: ${JSON.stringify(through)} instead of ${JSON.stringify(iterated)}`)
      }
      if (!back) return iterated
      const written = []
      for await (const chunk of read(sourceOf(kept).pipeThrough(new library.EncoderStream(back)))) written.push(chunk)
      return { ...iterated, written: written.map(toHex).join('') }
    }
    return iterated
  },

  /** Something that cannot be written: the value is given as the JSON form. */
  write: (library, json, { value, options }) =>
    outcomes(library, () => toHex(library.encode(json.fromJson(JSON.stringify(value)), options))),

  /** D-Bus: values of a signature without a message around them. */
  body: (library, json, { signature, hex, byteOrder }) =>
    outcomes(library, () => {
      const values = library.decodeBody(signature, fromHex(hex), { byteOrder, dict: 'pairs' })
      return {
        read: JSON.parse(json.toJson(values)),
        again: toHex(library.encodeBody(signature, values, { byteOrder })),
      }
    }),

  /** HPACK: the blocks of a connection, whole and in fragments, with the table that they leave. */
  blocks: (library, _json, { blocks, options }) => {
    const run = (cut) => {
      const decoder = new library.Decoder(options)
      const lists = []
      const ended = attempt(library, () => {
        for (const block of blocks) {
          for (const piece of cut(fromHex(block))) decoder.push(piece)
          const list = []
          lists.push(list)
          // What stands before a bad byte comes out first.
          for (const field of decoder.end()) list.push(field)
        }
      })
      return { lists, table: decoder.entries(), ...ended }
    }
    const whole = run(WAYS.whole)
    const split = run(WAYS['byte by byte'])
    if (JSON.stringify(whole) !== JSON.stringify(split)) throw new Error('in fragments it differs')
    return whole
  },

  /** HPACK: lists written by one Encoder, and read again. */
  lists: (library, _json, { lists, options }) =>
    outcomes(library, () => {
      const encoder = new library.Encoder(options)
      const decoder = new library.Decoder()
      return lists.map((list) => {
        const block = encoder.encode(list)
        const back = decoder.decode(block).map(({ name, value }) => [name, value])
        if (JSON.stringify(back) !== JSON.stringify(list)) throw new Error(`read back as ${JSON.stringify(back)}`)
        return toHex(block)
      })
    }),

  /** WebSocket: one frame with a given mask key. */
  frame: (library, _json, { message, options }) =>
    outcomes(library, () => {
      const data = fromHex(message.data)
      return toHex(library.encode({ ...message, data }, options))
    }),

  /** HDS: messages and their payloads. */
  payload: (library, json, { hex }) =>
    outcomes(library, () => {
      const message = library.decodeMessage(fromHex(hex))
      return { read: JSON.parse(json.toJson(message)), again: toHex(library.encodeMessage(message)) }
    }),

  /** HDS: a session both ways, sealed with the cipher given. */
  session: (library, json, { secret, cipher, changed }) =>
    outcomes(library, () => {
      const salt = (byte) => new Uint8Array(32).fill(byte)
      const keys = library.deriveKeys(fromHex(secret), salt(1), salt(2))
      const encoder = new library.Encoder({ role: 'controller', keys, cipher })
      const frames = [library.control.hello(1), library.request('dataSend', 'open', 2, { data: salt(3), list: [1, 2] })]
      const wire = frames.map((message) => encoder.encode(message))
      if (changed !== undefined) wire[0][changed] ^= 1
      const bytes = fromHex(wire.map(toHex).join(''))
      const decoder = { role: 'accessory', keys, cipher }
      return { wire: toHex(bytes), ...everyWay(bytes, (pieces) => unitsOf(library, json, decoder, pieces)) }
    }),
}
