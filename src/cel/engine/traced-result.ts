import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import type { Evaluated } from '../../model/exchange/expression.ts'
import { isPlainObject, toPlain } from '../values/values.ts'

/**
 * The outcome of an expression as traces show it. Traces must contain no bodies and no credentials, and an
 * expression may extract text from either: for strings, bytes, lists and maps only the type and the size are
 * recorded.
 *
 * @example
 * tracedResult({ value: 'alice' }) // { type: 'string', size: 5 }
 */
export const tracedResult = (result: Evaluated): unknown => {
  if ('error' in result) return { error: result.error }
  const { value } = result
  if (typeof value === 'string') return { type: 'string', size: value.length }
  if (typeof value !== 'object' || value === null || isScalar(value)) return toPlain(value)
  if (value instanceof Uint8Array) return { type: 'bytes', size: value.length }
  if (Array.isArray(value)) return { type: 'list', size: value.length }
  if (value instanceof Map) return { type: 'map', size: value.size }
  return isPlainObject(value) ? { type: 'map', size: Object.keys(value).length } : { type: 'record' }
}

const isScalar = (value: object): boolean =>
  value instanceof Date || value instanceof Duration || value instanceof UnsignedInt
