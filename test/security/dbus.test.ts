import { beforeEach, describe, expect, it } from 'vitest'
import { Decoder, decode, encode, type Signal, signal, variant } from '../../bindings/dbus/index'
import { faultOf } from '../fault'
import { backends, count, expectLinear, retained } from './measure'
import { inChunks, join, repeated, SEGMENT } from './streams'

const u32 = (...values: number[]): Uint8Array => new Uint8Array(Uint32Array.from(values).buffer)
const text = new TextEncoder()

/** A signal with that body, good or not. */
const message = (signature: string, bodyBytes: Uint8Array, path = '/a'): Uint8Array =>
  encode({ type: 'signal', serial: 1, path, interface: 'a.B', member: 'C', signature, bodyBytes })

const bodyOf = (bytes: Uint8Array) => (decode(bytes) as Signal).body

describe.each(backends)('D-Bus under attack, %s', (backend) => {
  beforeEach(() => count(backend))

  it.each([
    ['byte by byte', 1, 10_000, 60],
    ['in segments', SEGMENT, 500_000, 20],
  ])('takes a message that comes %s in work that grows with its bytes', (_, size, least, steps) => {
    expectLinear(
      least,
      steps,
      (length) =>
        inChunks(message('as', join(u32(length), repeated(join(u32(3), text.encode('abc\0')), length / 8))), size),
      ({ chunks }) => {
        const decoder = new Decoder()
        for (const chunk of chunks) decoder.push(chunk)
        expect((decoder.read() as Signal).body[0]).toBeInstanceOf(Array)
      },
    )
  })

  it.each([
    ['of 4 GiB', u32(0xffffffff, 1, 0)],
    ['with fields of 4 GiB', u32(0, 1, 0xffffffff)],
    ['of 128 MiB and more', u32(0x08000000, 1, 8)],
  ])('refuses a message %s at its first 16 bytes, and allocates nothing for it', (_, rest) => {
    const each = retained(50, () => {
      const decoder = new Decoder().push(join(Uint8Array.of(0x6c, 4, 0, 1), rest))
      expect(faultOf(() => decoder.read()).kind).toMatch(/limit|malformed/)
      return decoder
    })
    expect(each).toBeLessThan(10_000)
  })

  it.each([1_000_000, 0x07000000])(
    'keeps for a message that stays away little, though it says it has %i bytes',
    (length) => {
      const each = retained(50, () => {
        const decoder = new Decoder().push(join(Uint8Array.of(0x6c, 4, 0, 1), u32(length, 1, 8)))
        expect(decoder.read()).toBeUndefined()
        return decoder
      })
      expect(each).toBeLessThan(100_000)
    },
  )

  it('refuses nested variants at the depth allowed, however many there are', () => {
    for (const levels of [65, 5000, 40_000]) {
      const body = join(repeated(Uint8Array.of(1, 0x76, 0), levels), Uint8Array.of(1, 0x79, 0, 7))
      expect(faultOf(() => bodyOf(message('v', body))).code).toBe('WT_DBUS_DEPTH')
    }
  })

  it.each([
    ['of an array', 'ay', u32(0xffffffff)],
    ['of an array beyond 64 MiB', 'ay', u32(0x04000001)],
    ['of a string', 's', u32(0x7fffffff, 0)],
    ['of a string, 4 GiB', 's', u32(0xffffffff, 0)],
    ['of an array of structs', 'a(yy)', u32(0xfffffff8, 0, 0, 0)],
    ['of an array that is no multiple', 'au', u32(6, 0, 0)],
    ['of a signature', 'g', Uint8Array.of(255, 0x73, 0)],
  ])('believes no length %s', (_, signature, body) => {
    const each = retained(50, () => faultOf(() => bodyOf(message(signature, body))).code)
    expect(each).toBeLessThan(5000)
  })

  it('makes of empty arrays no more values than maxValues', () => {
    const body = join(u32(400_000), new Uint8Array(400_000))
    const bytes = message('aay', body)
    expect(bodyOf(bytes)[0]).toHaveLength(100_000)
    const strict = new Decoder({ limits: { maxValues: 1000 } }).push(bytes)
    const unit = strict.read() as Signal
    expect(faultOf(() => unit.body).code).toBe('WT_DBUS_VALUES')
  })

  it.each([
    ['aay', 4],
    ['av', 8],
    ['a(y)', 8],
  ])('reads many small values of %s in work that grows with their bytes', (signature, each) => {
    const value = signature === 'av' ? Uint8Array.of(1, 0x79, 0, 7, 1, 0x79, 0, 7) : new Uint8Array(each)
    const start = signature === 'a(y)' ? u32(0) : new Uint8Array(0)
    expectLinear(
      16_000,
      40,
      (size) => {
        const values = repeated(value, size / each)
        // The last struct is not filled up.
        const used = signature === 'a(y)' ? values.subarray(7) : values
        const wire = message(signature, join(u32(used.length), start, used))
        return { wire, bytes: wire.length }
      },
      ({ wire }) => {
        expect((bodyOf(wire)[0] as unknown[]).length).toBeGreaterThan(1000)
      },
    )
  })

  it('reads arrays in arrays in work that grows with their bytes, not with their depth', () => {
    const nested = (levels: number, size: number) => {
      let body: Uint8Array = new Uint8Array(size)
      for (let i = 0; i < levels; i++) body = join(u32(body.length), body)
      return message(`${'a'.repeat(levels)}y`, body)
    }
    expectLinear(
      1000,
      60,
      (size) => {
        const wire = nested(32, size)
        return { wire, bytes: wire.length }
      },
      ({ wire }) => {
        expect(bodyOf(wire)).toHaveLength(1)
      },
    )
  })

  it('takes __proto__ for a name like any other', () => {
    const header = { serial: 1, path: '/__proto__', interface: 'a.B', member: '__proto__' }
    const bytes = encode(signal(header, 'a{sv}', [new Map([['__proto__', { signature: 's', value: 'x' }]])]))
    const maps = (decode(bytes) as Signal).body[0] as Map<string, unknown>
    expect([...maps.keys()]).toEqual(['__proto__'])
    const [dict] = (decode(bytes, { dict: 'object' }) as Signal).body as [object]
    expect(Object.getPrototypeOf(dict)).toBe(null)
    expect(Object.keys(dict)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)['signature']).toBe(undefined)
  })

  it('keeps no table that a peer can fill: names, signatures, paths', () => {
    const fill = (i: number): void => {
      const letters = Array.from(i.toString(2), (bit) => (bit === '1' ? 'y' : 'n'))
      const signature: string = `(${letters.join('')})`
      const odd = variant(signature, new Array<number>(letters.length).fill(0))
      const header = { serial: 1, path: `/p${i}`, interface: 'a.B', member: `M${i}` }
      bodyOf(encode(signal(header, 'sv', [`name-${i}`, odd])))
    }
    for (let i = 0; i < 3000; i++) fill(i)
    const each = retained(3000, (i) => fill(3000 + i))
    expect(each).toBeLessThan(200)
  })

  it('keeps of a large message no more than the small part that was read from it', () => {
    const bytes = message('ayay', join(u32(4), new Uint8Array(4), u32(400_000), new Uint8Array(400_000)))
    const [small] = bodyOf(bytes) as [Uint8Array]
    expect(small.buffer.byteLength).toBe(4)
  })

  it('writes large values in work that grows with their bytes', () => {
    expectLinear(
      4000,
      40,
      (size) => ({ list: Array.from({ length: size }, (_, i) => `name-${i}`), bytes: size * 14 }),
      ({ list }) => {
        const header = { serial: 1, path: '/a', interface: 'a.B', member: 'C' }
        expect(encode(signal(header, 'as', [list])).length).toBeGreaterThan(list.length)
      },
    )
  })
})
