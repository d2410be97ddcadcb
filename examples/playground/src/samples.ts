import type { CaptureFormatName } from 'wiretape/capture'
import list from '../../samples.json'

const urls = import.meta.glob<string>(
  ['../../session.katcp', '../../{websocket,dbus,hpack,hds,opack}/*.{bin,pcap,http2}'],
  {
    query: '?url',
    import: 'default',
    eager: true,
  },
)

const NAMES: Readonly<Record<string, string>> = {
  'websocket/session.bin': 'WebSocket',
  'dbus/session.pcap': 'D-Bus',
  'hpack/session.http2': 'HPACK',
  'session.katcp': 'KATCP',
  'hds/session.bin': 'HDS messages',
  'hds/frames.bin': 'HDS frames, sealed',
  'opack/values.bin': 'OPACK',
}

export interface SampleCapture {
  readonly name: string
  readonly title: string
  readonly about: string
  readonly url: string
  readonly format: CaptureFormatName
  readonly options: Readonly<Record<string, string>>
}

export const SAMPLES: readonly SampleCapture[] = list.map(({ file, format, options, about }) => ({
  name: file.replace('/', '-'),
  title: NAMES[file] ?? file,
  about,
  url: urls[`../../${file}`]!,
  format: format as CaptureFormatName,
  options: options as Readonly<Record<string, string>>,
}))
