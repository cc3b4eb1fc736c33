/** Finds values in a JSON text: by path, each as it is written there. */
export type JsonPeek = (text: string) => ReadonlyMap<string, string>

/**
 * Looks for a few values of a JSON text that may break off anywhere, and builds nothing of the rest. Objects and arrays
 * are shown as `{` and `[`: that they are there. What is cut is not found, and neither is what comes after something
 * that is not JSON. Of a name that comes twice, the last value counts.
 *
 * @param paths Names of members, with dots in between. Nothing is looked for inside of arrays.
 * @example
 * jsonPeek(['id', 'error.code'])('{"id":"a","error":{"code":-32601,"mess') // id → '"a"', error.code → '-32601'
 */
export const jsonPeek = (paths: readonly string[]): JsonPeek => {
  const root = treeOf(paths)
  return (text) => {
    const found = new Map<string, string>()
    value(text, 0, root, found)
    return found
  }
}

interface Place {
  readonly path: string
  readonly wanted: boolean
  readonly members: Map<string, Place>
}

const treeOf = (paths: readonly string[]): Place => {
  const root: Place = { path: '', wanted: false, members: new Map() }
  for (const path of paths) {
    let place = root
    const names = path.split('.')
    for (const [i, name] of names.entries()) {
      const known = place.members.get(name)
      const next = {
        path: names.slice(0, i + 1).join('.'),
        wanted: (known?.wanted ?? false) || i === names.length - 1,
        members: known?.members ?? new Map<string, Place>(),
      }
      place.members.set(name, next)
      place = next
    }
  }
  return root
}

/** Where a value ends; -1 if the text does before. */
const value = (text: string, start: number, place: Place | undefined, found: Map<string, string>): number => {
  const i = blank(text, start)
  const end = ending(text, i, place, found)
  if (end >= 0 && place?.wanted && text[i] !== '{' && text[i] !== '[')
    found.set(place.path, text.slice(i, end))
  return end
}

const ending = (text: string, i: number, place: Place | undefined, found: Map<string, string>): number => {
  const first = text[i]
  if (first === '"') return stringEnd(text, i)
  if (first !== '{' && first !== '[') return scalarEnd(text, i)
  if (place?.wanted) found.set(place.path, first)
  // Going down only where something is looked for keeps hostile depths from the stack.
  return first === '{' && place?.members.size ? members(text, i, place, found) : bracketEnd(text, i)
}

const members = (text: string, start: number, place: Place, found: Map<string, string>): number => {
  let i = blank(text, start + 1)
  if (text[i] === '}') return i + 1
  for (;;) {
    if (text[i] !== '"') return -1
    const end = stringEnd(text, i)
    if (end < 0) return -1
    const name = text.slice(i + 1, end - 1)
    i = blank(text, end)
    if (text[i] !== ':') return -1
    i = value(text, i + 1, place.members.get(name), found)
    if (i < 0) return -1
    i = blank(text, i)
    if (text[i] === '}') return i + 1
    if (text[i] !== ',') return -1
    i = blank(text, i + 1)
  }
}

const blank = (text: string, start: number): number => {
  let i = start
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\r' || text[i] === '\t') i++
  return i
}

/** Behind the closing quotation mark. */
const stringEnd = (text: string, start: number): number => {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i + 1
  }
  return -1
}

/** Behind a number or a word. One that reaches the end of the text may have been cut. */
const scalarEnd = (text: string, start: number): number => {
  for (let i = start; i < text.length; i++)
    if (',]} \n\r\t'.includes(text.charAt(i))) return i > start ? i : -1
  return -1
}

const bracketEnd = (text: string, start: number): number => {
  let depth = 0
  for (let i = start; i < text.length; i++) {
    const one = text[i]
    if (one === '"') {
      i = stringEnd(text, i) - 1
      if (i < 0) return -1
    } else if (one === '{' || one === '[') depth++
    else if ((one === '}' || one === ']') && --depth === 0) return i + 1
  }
  return -1
}
