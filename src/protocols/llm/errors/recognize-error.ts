import { jsonObjectIn } from '../../json/json-object.ts'
import type { ChatFormat } from '../format.ts'

/**
 * Whether a body is an error in the shape that clients of a format can parse. Servers that only resemble a provider
 * send others: `{"detail":"Not Found"}`.
 */
export const isErrorOf = (format: ChatFormat, body: unknown): boolean => {
  const outer = jsonObjectIn(body)
  if (!outer) return false
  if (format === 'converse') return typeof outer.message === 'string' || typeof outer.Message === 'string'
  const error = jsonObjectIn(outer.error)
  if (typeof error?.message !== 'string') return false
  return format !== 'messages' || (outer.type === 'error' && typeof error.type === 'string')
}
