import { nobleCipher } from 'wiretape/noble'
import * as standalone from 'wiretape/standalone'
import { cases, wasm } from './cases.mjs'
import { smoke } from './smoke.mjs'

export const run = (options) => smoke({ core: standalone, ...standalone, nobleCipher }, { cases, wasm }, options)
