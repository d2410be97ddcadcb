// A program of someone who uses the package: compiled as an ES module and as CommonJS, then run.
import { backend, toJson, WireError } from 'wiretape'
import * as script from 'wiretape/js/katcp'
import {
  type Arguments,
  type Bytes,
  Decoder,
  decode,
  encode,
  float,
  integer,
  type Message,
  reply,
  rest,
  string,
  type WireErrorCode,
} from 'wiretape/katcp'

const utf8 = new TextEncoder()
const message: Message = decode(utf8.encode('?gain[7] m000h 0.5 1e3\n'))
const args: Arguments = message.args
const [input, ...values]: [string, ...number[][]] = args.read(string, rest(float))
const numbers: Float64Array<ArrayBuffer> = args.toFloat64Array(1)
const answer: Bytes = encode(reply(message, ['ok', input, ...values.flat()]))

const codes: WireErrorCode[] = []
for (const unit of new Decoder().push(utf8.encode('?a \\x\n#b 12\n'))) {
  if (unit instanceof WireError) codes.push(unit.code)
  else codes.push(...unit.args.read(integer).map((): WireErrorCode => 'WT_KATCP_VALUE'))
}
for (const unit of new Decoder({ errors: 'throw' }).push(utf8.encode('?a\n'))) {
  // No WireError among the units: this would not compile otherwise.
  const name: string = unit.name
  codes.push(name === 'a' ? 'WT_KATCP_UTF8' : 'WT_KATCP_VALUE')
}

console.log(
  toJson({
    backend: backend(),
    answer: new TextDecoder().decode(answer),
    numbers: [...numbers],
    codes,
    same: script.decode(answer).args.toArray().join() === decode(answer).args.toArray().join(),
  }),
)
