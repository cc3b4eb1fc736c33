import { toPlain } from '../../cel/values/values.ts'
import type { Evaluated } from '../../model/exchange/expression.ts'

/** The result of an expression for a body. `isText` distinguishes new text from the bytes of another body. */
export type BodyBytes =
  | { readonly bytes: Buffer; readonly contentType: 'text/plain' | 'application/json' | undefined }
  | { readonly error: string }

/** Text and bytes become the body as they are, other values as JSON. Null is no body. */
export const bodyBytes = (result: Evaluated): BodyBytes => {
  if ('error' in result) return result
  const { value } = result
  if (typeof value === 'string') return { bytes: Buffer.from(value), contentType: 'text/plain' }
  if (value instanceof Uint8Array)
    return { bytes: Buffer.from(value.buffer, value.byteOffset, value.length), contentType: undefined }
  if (value === null) return { error: 'the expression gave no value' }
  const json = JSON.stringify(toPlain(value, rawJson)) as string | undefined
  return json === undefined
    ? { error: 'the expression gave no value' }
    : { bytes: Buffer.from(json), contentType: 'application/json' }
}

/** Writes integers beyond 2⁵³ digit by digit. ES2026; not in the typings yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown }
