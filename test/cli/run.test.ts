import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { backend, useBackend } from '../../bindings/engine/load'
import { version } from '../../package.json'
import { chunksOf, command, Sink } from './toy'

const folder = mkdtempSync(join(tmpdir(), 'wiretape-cli-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => {
  useBackend('auto')
})

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const json = (...texts: string[]): string => texts.map((text) => `{"$line":"${text}"}\n`).join('')

describe('decode', () => {
  it('prints a line for each unit of standard input', async () => {
    for (const argv of [
      ['decode', 'toy'],
      ['decode', 'toy', '-'],
    ]) {
      const outcome = await command(argv, chunksOf('a\nb', 'c\n', '', 'd\n'))
      expect(outcome).toEqual({ code: 0, stdout: json('a', 'bc', 'd'), stderr: '' })
    }
  })

  it('reads a file', async () => {
    const outcome = await command(['decode', 'toy', file('some', 'a\nb\n')])
    expect(outcome).toEqual({ code: 0, stdout: json('a', 'b'), stderr: '' })
  })

  it('prints nothing for nothing', async () => {
    expect(await command(['decode', 'toy', file('nothing', '')])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('prints many units of one chunk', async () => {
    const texts = Array.from({ length: 20_000 }, (_, i) => `unit${i}`)
    const { code, stdout } = await command(['decode', 'toy'], chunksOf(`${texts.join('\n')}\n`))
    expect(code).toBe(0)
    expect(stdout).toBe(json(...texts))
  })

  it('prints the good units, then one line with code, reason and offset', async () => {
    const outcome = await command(['decode', 'toy'], chunksOf('a\nb\nc!d\n', 'e\n'))
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toBe(json('a', 'b'))
    expect(outcome.stderr).toBe('wiretape: standard input: WT_JSON: not the JSON form of a value at offset 5\n')
  })

  it('names the file and reports truncation', async () => {
    const path = file('cut', 'a\nb')
    const outcome = await command(['decode', 'toy', path])
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toBe(json('a'))
    expect(outcome.stderr).toBe(`wiretape: ${path}: WT_TRUNCATED: the bytes end inside a unit at offset 3\n`)
  })

  it('reports a fault that shows when a unit is printed', async () => {
    const outcome = await command(['decode', 'toy'], chunksOf('a\nlazy fault\nb\n'))
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toBe(json('a'))
    expect(outcome.stderr).toMatch(/^wiretape: standard input: WT_JSON: .* at offset 1\n$/)
  })

  it('goes on with --keep-going, a line for each bad unit', async () => {
    const outcome = await command(['decode', 'toy', '--keep-going'], chunksOf('a\nbad1\nb\nlazy fault\nbad2\nc\n'))
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toBe(json('a', 'b', 'c'))
    expect(outcome.stderr.split('\n')).toHaveLength(4)
    expect(outcome.stderr).toContain('a value: one line at offset 7\n')
  })

  it('applies limits', async () => {
    const exact = await command(['decode', 'toy', '--limit', 'maxBufferedBytes=4'], chunksOf('abcd', '\n'))
    expect(exact).toMatchObject({ code: 0, stdout: json('abcd') })
    const over = await command(['decode', '--limit=maxBufferedBytes=3', 'toy'], chunksOf('abcd', '\n'))
    expect(over).toMatchObject({ code: 1, stdout: '' })
    expect(over.stderr).toContain('WT_TOO_MUCH_BUFFERED')
    expect(over.stderr).toContain('(maxBufferedBytes is 3, got 4)')
    const last = ['decode', 'toy', '--limit', 'maxBufferedBytes=3', '--limit', 'maxBufferedBytes=4']
    expect((await command(last, chunksOf('abcd', '\n'))).code).toBe(0)
  })

  it('hands its own options to the format', async () => {
    expect((await command(['decode', 'toy', '--case', 'upper'], chunksOf('a\n'))).stdout).toBe(json('A'))
    expect((await command(['decode', 'toy'], chunksOf('a\n'))).stdout).toBe(json('a'))
  })

  it('takes the backend that is asked for', async () => {
    await command(['decode', 'toy', '--backend', 'js'])
    expect(backend()).toBe('js')
    await command(['decode', 'toy', '--backend', 'wasm'])
    expect(backend()).toBe('wasm')
  })

  it('says units, bytes and speed with --stats, also after a fault', async () => {
    const figures = /^wiretape: 2 units, 6 bytes, \d+\.\d{3} s, \d+\.\d MB\/s, js\n$/
    const argv = ['decode', 'toy', '--stats', '--backend', 'js']
    expect((await command(argv, chunksOf('a\n', 'bcd\n'))).stderr).toMatch(figures)
    const faulty = await command(argv, chunksOf('a\nb\n', '!!'))
    const [fault, stats] = faulty.stderr.split(/(?<=\n)/)
    expect(fault).toContain('WT_JSON')
    expect(stats).toMatch(figures)
  })

  it('passes on what reading the input throws', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a\n')
      throw new Error('EIO: broken')
    }
    expect(await command(['decode', 'toy'], broken())).toEqual({
      code: 1,
      stdout: json('a'),
      stderr: 'wiretape: EIO: broken\n',
    })
  })
})

describe('encode', () => {
  it('writes the bytes of each line', async () => {
    const lines = json('a', 'longer', 'c')
    expect(await command(['encode', 'toy'], chunksOf(lines))).toEqual({ code: 0, stdout: 'a\nlonger\nc\n', stderr: '' })
    const pieces = [...lines].map((letter) => letter)
    expect((await command(['encode', 'toy'], chunksOf(...pieces))).stdout).toBe('a\nlonger\nc\n')
    expect((await command(['encode', 'toy', file('units', lines)])).stdout).toBe('a\nlonger\nc\n')
  })

  it('takes blank lines, CR LF and a last line without its end', async () => {
    const { code, stdout } = await command(['encode', 'toy'], chunksOf('\n{"$line":"a"}\r\n  \n{"$line":"b"}'))
    expect([code, stdout]).toEqual([0, 'a\nb\n'])
  })

  it('is the way back from decode', async () => {
    const { stdout } = await command(['decode', 'toy'], chunksOf('a\n"b"\n\n\\\n'))
    expect((await command(['encode', 'toy'], chunksOf(stdout))).stdout).toBe('a\n"b"\n\n\\\n')
  })

  it.each([
    ['{"$line":', 'WT_JSON: not the JSON form of a value: '],
    ['{"$other":1}', 'WT_JSON: not the JSON form of a value: '],
    ['1', 'not a line'],
    [Uint8Array.of(0x22, 0xff, 0x22), 'The encoded data was not valid'],
  ])('names a bad line by its number: %s', async (bad, reason) => {
    const outcome = await command(['encode', 'toy'], chunksOf(`${json('a')}\n`, bad, `\n${json('b')}`))
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toBe('a\n')
    expect(outcome.stderr).toContain(`wiretape: standard input: line 3: ${reason}`)
    expect(outcome.stderr.split('\n')).toHaveLength(2)
  })

  it('names a bad last line', async () => {
    const outcome = await command(['encode', 'toy'], chunksOf(`${json('a')}{`))
    expect(outcome).toMatchObject({ code: 1, stdout: 'a\n' })
    expect(outcome.stderr).toContain('line 2: WT_JSON')
  })

  it('counts with --stats', async () => {
    const { stderr } = await command(['encode', 'toy', '--stats'], chunksOf(json('a', 'b')))
    expect(stderr).toMatch(/^wiretape: 2 units, 28 bytes, /)
  })
})

describe('wrong use', () => {
  it.each([
    [[]],
    [['decode']],
    [['encode']],
    [['recode', 'toy']],
    [['decode', 'other']],
    [['decode', 'toy', 'a', 'b']],
    [['decode', 'toy', '--nothing']],
    [['decode', 'toy', '--backend', 'c']],
    [['decode', 'toy', '--case', 'lower']],
    [['decode', 'toy', '--limit']],
    [['decode', 'toy', '--limit', 'maxBufferedBytes']],
    [['decode', 'toy', '--limit', 'maxBufferedBytes=-1']],
    [['decode', 'toy', '--limit', 'maxBufferedBytes=1e3']],
    [['decode', 'toy', '--limit', 'maxBufferedBytes=99999999999999999999']],
    [['decode', 'toy', '--limit', 'maxNothing=1']],
    [['encode', 'toy', '--limit', 'maxBufferedBytes=1']],
    [['encode', 'toy', '--keep-going']],
    [['decode', 'toy', join(folder, 'missing')]],
    [['decode', 'toy', folder]],
  ])('%j', async (argv) => {
    const { code, stdout, stderr } = await command(argv, chunksOf('a\n'))
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).not.toBe('')
  })
})

describe('help', () => {
  it('names the formats, their options and limits, and the exit codes', async () => {
    const decode = await command(['decode', '--help'])
    expect(decode.code).toBe(0)
    expect(decode.stdout).toMatch(/toy .*lines of ASCII/)
    const toy = await command(['decode', 'toy', '--help'])
    expect(toy.code).toBe(0)
    for (const text of ['--case <name>', '--keep-going', '--limit', '--stats', 'maxBufferedBytes  1000000']) {
      expect(toy.stdout).toContain(text)
    }
    for (const argv of [['--help'], ['encode', 'toy', '--help']]) {
      expect((await command(argv)).stdout).toContain('0 done, 1 bad input, 2 wrong use')
    }
  })

  it('gives the version of the package', async () => {
    expect(await command(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })
})

describe('the output', () => {
  /** Takes one write and answers it when told to. */
  class Slow extends Writable {
    readonly taken: string[] = []
    next: (error?: Error) => void = () => {}
    constructor() {
      super({ highWaterMark: 1 })
    }
    override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error | null) => void): void {
      this.taken.push(String(chunk))
      this.next = done
    }
  }
  /** Chunks without end, counting those that were taken. */
  const endless = (chunk: string) => {
    const source = { taken: 0, closed: false, chunks: undefined as unknown as AsyncIterable<Uint8Array> }
    source.chunks = (async function* () {
      try {
        for (;;) {
          source.taken++
          yield Buffer.from(chunk)
        }
      } finally {
        source.closed = true
      }
    })()
    return source
  }
  const epipe = (): Error => Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })

  it.each([
    ['decode', 'a\n', '{"$line":"a"}\n'],
    ['encode', '{"$line":"a"}\n', 'a\n'],
  ])('holds %s up where nobody reads it, and ends it quietly when it is closed', async (verb, chunk, written) => {
    const source = endless(chunk)
    const stdout = new Slow()
    const stderr = new Sink()
    const done = command([verb, 'toy'], source.chunks, stdout as unknown as Sink, stderr)
    while (stdout.taken.length === 0) await turn()
    for (let i = 0; i < 20; i++) await turn()
    expect(source.taken).toBe(1)
    stdout.next()
    while (stdout.taken.length === 1) await turn()
    expect(source.taken).toBe(2)
    expect(stdout.taken).toEqual([written, written])
    stdout.next(epipe())
    expect(await done).toMatchObject({ code: 0, stderr: '' })
    expect(source.closed).toBe(true)
  })

  it('ends quietly where it is destroyed while it is full', async () => {
    const source = endless('a\n')
    const stdout = new Slow()
    const done = command(['decode', 'toy'], source.chunks, stdout as unknown as Sink)
    while (stdout.taken.length === 0) await turn()
    stdout.destroy()
    expect(await done).toMatchObject({ code: 0, stderr: '' })
    expect(source.closed).toBe(true)
  })

  it('reports any other error of it', async () => {
    const stdout = new Slow()
    const done = command(['decode', 'toy'], chunksOf('a\n'), stdout as unknown as Sink)
    while (stdout.taken.length === 0) await turn()
    stdout.next(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }))
    expect(await done).toMatchObject({ code: 1, stderr: 'wiretape: ENOSPC: no space left\n' })
  })

  it('may lose standard error', async () => {
    class Deaf extends Sink {
      override _write(_chunk: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
        done(epipe())
      }
    }
    const { code, stdout } = await command(
      ['decode', 'toy', '--keep-going'],
      chunksOf('bad\na\n'),
      new Sink(),
      new Deaf(),
    )
    expect([code, stdout]).toEqual([1, json('a')])
  })
})

describe('the progress bar', () => {
  const large = () => file('large', `${'x'.repeat(4095)}\n`.repeat(5000))
  class Terminal extends Sink {
    override isTTY = true
    readonly columns = 80
  }

  it('shows on a terminal for a large file and goes away', async () => {
    const stderr = new Terminal()
    const { code, stdout } = await command(['decode', 'toy', large()], chunksOf(), new Sink(), stderr)
    expect(code).toBe(0)
    expect(stdout.length).toBeGreaterThan(20_480_000)
    expect(stderr.text).toContain('% of 20.5 MB')
    expect(stderr.text.endsWith('\x1b[1G\x1b[2K')).toBe(true)
  })

  it('shows nowhere else', async () => {
    const path = large()
    const terminal = new Terminal()
    const onTerminal = await command(['decode', 'toy', path], chunksOf(), new Terminal(), terminal)
    const toFile = await command(['decode', 'toy', path])
    const small = await command(['decode', 'toy', file('small', 'a\n')], chunksOf(), new Sink(), new Terminal())
    for (const { stderr } of [onTerminal, toFile, small]) expect(stderr).toBe('')
  })
})
