import { katcp as captures } from '../../capture/formats/katcp'
import { encode, type MessageInput } from '../../katcp'
import type { Format } from '../format'

export const katcp: Format = {
  ...captures,
  encoder: () => (unit) => encode(Object(unit) as MessageInput),
}
