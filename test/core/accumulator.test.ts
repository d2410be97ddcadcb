import { expect, it } from 'vitest'
import { Accumulator } from '../../bindings/core/accumulator'

it('keeps the order of what is appended, whole or in part', () => {
  const bytes = new Accumulator()
  bytes.append(Uint8Array.of(1, 2))
  bytes.append(Uint8Array.of(9, 3, 4, 9), 1, 3)
  bytes.append(new Uint8Array(0))
  expect(bytes.length).toBe(4)
  expect(bytes.view()).toEqual(Uint8Array.of(1, 2, 3, 4))
})

it('copies what is appended', () => {
  const bytes = new Accumulator()
  const piece = Uint8Array.of(1)
  bytes.append(piece)
  piece[0] = 2
  expect([...bytes.view()]).toEqual([1])
})

it('moves its bytes seldom, however many pieces come', () => {
  const bytes = new Accumulator()
  const places = new Set<ArrayBuffer>()
  for (let i = 0; i < 100_000; i++) {
    bytes.append(Uint8Array.of(i & 255))
    places.add(bytes.view().buffer)
  }
  expect(places.size).toBeLessThan(12)
  expect(bytes.length).toBe(100_000)
  expect(bytes.view().every((byte, i) => byte === (i & 255))).toBe(true)
})

it('makes room once where the length is known', () => {
  const bytes = new Accumulator()
  bytes.append(Uint8Array.of(1))
  bytes.reserve(5000)
  const { buffer } = bytes.view()
  expect(buffer.byteLength).toBe(5000)
  for (let i = 1; i < 5000; i++) bytes.append(Uint8Array.of(i & 255))
  expect(bytes.view().buffer).toBe(buffer)
  bytes.reserve(10)
  expect(bytes.view().buffer).toBe(buffer)
})

it('starts with the capacity that it is given', () => {
  const bytes = new Accumulator(8)
  const { buffer } = bytes.view()
  bytes.append(new Uint8Array(8))
  expect(bytes.view().buffer).toBe(buffer)
})

it('hands its bytes over and never touches them again', () => {
  const bytes = new Accumulator()
  bytes.append(Uint8Array.of(1, 2))
  const taken = bytes.take(Uint8Array.of(3))
  expect(bytes.length).toBe(0)
  bytes.append(Uint8Array.of(7, 7, 7))
  expect([...taken]).toEqual([1, 2, 3])
  expect([...bytes.take()]).toEqual([7, 7, 7])
  expect([...bytes.take()]).toEqual([])
})

it('makes little room for what only says that it comes, and none too much for what has come', () => {
  for (const total of [10, 70_000, 300_000, 1_000_000]) {
    const bytes = new Accumulator()
    const rooms = new Set<ArrayBuffer>()
    for (let at = 0; at < total; at += 1000) {
      const length = Math.min(1000, total - at)
      bytes.append(new Uint8Array(length), 0, length, total)
      rooms.add(bytes.view().buffer)
      expect(bytes.view().buffer.byteLength).toBeLessThanOrEqual(Math.max(0x10000, 2 * bytes.length))
    }
    expect(rooms.size).toBeLessThan(6)
    expect(bytes.take().buffer.byteLength).toBe(total)
  }
})

it('forgets at clear', () => {
  const bytes = new Accumulator()
  bytes.append(Uint8Array.of(1, 2))
  const before = bytes.view()
  bytes.clear()
  bytes.append(Uint8Array.of(3))
  expect([...bytes.view()]).toEqual([3])
  expect([...before]).toEqual([1, 2])
})
