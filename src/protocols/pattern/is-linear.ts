/** One element of a pattern, with its quantifier. */
interface Atom {
  readonly text: string
  readonly unbounded: boolean
  readonly optional: boolean
}

/**
 * Whether a backtracking engine, anchored at both ends, matches this pattern in linear time. Conservative:
 * true is a proof, false only means that none was found.
 *
 * Accepted: a sequence of single-character atoms, each with any quantifier, and unquantified groups without
 * unbounded repetition. An unbounded atom is harmless if the next, mandatory atom cannot match the same
 * characters (giving up a character then never helps) or if it ends the pattern; one other is allowed, since
 * alone it backtracks once.
 */
export const isLinear = (pattern: string): boolean => {
  if (/\(\?|\\[1-9bBpPkzAGQECX]/.test(pattern)) return false
  const atoms = split(pattern)
  if (!atoms) return false
  let ambiguous = 0
  atoms.forEach((atom, i) => {
    if (!atom.unbounded || i === atoms.length - 1) return
    const next = atoms[i + 1] as Atom
    if (next.optional || next.text.startsWith('(') || overlap(atom.text, next.text)) ambiguous++
  })
  return ambiguous <= 1
}

const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/
const CHARACTER = /^(?:\\[^\n]|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\()[\]{}|*+?])/
/** A group of literal alternatives, such as `(v1|v2)`. */
const PLAIN_GROUP = /^\((?:\\.|[^\\()[\]{}*+?])*\)/

const split = (pattern: string): Atom[] | undefined => {
  const atoms: Atom[] = []
  let rest = pattern
  while (rest) {
    const text = (PLAIN_GROUP.exec(rest) ?? CHARACTER.exec(rest))?.[0]
    if (text === undefined || text.startsWith('[[:')) return undefined
    rest = rest.slice(text.length)
    const quantifier = QUANTIFIER.exec(rest)?.[0] ?? ''
    rest = rest.slice(quantifier.length)
    if (quantifier && text.startsWith('(')) return undefined
    if (/\d{3}/.test(quantifier)) return undefined
    const unbounded = /^[*+]|,\}/.test(quantifier)
    atoms.push({ text, unbounded, optional: /^[*?]|^\{0/.test(quantifier) })
  }
  return atoms
}

/** Whether some character matches both atoms; everything beyond ASCII counts as one. */
const overlap = (a: string, b: string): boolean => {
  const [left, right] = [new RegExp(`^${a}$`), new RegExp(`^${b}$`)]
  for (let code = 0; code <= 128; code++) {
    const character = code < 128 ? String.fromCharCode(code) : 'é'
    if (left.test(character) && right.test(character)) return true
  }
  return false
}
