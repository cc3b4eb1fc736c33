import { readJson } from './read-json.ts'

/** The value of a JSON text, or the problem. */
export type StrictJson = { readonly value: unknown } | { readonly problem: string }

/** Deeper nesting is refused: it is never needed, and recursive readers would overflow the stack. */
const MAX_DEPTH = 32

/**
 * Parses untrusted JSON and refuses texts that two readers may read differently: repeated names, of which
 * some readers use the first value and some the last (RFC 8259 §4), and lone surrogates.
 */
export const parseStrictJson = (text: string): StrictJson => {
  const value = readJson(text)
  if (value === undefined) return { problem: 'is not JSON' }
  const problem = problemIn(text)
  return problem === undefined ? { value } : { problem }
}

/** Scans valid JSON, so that only brackets, commas and strings matter. */
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
