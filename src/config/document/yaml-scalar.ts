import { type Document, isScalar } from 'yaml'
import type { Complaint } from '../format/format-check.ts'

/** The value of a plain scalar by the rules of its document: a number, true, null, or a text. */
export function typedScalar(text: string, document: Document.Parsed): unknown {
  for (const tag of document.schema.tags) {
    if (tag.default !== true || tag.collection !== undefined || tag.test?.test(text) !== true) continue
    const value = tag.resolve(text, () => undefined, document.options)
    return isScalar(value) ? value.value : value
  }
  return text
}

/** The message for a syntax error. It does not quote the text, which may contain secrets. */
export function syntaxComplaint(code: string, message: string, line: string): Complaint {
  if (code === 'TAG_RESOLVE_FAILED') return { expectation: 'YAML tags are not supported' }
  if (code === 'MULTIPLE_DOCS')
    return { expectation: 'the configuration must be one document: remove the "---"' }
  const detail = message.replace(/: "[^]{4,}$/, '').replace(/\s+/g, ' ')
  const expectation = `broken YAML: ${detail}`
  const inFlow = /[{[,][^"']*\$\{/.test(line)
  return inFlow ? { expectation, hint: 'inside { } and [ ], put quotes around "${NAME}"' } : { expectation }
}
