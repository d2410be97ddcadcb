import type { CaptureFormatName, CaptureOption } from 'wiretape/capture'
import type { Formats, Reading } from './protocol'

const NAMES: Readonly<Record<CaptureFormatName, string>> = {
  websocket: 'WebSocket',
  dbus: 'D-Bus',
  hpack: 'HPACK',
  katcp: 'KATCP',
  hds: 'HomeKit Data Stream, OPACK',
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

/** A choice, as a select. */
const select = (id: string, values: readonly (readonly [string, string])[], value: string) => {
  const made = element('select', { id, name: id }, ...values.map(([value, text]) => element('option', { value }, text)))
  made.value = value
  return made
}

const field = (label: string, hint: string, control: HTMLElement, kind = '') =>
  element(
    'label',
    { className: `field ${kind}`, title: hint, htmlFor: control.id },
    element('span', {}, label),
    control,
  )

/** The format and its options: what the library says that there are, as controls. */
export class ReadingForm {
  readonly #form: HTMLFormElement
  readonly #formats: Formats
  readonly #changed: (reading: Reading) => void

  constructor(form: HTMLFormElement, formats: Formats, changed: (reading: Reading) => void) {
    this.#form = form
    this.#formats = formats
    this.#changed = changed
    form.addEventListener('submit', (event) => event.preventDefault())
    form.addEventListener('change', ({ target }) => {
      const id = (target as HTMLElement).id
      if (id === 'format')
        this.show({ format: this.#value('format') as CaptureFormatName, options: {}, keepGoing: false })
      this.#changed(this.reading)
      // The control that was used is another one now.
      if (id === 'format') this.#form.querySelector<HTMLElement>('#format')?.focus()
    })
  }

  show({ format, options, keepGoing }: Reading): void {
    const { about, options: known = [], keepsGoing = false } = this.#formats[format]
    const names = Object.entries(NAMES)
    const controls = [field('Format', about, select('format', names, format))]
    for (const option of known) controls.push(...this.#controls(option, options[option.name]))
    if (keepsGoing) {
      const box = element('input', { type: 'checkbox', id: 'keep-going', checked: keepGoing })
      controls.push(field('Go on behind bad units', 'Shows them among the others', box, 'check'))
    }
    this.#form.replaceChildren(...controls)
  }

  get reading(): Reading {
    const format = this.#value('format') as CaptureFormatName
    const { options: known = [] } = this.#formats[format]
    const options: Record<string, string | boolean> = {}
    for (const { name, value, optional } of known) {
      const on = this.#form.querySelector<HTMLInputElement>(`#switch-${name}`)?.checked ?? true
      const text = this.#value(`option-${name}`).trim()
      if (!on || (text === '' && value !== undefined && !optional)) continue
      options[name] = text === '' ? true : text
    }
    const keepGoing = this.#form.querySelector<HTMLInputElement>('#keep-going')?.checked ?? false
    return { format, options, keepGoing }
  }

  #value(id: string): string {
    return this.#form.querySelector<HTMLInputElement | HTMLSelectElement>(`#${id}`)?.value ?? ''
  }

  #controls(
    { name, value, optional, about, choices, default: usual }: CaptureOption,
    given: string | boolean | undefined,
  ) {
    const id = `option-${name}`
    const text = typeof given === 'string' ? given : ''
    const made: HTMLLabelElement[] = []
    if (value === undefined || optional) {
      const box = element('input', {
        type: 'checkbox',
        id: `switch-${name}`,
        checked: given !== undefined && given !== false,
      })
      made.push(field(name, about, box, 'check'))
    }
    if (choices) {
      const values = choices.map((choice) => [choice, choice] as const)
      made.push(field(name, about, select(id, values, text || (usual ?? choices[0]!))))
    } else if (value !== undefined) {
      const input = element('input', { type: 'text', id, value: text, placeholder: usual ?? value, spellcheck: false })
      input.size = name === 'key' ? 20 : name === 'counter' ? 4 : 14
      made.push(optional ? field('parameters', about, input, 'depends') : field(name, about, input))
    }
    return made
  }
}
