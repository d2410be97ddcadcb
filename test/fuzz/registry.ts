import * as dbusBindings from './bindings/dbus'
import * as hdsBindings from './bindings/hds'
import * as hpackBindings from './bindings/hpack'
import * as katcpBindings from './bindings/katcp'
import type { BindingsTarget } from './bindings/target'
import * as websocketBindings from './bindings/websocket'
import * as dbus from './kernels/dbus'
import * as hds from './kernels/hds'
import * as hpack from './kernels/hpack'
import * as katcp from './kernels/katcp'
import type { KernelTarget } from './kernels/target'
import * as websocket from './kernels/websocket'

/** `kernels`: by coverage, under the bindings. `bindings`: bytes into the public API. `values`: values into the encoders. */
export type Mode = 'kernels' | 'bindings' | 'values'
export const MODES: readonly Mode[] = ['kernels', 'bindings', 'values']

export interface Format {
  readonly kernels: KernelTarget
  readonly bindings: BindingsTarget
}

export const FORMATS: Readonly<Record<string, Format>> = {
  dbus: { kernels: dbus.target, bindings: dbusBindings.target },
  hds: { kernels: hds.target, bindings: hdsBindings.target },
  hpack: { kernels: hpack.target, bindings: hpackBindings.target },
  katcp: { kernels: katcp.target, bindings: katcpBindings.target },
  websocket: { kernels: websocket.target, bindings: websocketBindings.target },
}
