import type { JsonObject } from '../../json/json-object.ts'
import type { CacheMark } from '../chat/cache-mark.ts'
import type { Fields } from '../members/fields.ts'

/** Reads `cache_control`, which may be a field of blocks, of tools and of the request. */
export const cacheMarkOf = (fields: Fields): CacheMark | undefined => {
  const control = fields.fields('cache_control')
  if (!control) return undefined
  if (control.text('type') !== 'ephemeral') return control.refuse('type', 'must be "ephemeral"')
  const ttl = control.text('ttl')
  return ttl === undefined ? {} : { ttl }
}

/** Encodes a cache mark as a member to be spread into its block; empty without a mark. */
export const cacheControl = (mark: CacheMark | undefined): JsonObject => {
  if (!mark) return {}
  const ttl = mark.ttl === undefined ? {} : { ttl: mark.ttl }
  return { cache_control: { type: 'ephemeral', ...ttl } }
}
