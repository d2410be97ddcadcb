import { spawn } from 'node:child_process'
import type { Outcome } from './place'

/** Runs a program to its end and returns what it prints; it is ended with all its children when it takes too long. */
export function print(command: string, args: readonly string[], cwd: string, milliseconds = 120_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const { NODE_OPTIONS: _, ...env } = process.env
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), milliseconds)
    child.on('error', reject)
    child.on('close', (status, signal) => {
      clearTimeout(timer)
      if (status === 0) resolve(stdout)
      else reject(new Error(`${command} ${args.join(' ')}: ${status ?? signal}\n${stdout}${stderr}`))
    })
  })
}

/** Runs a program whose last line is the outcome of the suite. */
export async function outcomeOf(command: string, args: readonly string[], cwd: string): Promise<Outcome> {
  const text = await print(command, args, cwd)
  return JSON.parse(text.trimEnd().split('\n').at(-1)!) as Outcome
}
