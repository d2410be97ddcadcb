// A D-Bus body as text, by its signature.
import { double, quoted } from './shown.mjs'

/** End of the single complete type that begins at `at`. */
function endOf(signature, at) {
  if (signature[at] === 'a') return endOf(signature, at + 1)
  if (signature[at] !== '(' && signature[at] !== '{') return at + 1
  let end = at + 1
  while (signature[end] !== ')' && signature[end] !== '}') end = endOf(signature, end)
  return end + 1
}

function typesOf(signature) {
  const types = []
  for (let at = 0; at < signature.length; at = endOf(signature, at))
    types.push(signature.slice(at, endOf(signature, at)))
  return types
}

function show(type, value) {
  switch (type[0]) {
    case 'a':
      return `[${Array.from(value, (item) => show(type.slice(1), item)).join(' ')}]`
    case '(':
      return `(${dbusBody(type.slice(1, -1), value)})`
    case '{':
      return `{${dbusBody(type.slice(1, -1), value)}}`
    case 'v':
      return `<${value.signature} ${show(value.signature, value.value)}>`
    case 's':
    case 'o':
    case 'g':
      return quoted(value)
    case 'd':
      return double(value)
    case 'b':
      return String(+value)
    case 'h':
      return 'h'
    default:
      return String(value)
  }
}

export const dbusBody = (signature, values) =>
  typesOf(signature)
    .map((type, i) => show(type, values[i]))
    .join(' ')
