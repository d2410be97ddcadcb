import * as core from 'wiretape'
import * as dbus from 'wiretape/dbus'
import * as hds from 'wiretape/hds'
import * as hpack from 'wiretape/hpack'
import * as katcp from 'wiretape/katcp'
import { nobleCipher } from 'wiretape/noble'
import * as opack from 'wiretape/opack'
import * as websocket from 'wiretape/websocket'
import { cases, wasm } from './cases.mjs'
import { smoke } from './smoke.mjs'

export const run = (options) =>
  smoke({ core, dbus, hds, hpack, katcp, nobleCipher, opack, websocket }, { cases, wasm }, options)
