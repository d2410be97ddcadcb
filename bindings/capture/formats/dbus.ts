import { DEFAULT_LIMITS } from '../../dbus'
import { MessageReader } from '../dbus_messages'
import type { CaptureFormat } from '../format'

export const dbus: CaptureFormat = {
  about: 'D-Bus messages: a stream of bytes, or a capture of dbus-monitor --pcap or busctl capture',
  limits: { ...DEFAULT_LIMITS },
  keepsGoing: true,
  decoder: ({ limits, keepGoing }) =>
    new MessageReader({ limits, bytes: 'view', validate: 'eager', errors: keepGoing ? 'report' : 'throw' }),
}
