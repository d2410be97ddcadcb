import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import samples from '../../examples/samples.json'

interface Job {
  readonly path: string
  readonly format: string
  readonly options?: object
}
interface Outcome {
  readonly path: string
  readonly units: number
  readonly bytes: number
  readonly lines: readonly Uint8Array[]
  readonly error?: { readonly code?: string; readonly offset?: number; readonly message: string }
}
interface Example {
  decodeCapture(job: Job): Promise<Outcome>
  decodeCaptures(
    jobs: readonly Job[],
    each: (outcome: Outcome) => unknown,
    options?: { threads?: number },
  ): Promise<void>
}
const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const { decodeCapture, decodeCaptures } = (await import(/* @vite-ignore */ at('examples/parallel.mjs'))) as Example

const folder = mkdtempSync(join(tmpdir(), 'wiretape-parallel-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const good: Job[] = samples.map(({ file, format, options }) => ({ path: at(`examples/${file}`), format, options }))
/** 2 MB of lines, so that its units come in several pieces. */
const large = { path: file('large.katcp', '#inform with some words\\_in it\n'.repeat(70_000)), format: 'katcp' }
const bad: Job[] = [
  { path: file('bad.katcp', '?good\n1bad\n?good\n'), format: 'katcp' },
  { path: file('cut.pcap', readFileSync(at('examples/dbus/session.pcap')).subarray(0, 2000)), format: 'dbus' },
  { path: join(folder, 'absent.katcp'), format: 'katcp' },
  { path: large.path, format: 'websocket', options: { role: 'nobody' } },
]
const jobs = [...good, ...bad, large, ...good]

const summary = ({ lines, ...rest }: Outcome) => ({ ...rest, text: Buffer.concat(lines).toString() })
const sorted = (outcomes: readonly Outcome[]) =>
  outcomes.map(summary).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

describe('captures decoded in parallel', () => {
  it.each([1, 2, 3, 100])('are what they are in sequence, with %i threads', async (threads) => {
    const sequence: Outcome[] = []
    for (const job of jobs) sequence.push(await decodeCapture(job))
    const parallel: Outcome[] = []
    await decodeCaptures(jobs, (outcome) => parallel.push(outcome), { threads })
    expect(sorted(parallel)).toEqual(sorted(sequence))
    const errors = parallel.flatMap(({ error }) => (error ? [error.code] : []))
    expect(errors.sort()).toEqual(['ENOENT', 'WT_DBUS_CAPTURE', 'WT_KATCP_BAD_TYPE', 'WT_USAGE'])
    const { units, lines } = parallel.find(({ path, error }) => path === large.path && !error)!
    expect(units).toBe(70_000)
    expect(lines.length).toBeGreaterThan(1)
  })

  it('hand their memory over: it is the whole of a buffer', async () => {
    await decodeCaptures([large], ({ lines }) => {
      for (const { buffer, byteLength } of lines) expect(buffer.byteLength).toBe(byteLength)
    })
  })

  it('go on when one cannot even be asked for', async () => {
    const unclear = { ...good[0]!, options: { role: () => {} } }
    const outcomes: Outcome[] = []
    await decodeCaptures([good[3]!, unclear, good[3]!, good[3]!], (outcome) => outcomes.push(outcome), { threads: 1 })
    expect(outcomes.map(({ units, error }) => [units, error !== undefined])).toEqual([
      [278, false],
      [0, true],
      [278, false],
      [278, false],
    ])
  })

  it('end where the caller fails', async () => {
    const failing = decodeCaptures(jobs, () => Promise.reject(new Error('no room')), { threads: 2 })
    await expect(failing).rejects.toThrow('no room')
  })
})

describe('the command', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [at('examples/parallel.mjs'), ...args], { encoding: 'utf8', cwd: folder })

  it('decodes what it knows of a folder, into another', () => {
    mkdirSync(join(folder, 'in/deep'), { recursive: true })
    copyFileSync(at('examples/session.katcp'), join(folder, 'in/deep/a.katcp'))
    copyFileSync(at('examples/dbus/session.pcap'), join(folder, 'in/b.pcap'))
    copyFileSync(at('examples/session.katcp'), join(folder, 'in/c.txt'))
    const { status, stdout, stderr } = run('in', '--out', 'out', '--threads', '2')
    expect([stderr, status]).toEqual(['', 0])
    expect(stdout).toContain('2 captures, 0 bad, 337 units of 29993 bytes')
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(['in_b.pcap.ndjson', 'in_deep_a.katcp.ndjson'])
    const lines = readFileSync(join(folder, 'out/in_deep_a.katcp.ndjson'), 'utf8')
    const { stdout: printed } = spawnSync(
      process.execPath,
      [at('dist/cli.js'), 'decode', 'katcp', at('examples/session.katcp')],
      { encoding: 'utf8' },
    )
    expect(lines).toBe(printed)
  })

  it('reports each bad capture', () => {
    const { status, stdout } = run('bad.katcp', 'absent.katcp', 'large.katcp')
    expect(status).toBe(1)
    expect(stdout).toMatch(/^bad.katcp: 1 units of 17 bytes, then .* at offset 6$/m)
    expect(stdout).toMatch(/^absent.katcp: 0 units of 0 bytes, then ENOENT/m)
    expect(stdout).toMatch(/^large.katcp: 70000 units of \d+ bytes$/m)
    expect(stdout).toContain('3 captures, 2 bad')
  })

  it('takes options of the format, and says how it is used', () => {
    copyFileSync(at('examples/websocket/session.bin'), join(folder, 'session.bin'))
    const { status, stdout } = run('session.bin', '--format', 'websocket', '--set', 'role=server')
    expect([status, stdout.split('\n')[0]]).toEqual([0, 'session.bin: 7 units of 124 bytes'])
    for (const args of [[], ['session.bin'], ['session.bin', '--format', 'telnet'], ['in', '--threads', '0']]) {
      expect([args, run(...args).status]).toEqual([args, 2])
    }
  })
})
