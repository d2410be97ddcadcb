import './style.css'
import { ReadingForm } from './form'
import { guess } from './guess'
import { HexView } from './hex'
import { showJson } from './json'
import { grouped, UnitList } from './list'
import { Measurement } from './measurement'
import type { Answer, Fault, Progress, Reading, Request, Unit } from './protocol'
import { SAMPLES, type SampleCapture } from './samples'

const find = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T
const worker = new Worker(new URL('./decode.worker.ts', import.meta.url), { type: 'module' })
const ask = (request: Request): void => worker.postMessage(request)

/** What is open. */
interface Open {
  readonly name: string
  readonly file: Blob
  readonly bytes: Uint8Array<ArrayBuffer>
}
let open: Open | undefined
let session = 0
let progress: Progress = { units: 0, bad: 0, position: 0, done: true, fault: undefined }

const list = new UnitList({
  box: find('units'),
  ask: (from, to) => ask({ type: 'rows', session, from, to }),
  select: (index) => ask({ type: 'unit', session, index }),
})
const hex = new HexView(find('bytes'), (offset) => ask({ type: 'find', session, offset }))
/** There once the worker has said what formats there are. */
const ready = new Promise<ReadingForm>((resolve) => {
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    if (data.type !== 'ready') return
    showBackend(data.backend, data.reason)
    resolve(new ReadingForm(find<HTMLFormElement>('form'), data.formats, start))
  })
})
const form = await ready
const measurement = new Measurement(() => {
  if (!open || !progress.done) return undefined
  const { file, bytes, name } = open
  // A fault ends decoding: what is measured ends with the units before it.
  const end = progress.fault && faultStart !== undefined ? faultStart : bytes.length
  return { name, file: file.slice(0, end), reading: form.reading }
})
/** Where the unit with the fault begins. */
let faultStart: number | undefined

const count = (number: number, what: string): string => `${grouped(number)} ${what}${number === 1 ? '' : 's'}`

/** Opens a capture; a sample says how it is to be read, of others it is guessed. */
async function openCapture(name: string, file: Blob, reading?: Reading): Promise<void> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  open = { name, file, bytes }
  document.title = `${name} – wiretape playground`
  form.show(reading ?? { ...guess(bytes, name), keepGoing: false })
  hex.setBytes(bytes)
  find('bytes-note').textContent = count(bytes.length, 'byte')
  start(form.reading)
}

function start(reading: Reading): void {
  if (!open) return
  session++
  faultStart = undefined
  progress = { units: 0, bad: 0, position: 0, done: false, fault: undefined }
  list.clear()
  hex.mark([], undefined)
  measurement.clear()
  showFault(undefined)
  find('value').textContent = ''
  find('value-note').textContent = ''
  find('summary').textContent = ''
  find('units-note').textContent = ''
  ask({ type: 'open', session, file: open.file, reading })
}

function showProgress(now: Progress): void {
  const first = list.selected < 0 && now.units > 0
  progress = now
  list.setCount(now.units)
  const units = now.fault ? now.units - 1 : now.units
  find('units-note').textContent = grouped(units)
  const bar = find<HTMLProgressElement>('progress')
  bar.hidden = now.done
  bar.max = Math.max(1, open?.bytes.length ?? 1)
  bar.value = now.position
  if (!now.done) {
    if (first) list.choose(0)
    return
  }
  measurement.ready()
  const bad = now.bad - (now.fault ? 1 : 0)
  const parts = [`${open?.name}: ${count(units - bad, 'unit')} in ${count(now.position, 'byte')}`]
  if (bad > 0) parts.push(`${grouped(bad)} bad`)
  if (now.fault) parts.push('then a fault')
  find('summary').textContent = parts.join(', ')
  showFault(now.fault)
  if (now.fault) list.choose(now.units - 1)
  else if (first) list.choose(0)
}

function showFault(fault: Fault | undefined): void {
  const place = find('fault')
  place.hidden = fault === undefined
  if (!fault) {
    place.replaceChildren()
    return
  }
  const code = document.createElement('code')
  code.textContent = fault.code
  const text = document.createElement('span')
  text.textContent = fault.message
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', className: 'button small', textContent: 'Show it' })
  button.addEventListener('click', () => list.choose(progress.units - 1))
  place.replaceChildren(code, text, button)
}

function showUnit({ index, json, more, ranges, fault }: Unit): void {
  if (index !== list.selected) return
  if (fault && progress.done && index === progress.units - 1) faultStart = ranges[0]?.[0]
  hex.mark(ranges, fault?.offset)
  showJson(find('value'), json)
  const size = ranges.reduce((sum, [from, to]) => sum + to - from, 0)
  const pieces = ranges.length > 1 ? ` in ${ranges.length} pieces` : ''
  find('value-note').textContent = `${fault ? 'fault' : 'unit'} ${grouped(index)}, ${count(size, 'byte')}${pieces}`
  if (more > 0) find('value').append(`\n… ${count(more, 'character')} more`)
}

worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
  if (data.type === 'ready') return
  if (data.session !== session) return
  if (data.type === 'progress') showProgress(data)
  else if (data.type === 'rows') list.give(data.from, data.rows)
  else if (data.type === 'unit') showUnit(data)
  else if (data.type === 'found') list.choose(data.index)
  else {
    find<HTMLProgressElement>('progress').hidden = true
    showFault({ code: 'Not read', kind: 'usage', message: data.message, offset: undefined })
    find('fault').querySelector('button')?.remove()
  }
})

function showBackend(backend: 'wasm' | 'js', reason: string): void {
  const badge = find('backend')
  const wasm = backend === 'wasm'
  badge.hidden = false
  badge.dataset['backend'] = backend
  badge.textContent = wasm ? 'WebAssembly' : 'JavaScript answers'
  badge.title = wasm ? 'Kernels run as WebAssembly' : `WebAssembly cannot be had here: ${reason}`
  if (!wasm) badge.append(Object.assign(document.createElement('small'), { textContent: reason }))
}

async function openSample({ name, url, format, options }: SampleCapture): Promise<void> {
  const file = await (await fetch(url)).blob()
  await openCapture(name, file, { format, options, keepGoing: false })
}

for (const sample of SAMPLES) {
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', className: 'button', textContent: sample.title, title: sample.about })
  button.addEventListener('click', () => openSample(sample))
  find('samples').append(button)
}
find('samples').addEventListener('click', ({ target }) => {
  for (const button of find('samples').children) button.ariaPressed = String(button === target)
})
const pressed = () => {
  for (const button of find('samples').children) button.ariaPressed = 'false'
}

const input = find<HTMLInputElement>('file')
input.addEventListener('change', () => {
  const [file] = input.files ?? []
  if (!file) return
  pressed()
  openCapture(file.name, file)
})

const hasFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
addEventListener('dragover', (event) => {
  if (!hasFile(event)) return
  event.preventDefault()
  find('drop').hidden = false
})
addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) find('drop').hidden = true
})
addEventListener('drop', (event) => {
  if (!hasFile(event)) return
  event.preventDefault()
  find('drop').hidden = true
  const [file] = event.dataTransfer?.files ?? []
  if (!file) return
  pressed()
  openCapture(file.name, file)
})

find('samples').querySelectorAll('button')[3]?.click()
if (import.meta.env.PROD) navigator.serviceWorker?.register('./sw.js')
