// A request and its answer as Companion peers exchange them: dictionaries in OPACK. Such a peer compares the width of `_x`, the
// number of the exchange, so it goes back as wide as it came.
//
//   node examples/opack/exchange.mjs
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { decode, encode, int16 } from 'wiretape/opack'

/** The answer to a request: the same number, another type, a content. */
export function answer(bytes, content) {
  const request = decode(bytes, { types: 'tagged' })
  return encode({ _i: request._i, _x: request._x, _t: 3, _c: content })
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const request = encode({ _i: '_systemInfo', _x: int16(7), _t: 2, _c: { name: 'name', again: 'name' } })
  const reply = answer(request, { ok: true })
  console.log(Buffer.from(request).toString('hex'))
  console.log(Buffer.from(reply).toString('hex'))
  console.log(decode(reply))
}
