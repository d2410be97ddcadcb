const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Characters that are coloured; more would make more elements than a page bears. */
const MOST_COLOURED = 1 << 16

/** JSON indented, where it is whole. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2)
  } catch {
    return json
  }
}

/** Shows JSON with its words told apart. Numbers beyond 2^53 stand in strings in this form, so that nothing is lost on the way. */
export function showJson(target: HTMLElement, json: string): void {
  const text = indented(json)
  const coloured = text.slice(0, MOST_COLOURED)
  const nodes: (Node | string)[] = []
  let at = 0
  for (const match of coloured.matchAll(TOKEN)) {
    const [whole, string, colon, word] = match
    nodes.push(coloured.slice(at, match.index))
    const kind = colon !== undefined ? 'key' : string !== undefined ? 'string' : word !== undefined ? 'word' : 'number'
    const span = document.createElement('span')
    span.className = `json-${kind}`
    span.textContent = string ?? whole
    nodes.push(span, colon ?? '')
    at = match.index + whole.length
  }
  nodes.push(text.slice(at))
  target.replaceChildren(...nodes)
}
