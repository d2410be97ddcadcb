import { get32, put8, put16be, put32, put32be } from 'lib/mem'
import { xorMask } from 'lib/xor'
import { WE_BYTES, WE_DATA, WE_FIRST, WE_HEADER_ONLY, WE_KEY, WE_LENGTH, WE_MASKED } from '../abi/websocket'
import { headerLength } from './header'

/**
 * Writes the header of every order in [orders, ordersEnd) right before its payload, in the shortest form (RFC 6455, section
 * 5.2), and masks the payload in place.
 */
export function wsEncode(orders: u32, ordersEnd: u32): void {
  for (let order: u32 = orders; order < ordersEnd; order = order + WE_BYTES) {
    const first: u32 = get32(order + WE_FIRST)
    const data: u32 = get32(order + WE_DATA)
    const length: u32 = get32(order + WE_LENGTH)
    const masked: bool = (first & WE_MASKED) !== 0
    const mask: u32 = masked ? 0x80 : 0
    const h: u32 = data - headerLength(length, masked)
    put8(h, first & 255)
    if (length < 126) put8(h + 1, mask + length)
    else if (length < 0x10000) {
      put8(h + 1, mask + 126)
      put16be(h + 2, length)
    } else {
      put8(h + 1, mask + 127)
      put32be(h + 2, 0)
      put32be(h + 6, length)
    }
    if (masked) {
      const key: u32 = get32(order + WE_KEY)
      put32(data - 4, key)
      if ((first & WE_HEADER_ONLY) === 0) xorMask(data, data + length, key, 0)
    }
  }
}
