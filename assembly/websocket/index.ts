export { wsEncode } from './encode'
export { wsScan, wsUnmask } from './frames'
