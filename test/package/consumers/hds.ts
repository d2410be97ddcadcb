// A program of someone who uses the package: compiled as an ES module and as CommonJS, then run.
import { backend, toJson, WireError } from 'wiretape'
import {
  type Bytes,
  control,
  Decoder,
  dataSend,
  decode,
  deriveKeys,
  Encoder,
  encode,
  encodeMessage,
  event,
  int64,
  type Keys,
  type Message,
  response,
  type Value,
  type WireErrorCode,
} from 'wiretape/hds'
import * as script from 'wiretape/js/hds'
import * as opack from 'wiretape/opack'

const bytes: Bytes = encode({ id: int64(5), list: [1, 2, 300], data: new Uint8Array([1, 2]) })
const value: Value = decode(bytes)
const typed = decode<{ list: number[] }>(bytes)

const secret = new Uint8Array(32)
const keys: Keys = deriveKeys(secret, secret, secret)
const hub = new Encoder({ role: 'controller', keys })
const camera = new Decoder({ role: 'accessory', keys })
const topics: string[] = []
for (const message of camera.push(hub.encodeAll([control.hello(1), dataSend.ack(1)]))) {
  const one: Message = message
  topics.push(one.topic)
  if (one.type === 'request') topics.push(String(response(one).id))
}
for (const payload of new Decoder({ role: 'accessory', keys, emit: 'payloads' }).push(
  new Encoder({ role: 'controller', keys }).encode(event('a', 'b', { c: 1 })),
)) {
  // Payloads, not messages: this would not compile otherwise.
  const length: number = payload.byteLength
  topics.push(String(length === encodeMessage(event('a', 'b', { c: 1 })).length))
}

const codes: WireErrorCode[] = []
try {
  decode(new Uint8Array([0xd1, 0]))
} catch (error) {
  if (error instanceof WireError) codes.push(error.code)
}

console.log(
  toJson({
    backend: backend(),
    value,
    sum: typed.list.reduce((sum, item) => sum + item, 0),
    topics,
    codes,
    opack: opack.decode(opack.encode([200, 'a', 'a'])),
    same: toJson(script.decode(bytes)) === toJson(value),
  }),
)
