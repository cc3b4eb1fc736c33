import { CST, Lexer } from 'yaml'

/** Whether flow collections are nested too deeply. Indentation bounds the depth of block collections. */
export function nestsTooDeep(text: string): boolean {
  let flow = 0
  let line = 0
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token)
    if (type === 'flow-seq-start' || type === 'flow-map-start') flow++
    else if (type === 'flow-seq-end' || type === 'flow-map-end') flow = Math.max(0, flow - 1)
    else if (type === 'seq-item-ind' || type === 'explicit-key-ind') line++
    else if (type === 'newline') line = 0
    if (flow > MAX_DEPTH || line > MAX_DEPTH) return true
  }
  return false
}

/**
 * Enough for every real document. The parser takes quadratic time and a stack frame or two for each level.
 */
const MAX_DEPTH = 100
