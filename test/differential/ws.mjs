// ws: its receiver alone.
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fromClient } from './ours.mjs'

const MOST_BYTES = 16 << 20

export function wsPeer(require) {
  // Its parts are no subpaths.
  const part = (name) => require(join(dirname(require.resolve('ws')), 'lib', name))
  const Receiver = part('receiver.js')
  const { kStatusCode } = part('constants.js')
  const hex = (bytes) => Buffer.from(bytes).toString('hex')

  async function one(bytes) {
    const receiver = new Receiver({ isServer: fromClient(bytes), maxPayload: MOST_BYTES })
    const units = []
    let end = ''
    receiver.on('message', (data, isBinary) => units.push(`${isBinary ? 'binary' : 'text'}:${hex(data)}`))
    receiver.on('ping', (data) => units.push(`ping:${hex(data)}`))
    receiver.on('pong', (data) => units.push(`pong:${hex(data)}`))
    receiver.on('conclude', (code, reason) => units.push(`close:${code}:${hex(reason)}`))
    receiver.on('error', (error) => {
      end = `error ${error[kStatusCode]}`
    })
    // It unmasks in place.
    receiver.write(Buffer.from(bytes))
    await setImmediate()
    return [...units, end].join(' ').trim()
  }

  return {
    async ask(inputs) {
      const answers = []
      for (const input of inputs) answers.push(await one(input))
      return answers
    },
    close() {},
  }
}
