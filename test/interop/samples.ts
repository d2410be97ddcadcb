import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import samples from '../../examples/samples.json'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

export interface Sample {
  readonly file: string
  readonly format: string
  readonly options: Readonly<Record<string, string>>
}

/** The captures of examples/. */
export const SAMPLES = samples as unknown as readonly Sample[]

export const sampleBytes = ({ file }: Sample): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(at(`examples/${file}`)))

/** What `wiretape decode` prints of a capture, and says on standard error. */
export function decodeCommand({ format, options }: Sample, bytes: Uint8Array): { stdout: string; stderr: string } {
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  return spawnSync(process.execPath, [at('dist/cli.js'), 'decode', format, ...args], {
    input: bytes,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
}
