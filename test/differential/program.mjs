// A peer that is a program: a line of hexadecimal digits in, a line out.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Inputs that are under way together: pipes hold some 64 KiB. */
const BATCH = 200

export class Program {
  #child
  #lines

  constructor(command, args = []) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]()
  }

  /** One answer for each line. */
  async ask(lines) {
    const answers = []
    for (let at = 0; at < lines.length; at += BATCH) {
      const batch = lines.slice(at, at + BATCH)
      this.#child.stdin.write(`${batch.join('\n')}\n`)
      for (let i = 0; i < batch.length; i++) {
        const { done, value } = await this.#lines.next()
        if (done) throw new Error(`the program has ended at: ${batch[i]}`)
        answers.push(value)
      }
    }
    return answers
  }

  close() {
    this.#child.kill()
  }
}
