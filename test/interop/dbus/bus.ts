import { type ChildProcess, type ChildProcessByStdio, execFile, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { it } from 'vitest'

const exec = promisify(execFile)
const TOOLS = ['dbus-daemon', 'dbus-send', 'gdbus', 'busctl']
const missing = TOOLS.filter((tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).error !== undefined)

/** Runs the tests where a message bus is installed; elsewhere one test says that it is not, which is a fault where it must be. */
export function withBus(tests: () => void): void {
  if (missing.length === 0) tests()
  else
    it('NOT RUN: the message bus is absent, `npm run setup:peers` installs it', () => {
      if (process.env['REQUIRE_PEERS'] === '1') throw new Error(`there is no ${missing.join(', no ')}`)
    })
}

const config = (path: string): string => `<!DOCTYPE busconfig PUBLIC
  "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

/** A message bus of its own, which nothing else on the machine knows. */
export class PrivateBus {
  readonly address: string
  readonly #daemon: ChildProcess
  readonly #folder: string

  private constructor(address: string, daemon: ChildProcess, folder: string) {
    this.address = address
    this.#daemon = daemon
    this.#folder = folder
  }

  static async start(): Promise<PrivateBus> {
    const folder = mkdtempSync(join(tmpdir(), 'wiretape-bus-'))
    const file = join(folder, 'bus.conf')
    writeFileSync(file, config(join(folder, 'socket')))
    const daemon = spawn('dbus-daemon', [`--config-file=${file}`, '--nofork', '--nopidfile', '--print-address'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const { done, value } = await createInterface(daemon.stdout)[Symbol.asyncIterator]().next()
    if (done) throw new Error('dbus-daemon has ended')
    return new PrivateBus(value as string, daemon, folder)
  }

  /** What a tool prints whose session bus this is; rejects where it fails, with what it says of that in `stderr`. */
  async tool(command: string, ...args: readonly string[]): Promise<string> {
    return (await exec(command, args, { timeout: 20_000, env: this.#environment })).stdout.trim()
  }

  /** A tool that runs on. */
  spawn(command: string, ...args: readonly string[]): ChildProcessByStdio<null, Readable, null> {
    return spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'], env: this.#environment })
  }

  get #environment(): NodeJS.ProcessEnv {
    return { ...process.env, DBUS_SESSION_BUS_ADDRESS: this.address }
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#daemon.once('exit', resolve))
    this.#daemon.kill()
    await ended
    rmSync(this.#folder, { recursive: true })
  }
}
