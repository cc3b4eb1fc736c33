import type { Position } from '../../../config/document/document.ts'
import { CommandFailure } from '../../command-failure.ts'

/** A word, or one of the characters that structure the file. */
export interface NginxToken {
  readonly kind: 'word' | ';' | '{' | '}'
  readonly text: string
  readonly at: Position
}

/**
 * Splits a configuration of nginx into words. As in nginx, `#` begins a comment only where a word could begin, and
 * `${name}` is a part of a word.
 *
 * @throws {CommandFailure} for a quote that is not closed.
 */
export const tokenize = (text: string, file: string): readonly NginxToken[] => {
  const tokens: NginxToken[] = []
  let [index, line, lineStart] = [text.startsWith('\uFEFF') ? 1 : 0, 1, 0]
  const here = (): Position => ({ line, column: index - lineStart + 1 })
  const advance = (): string => {
    const character = text[index++] ?? ''
    if (character === '\n') [line, lineStart] = [line + 1, index]
    return character
  }
  const quoted = (at: Position): string => {
    const quote = advance()
    let value = ''
    for (;;) {
      if (index >= text.length)
        throw new CommandFailure(`${file}:${String(at.line)}:${String(at.column)}: this quote is not closed`)
      const character = advance()
      if (character === quote) return value
      value += character === '\\' ? unescape(advance()) : character
    }
  }
  const word = (): string => {
    let value = ''
    while (index < text.length && !/[\s;{}]/.test(text[index] ?? '')) {
      const character = advance()
      if (character === '\\') value += unescape(advance())
      else if (character === '$' && text[index] === '{') {
        value += character
        while (index < text.length && text[index] !== '}') value += advance()
        value += advance()
      } else value += character
    }
    return value
  }
  while (index < text.length) {
    const character = text[index] ?? ''
    const at = here()
    if (/\s/.test(character)) advance()
    else if (character === '#') while (index < text.length && text[index] !== '\n') advance()
    else if (character === ';' || character === '{' || character === '}')
      tokens.push({ kind: character, text: advance(), at })
    else if (character === '"' || character === "'") tokens.push({ kind: 'word', text: quoted(at), at })
    else tokens.push({ kind: 'word', text: word(), at })
  }
  return tokens
}

/** Other characters keep their backslash, which regular expressions need. */
const unescape = (character: string): string => ESCAPES[character] ?? `\\${character}`

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  t: '\t',
  r: '\r',
  n: '\n',
}
