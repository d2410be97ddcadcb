import { fromJson, toJson } from 'wiretape'
import * as dbus from 'wiretape/js/dbus'
import * as hds from 'wiretape/js/hds'
import * as hpack from 'wiretape/js/hpack'
import * as katcp from 'wiretape/js/katcp'
import * as opack from 'wiretape/js/opack'
import * as websocket from 'wiretape/js/websocket'
import { nobleCipher } from 'wiretape/noble'
import { cases } from './cases.mjs'
import { smoke } from './smoke.mjs'

// Without `core`: these subpaths have no choice of backend.
const library = { json: { fromJson, toJson }, dbus, hds, hpack, katcp, nobleCipher, opack, websocket }

smoke(library, { cases }, { backends: ['js'] }).then((outcome) => console.log(JSON.stringify(outcome)))
