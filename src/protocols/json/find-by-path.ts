/** Finds values in a JSON text by path; each is returned as JSON text. */
export type JsonPeek = (text: string) => ReadonlyMap<string, string>

/**
 * Searches a few values of a JSON text that may be cut anywhere, without building the rest. Objects and arrays are
 * returned as `{` and `[`, to show their presence. Values that are cut are not found, nor are values after invalid
 * JSON. For a repeated name, the last value is used.
 *
 * @param paths Names of members, with dots in between. Arrays are not searched.
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

interface PathNode {
  readonly path: string
  readonly isTarget: boolean
  readonly members: Map<string, PathNode>
}

const treeOf = (paths: readonly string[]): PathNode => {
  const root: PathNode = { path: '', isTarget: false, members: new Map() }
  for (const path of paths) {
    let node = root
    const names = path.split('.')
    for (const [i, name] of names.entries()) {
      const known = node.members.get(name)
      const next = {
        path: names.slice(0, i + 1).join('.'),
        isTarget: (known?.isTarget ?? false) || i === names.length - 1,
        members: known?.members ?? new Map<string, PathNode>(),
      }
      node.members.set(name, next)
      node = next
    }
  }
  return root
}

/** The end of a value; -1 if it is cut. */
const value = (
  text: string,
  start: number,
  node: PathNode | undefined,
  found: Map<string, string>,
): number => {
  const i = blank(text, start)
  const end = ending(text, i, node, found)
  if (end >= 0 && node?.isTarget && text[i] !== '{' && text[i] !== '[')
    found.set(node.path, text.slice(i, end))
  return end
}

const ending = (text: string, i: number, node: PathNode | undefined, found: Map<string, string>): number => {
  const first = text[i]
  if (first === '"') return stringEnd(text, i)
  if (first !== '{' && first !== '[') return scalarEnd(text, i)
  if (node?.isTarget) found.set(node.path, first)
  // Recursion follows the searched paths only, so that deep input cannot overflow the stack.
  return first === '{' && node?.members.size ? members(text, i, node, found) : bracketEnd(text, i)
}

const members = (text: string, start: number, node: PathNode, found: Map<string, string>): number => {
  let i = blank(text, start + 1)
  if (text[i] === '}') return i + 1
  for (;;) {
    if (text[i] !== '"') return -1
    const end = stringEnd(text, i)
    if (end < 0) return -1
    const name = text.slice(i + 1, end - 1)
    i = blank(text, end)
    if (text[i] !== ':') return -1
    i = value(text, i + 1, node.members.get(name), found)
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

/** The position after the closing quotation mark. */
const stringEnd = (text: string, start: number): number => {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i + 1
  }
  return -1
}

/** The position after a number or a literal. One that reaches the end of the text may be cut. */
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
