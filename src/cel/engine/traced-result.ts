import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import type { Evaluated } from '../model/evaluate.ts'
import { isPlainObject, toPlain } from './values.ts'

/**
 * What a trace may tell of the outcome of an expression. Who watches sees no bodies and no credentials, and an expression
 * may take a text out of either: of texts, bytes, lists and maps only the kind and the size are told.
 *
 * @example
 * toldResult({ value: 'alice' }) // { type: 'string', size: 5 }
 */
export const toldResult = (result: Evaluated): unknown => {
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
