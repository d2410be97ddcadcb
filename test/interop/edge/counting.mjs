// The example, with its input and output counted; GET /count says how much of both there was.
import worker from './worker.js'

let received = 0
let answered = 0
/** The most units that were read and not yet answered, by the bytes that each has. */
let held = 0

const counted = (stream, count) =>
  new ReadableStream(
    {
      start() {
        this.reader = stream.getReader()
      },
      async pull(control) {
        const { done, value } = await this.reader.read()
        if (done) return control.close()
        count(value)
        control.enqueue(value)
      },
      cancel(reason) {
        return this.reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )

export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/count') return Response.json({ received, answered, held })
    const unitBytes = Number(searchParams.get('unitBytes'))
    received = 0
    answered = 0
    held = 0
    const body = counted(request.body, (chunk) => {
      received += chunk.length
      held = Math.max(held, received - answered * unitBytes)
    })
    const response = await worker.fetch(new Request(new URL('/decode/katcp', request.url), { method: 'POST', body }))
    return new Response(
      counted(response.body, (chunk) => {
        for (const byte of chunk) if (byte === 10) answered++
      }),
      response,
    )
  },
}
