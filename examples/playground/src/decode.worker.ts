import { backend, backendReason } from 'wiretape'
import { FORMATS, WireError } from 'wiretape/capture'
import { fflateDeflate } from 'wiretape/fflate'
import { nobleCipher } from 'wiretape/noble'
import type { Answer, Formats, Reading, Request } from './protocol'
import { Session } from './session'

/** Milliseconds of decoding between two looks at what is asked. */
const SLICE = 12
/** Milliseconds between two reports. */
const REPORT = 80

const say = (answer: Answer): void => postMessage(answer)

const reason = backendReason()
say({
  type: 'ready',
  backend: backend(),
  reason: reason instanceof Error ? reason.message : String(reason ?? ''),
  // Functions cannot be sent.
  formats: JSON.parse(JSON.stringify(FORMATS)) as Formats,
})

let current = 0
let session: Session | undefined

/** The next turn, without the four milliseconds that timers take. */
const channel = new MessageChannel()
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    channel.port1.onmessage = () => resolve()
    channel.port2.postMessage(undefined)
  })

async function open(number: number, file: Blob, reading: Reading): Promise<void> {
  current = number
  session = undefined
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    if (current !== number) return
    session = new Session(bytes, reading, { deflate: fflateDeflate, cipher: nobleCipher })
  } catch (error) {
    if (current === number) say({ type: 'refused', session: number, message: (error as Error).message })
    if (!WireError.is(error) && !(error instanceof DOMException)) throw error
    return
  }
  for (let reported = -REPORT; current === number; ) {
    const until = performance.now() + SLICE
    session.step(() => performance.now() >= until)
    const { progress } = session
    if (progress.done || performance.now() - reported >= REPORT) {
      say({ type: 'progress', session: number, ...progress })
      reported = performance.now()
    }
    if (progress.done) return
    await turn()
  }
}

addEventListener('message', ({ data }: MessageEvent<Request>) => {
  if (data.type === 'open') {
    open(data.session, data.file, data.reading)
    return
  }
  if (!session || data.session !== current) return
  const { progress } = session
  if (data.type === 'rows') {
    const rows = []
    for (let i = data.from; i < Math.min(data.to, progress.units); i++) rows.push(session.row(i))
    say({ type: 'rows', session: current, from: data.from, rows })
  } else if (data.type === 'unit') {
    if (data.index < progress.units) say({ type: 'unit', session: current, ...session.unit(data.index) })
  } else say({ type: 'found', session: current, index: session.find(data.offset) })
})
