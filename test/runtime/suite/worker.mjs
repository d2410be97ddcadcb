import module from 'wiretape/core.wasm'
import { run } from './all.mjs'

export default {
  async fetch(request) {
    return Response.json(await run({ ...(await request.json()), module }))
  },
}
