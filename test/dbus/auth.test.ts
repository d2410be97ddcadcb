import { describe, expect, it } from 'vitest'
import { Authenticator, type WireError } from '../../bindings/dbus/index'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (data: Uint8Array | undefined) => data && new TextDecoder().decode(data)
const GUID = '0123456789abcdef0123456789abcdef'

describe('Authenticator', () => {
  it('says EXTERNAL, in any chunking, and gives back what follows', () => {
    for (const size of [1, 3, 100]) {
      const auth = new Authenticator({ uid: 1000 })
      expect(text(auth.hello)).toBe('\0AUTH EXTERNAL 31303030\r\n')
      const input = bytes(`OK ${GUID}\r\nl\x01`)
      let rest: Uint8Array | undefined
      let at = 0
      while (rest === undefined) {
        rest = auth.push(input.subarray(at, at + size))
        at += size
      }
      expect(text(auth.reply)).toBe('BEGIN\r\n')
      expect(auth.reply).toBeUndefined()
      expect(auth.guid).toBe(GUID)
      expect('l\x01'.startsWith(text(rest)!)).toBe(true)
    }
  })

  it('asks for descriptors, and lives without them', () => {
    for (const [answer, agreed] of [
      ['AGREE_UNIX_FD', true],
      ['ERROR no', false],
    ] as const) {
      const auth = new Authenticator({ anonymous: true, unixFds: true })
      expect(text(auth.hello)).toBe('\0AUTH ANONYMOUS 7769726574617065\r\n')
      expect(auth.push(bytes(`OK ${GUID}\r\n`))).toBeUndefined()
      expect(text(auth.reply)).toBe('NEGOTIATE_UNIX_FD\r\n')
      expect(auth.push(bytes(`${answer}\r\n`))?.length).toBe(0)
      expect(text(auth.reply)).toBe('BEGIN\r\n')
      expect(auth.unixFds).toBe(agreed)
    }
  })

  it('answers DATA, and refuses what breaks the protocol', () => {
    const auth = new Authenticator()
    expect(auth.push(bytes('DATA\r\n'))).toBeUndefined()
    expect(text(auth.reply)).toBe('DATA\r\n')
    const code = (input: string) => {
      try {
        new Authenticator().push(bytes(input))
      } catch (error) {
        return (error as WireError).code
      }
      return undefined
    }
    expect(code('REJECTED EXTERNAL\r\n')).toBe('WT_DBUS_AUTH_REJECTED')
    expect(code('OK\r\n')).toBe('WT_DBUS_AUTH')
    expect(code(`OK ${GUID}\n`)).toBe('WT_DBUS_AUTH')
    expect(code('x'.repeat(20_000))).toBe('WT_DBUS_AUTH')
  })
})
