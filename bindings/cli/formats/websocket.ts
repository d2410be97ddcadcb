import { websocket as captures, deflateOf } from '../../capture/formats/websocket'
import { Encoder, type FrameInput, type MessageInput, type Role } from '../../websocket'
import type { Format } from '../format'

export const websocket: Format = {
  ...captures,
  encoder: ({ options, ...adapters }) => {
    const encoder = new Encoder({ role: options['role'] as Role, deflate: deflateOf(options['deflate'], adapters) })
    return (unit) => encoder.encode(Object(unit) as MessageInput | FrameInput)
  },
}
