import { CST, Lexer, isScalar } from 'yaml'
import type { Document } from 'yaml'
import type { Complaint } from './format/complaint.ts'

/** What a scalar without quotes is, by the rules of the document it stands in: a number, true, null, or a text. */
export function typedScalar(text: string, document: Document.Parsed): unknown {
  for (const tag of document.schema.tags) {
    if (tag.default !== true || tag.collection !== undefined || tag.test?.test(text) !== true) continue
    const value = tag.resolve(text, () => undefined, document.options)
    return isScalar(value) ? value.value : value
  }
  return text
}

/** No configuration needs more, and the parser takes quadratic time and a stack frame or two for each level. */
const MAX_DEPTH = 100

/** Whether lists and objects stand in one another deeper than is allowed. Indentation bounds the depth of others. */
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

/** Words for what the parser found wrong on a line. They do not quote the text, which may hold secrets. */
export function syntaxComplaint(code: string, message: string, line: string): Complaint {
  if (code === 'TAG_RESOLVE_FAILED') return { expectation: 'YAML tags are not supported' }
  if (code === 'MULTIPLE_DOCS')
    return { expectation: 'the configuration must be one document: remove the "---"' }
  const said = message.replace(/: "[^]{4,}$/, '').replace(/\s+/g, ' ')
  const expectation = `broken YAML: ${said}`
  const inFlow = /[{[,][^"']*\$\{/.test(line)
  return inFlow ? { expectation, hint: 'inside { } and [ ], put quotes around "${NAME}"' } : { expectation }
}
