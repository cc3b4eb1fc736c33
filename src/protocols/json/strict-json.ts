import { readJson } from './read-json.ts'

/** A JSON text's value, or what is wrong with it. */
export type StrictJson = { readonly value: unknown } | { readonly problem: string }

/** Deeper nesting is refused: nobody needs it, and whoever walks through it recursively would run out of stack. */
const MAX_DEPTH = 32

/**
 * Parses JSON from someone who may want two readers to see two different things: of a name that comes twice some take
 * the first value and some the last (RFC 8259 §4), and half of a surrogate pair is no text. Both are refused.
 */
export const parseStrictJson = (text: string): StrictJson => {
  const value = readJson(text)
  if (value === undefined) return { problem: 'is not JSON' }
  const problem = problemIn(text)
  return problem === undefined ? { value } : { problem }
}

/** Looks through a text that is known to be JSON, so that only brackets, commas and strings are of interest. */
const problemIn = (text: string): string | undefined => {
  /** The names so far of each open object; undefined for arrays. */
  const open: (Set<string> | undefined)[] = []
  let names: Set<string> | undefined
  let isName = false
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case '{':
      case '[':
        if (open.length >= MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`
        names = text[i] === '{' ? new Set() : undefined
        open.push(names)
        isName = names !== undefined
        break
      case '}':
      case ']':
        open.pop()
        names = open.at(-1)
        break
      case ',':
        isName = names !== undefined
        break
      case '"': {
        const end = endOfString(text, i)
        const string = stringOf(text.slice(i, end + 1))
        if (!string.isWellFormed()) return 'contains half of a surrogate pair'
        if (isName && names) {
          if (names.has(string)) return `contains the name ${JSON.stringify(string.slice(0, 64))} twice`
          names.add(string)
        }
        isName = false
        i = end
      }
    }
  }
  return undefined
}

const endOfString = (text: string, start: number): number => {
  let i = start + 1
  while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1
  return i
}

const stringOf = (literal: string): string =>
  literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1)
