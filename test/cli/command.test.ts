import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { fromHex, vectorJson } from '../vectors'

// The command as it is shipped: dist/cli.js, which `npm test` builds first.
const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const start = (argv: readonly string[], node: readonly string[] = []) =>
  spawn(process.execPath, [...node, cli, ...argv])

const folder = mkdtempSync(join(tmpdir(), 'wiretape-command-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the command to its end. */
async function wiretape(argv: readonly string[], input: Uint8Array | string = '') {
  const child = start(argv)
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number]
  return { code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }
}

const encoded = (file: string): Uint8Array[] =>
  vectorJson<{ cases: { encoded?: string }[] }>(`katcp/${file}.json`).cases.flatMap(({ encoded }) =>
    encoded === undefined ? [] : [fromHex(encoded)],
  )

describe.each(['wasm', 'js'])('wiretape on %s', (backend) => {
  it('reproduces canonical bytes by decoding and encoding', async () => {
    const bytes = Buffer.concat([...encoded('messages'), ...encoded('escapes')])
    const decoded = await wiretape(['decode', 'katcp', '--stats', '--backend', backend], bytes)
    expect(decoded.stderr).toMatch(new RegExp(`^wiretape: \\d+ units, ${bytes.length} bytes, .* ${backend}\n$`))
    expect(decoded.code).toBe(0)
    const again = await wiretape(['encode', 'katcp', '--backend', backend], decoded.stdout)
    expect(again.stderr).toBe('')
    expect(again.stdout.equals(bytes)).toBe(true)
  })
})

describe('wiretape decode katcp', () => {
  it('prints messages in their JSON form', async () => {
    const input = Buffer.from('?set[7] a\\_b \\@ x\n#m \xff\n', 'latin1')
    const { code, stdout, stderr } = await wiretape(['decode', 'katcp'], input)
    expect(stdout.toString()).toBe(
      '{"type":"request","name":"set","id":7,"args":["a b","","x"]}\n{"type":"inform","name":"m","args":[{"$bytes":"/w=="}]}\n',
    )
    expect([code, stderr]).toEqual([0, ''])
  })

  it('reads a file', async () => {
    const path = join(folder, 'lines')
    writeFileSync(path, '?a\n?b\n')
    const { code, stdout } = await wiretape(['decode', 'katcp', path])
    expect([code, stdout.toString().split('\n').length]).toEqual([0, 3])
  })

  it('stops at a bad line, or reports it and goes on', async () => {
    const input = '?a\n?b!\n?c\n\\\n?d\n'
    const stopped = await wiretape(['decode', 'katcp'], input)
    expect(stopped.code).toBe(1)
    expect(stopped.stdout.toString()).toBe('{"type":"request","name":"a","args":[]}\n')
    expect(stopped.stderr).toMatch(/^wiretape: standard input: WT_KATCP_BAD_NAME: .* at offset 5\n$/)
    const went = await wiretape(['decode', 'katcp', '--keep-going'], input)
    expect(went.code).toBe(1)
    expect(went.stdout.toString().match(/"name":"(\w)"/g)).toEqual(['"name":"a"', '"name":"c"', '"name":"d"'])
    expect(went.stderr.match(/at offset \d+\n/g)).toEqual(['at offset 5\n', 'at offset 10\n'])
  })

  it('applies limits', async () => {
    const { code, stderr } = await wiretape(['decode', 'katcp', '--limit', 'maxLineBytes=4'], '?ab\n?abc\n')
    expect(code).toBe(1)
    expect(stderr).toContain('WT_KATCP_LINE_TOO_LONG')
    expect((await wiretape(['decode', 'katcp', '--limit', 'maxLines=4'])).code).toBe(2)
  })

  it('prints each message as it comes, not at the end of the input', async () => {
    const child = start(['decode', 'katcp'])
    child.stdin.write('?a\n?unfinish')
    const [first] = (await once(child.stdout, 'data')) as [Buffer]
    expect(first.toString()).toBe('{"type":"request","name":"a","args":[]}\n')
    child.stdin.end('ed\n')
    const [second] = (await once(child.stdout, 'data')) as [Buffer]
    expect(second.toString()).toContain('"unfinished"')
    expect(await once(child, 'close')).toEqual([0, null])
  })

  it('ends quietly when its output is closed', async () => {
    const child = start(['decode', 'katcp'])
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdin.on('error', () => {})
    const closed = once(child, 'close')
    const lines = Buffer.from('?some-request 1 2 3\n'.repeat(5000))
    const feed = setInterval(() => child.stdin.write(lines), 1)
    await once(child.stdout, 'data')
    child.stdout.destroy()
    expect(await closed).toEqual([0, null])
    clearInterval(feed)
    expect(stderr).toBe('')
  })

  it('is ended by an interrupt', async () => {
    const child = start(['decode', 'katcp'])
    child.stdin.write('?a\n')
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([null, 'SIGINT'])
  })

  it('holds no more of a long input than it needs', async () => {
    // 48 MB of lines through a heap of 24 MB.
    const child = start(['decode', 'katcp'], ['--max-old-space-size=24'])
    const lines = Buffer.from('#sensor-status 1427801237.000 1 ant1.mode nominal 17\n'.repeat(20_000))
    let printed = 0
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.length
    })
    const closed = once(child, 'close')
    for (let i = 0; i < 45; i++) if (!child.stdin.write(lines)) await once(child.stdin, 'drain')
    child.stdin.end()
    expect(await closed).toEqual([0, null])
    expect(printed).toBe(
      '{"type":"inform","name":"sensor-status","args":["1427801237.000","1","ant1.mode","nominal","17"]}\n'.length *
        900_000,
    )
  })
})

describe('wiretape encode katcp', () => {
  it('names a bad line by its number', async () => {
    for (const bad of [
      'null',
      '[]',
      '{"type":"request"}',
      '{"type":"request","name":"a b"}',
      '{"type":"request","name":"a","args":[[]]}',
    ]) {
      const input = `{"type":"request","name":"a","args":["x",1,{"$bytes":"AA=="}]}\n${bad}\n`
      const { code, stdout, stderr } = await wiretape(['encode', 'katcp'], input)
      expect([code, stdout.toString()]).toEqual([1, '?a x 1 \\0\n'])
      expect(stderr).toMatch(/^wiretape: standard input: line 2: WT_KATCP_[A-Z_]+: .*\n$/)
    }
  })
})
