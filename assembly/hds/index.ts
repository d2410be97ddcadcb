export { hdsPackInts } from './integers'
export { hdsScan } from './scan'
