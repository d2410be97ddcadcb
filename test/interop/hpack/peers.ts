import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { it } from 'vitest'
import type { HeaderField } from '../../../bindings/hpack/index'

const program = fileURLToPath(new URL('../../../build/hpack-peer', import.meta.url))
export const present = existsSync(program) && spawnSync('nghttpd', ['--version'], { stdio: 'ignore' }).status === 0

/** Runs the tests where nghttp2 is installed; elsewhere one test says that it is not, which is a fault where it must be. */
export function withNghttp2(tests: () => void): void {
  if (present) tests()
  else
    it('NOT RUN: nghttp2 is absent, `npm run setup:peers` installs it', () => {
      if (process.env['REQUIRE_PEERS'] === '1') throw new Error(`there is no ${program}, or no nghttpd`)
    })
}

const hex = (text: string) => Buffer.from(text, 'latin1').toString('hex')
const unhex = (text: string) => Buffer.from(text, 'hex').toString('latin1')

export type Field = Pick<HeaderField, 'name' | 'value' | 'sensitive'>

/** One connection of nghttp2's, both directions. */
export class Nghttp2 {
  readonly #process: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor() {
    this.#process = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#lines = createInterface(this.#process.stdout!)[Symbol.asyncIterator]()
  }

  async #ask(line: string): Promise<string> {
    this.#process.stdin!.write(`${line}\n`)
    const { done, value } = await this.#lines.next()
    if (done) throw new Error('the program has ended')
    return value
  }

  async reset(): Promise<void> {
    await this.#ask('reset')
  }

  async settings(size: number): Promise<void> {
    await this.#ask(`settings ${size}`)
  }

  /** The list of a block; undefined: it is refused. */
  async decode(block: Uint8Array): Promise<Field[] | undefined> {
    const [, ...items] = (await this.#ask(`decode ${Buffer.from(block).toString('hex')}`)).split(' ')
    if (items.at(-1) === 'error') return undefined
    return items.map((item) => {
      const [name, value, never] = item.split(':') as [string, string, string]
      return { name: unhex(name), value: unhex(value), sensitive: never === '1' }
    })
  }

  async encode(list: readonly Field[]): Promise<Uint8Array> {
    const items = list.map(({ name, value, sensitive }) => ` ${hex(name)}:${hex(value)}:${Number(sensitive)}`)
    const [ok, text = ''] = (await this.#ask(`encode${items.join('')}`)).split(' ')
    if (ok !== 'ok') throw new Error('nghttp2 cannot encode the list')
    return Buffer.from(text, 'hex')
  }

  end(): Promise<unknown> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.stdin!.end()
    return ended
  }
}
