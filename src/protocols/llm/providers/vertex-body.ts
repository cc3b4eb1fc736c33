import { jsonObjectIn } from '../../json/json-object.ts'
import type { Members } from '../members/members.ts'

/** Sets in the body what Anthropic has in headers, and removes fields that Vertex does not support. */
export const finishVertexClaude = (body: Members): void => {
  body.set('anthropic_version', 'vertex-2023-10-16')
  body.delete('output_format')
  for (const name of ['system', 'tools', 'messages', 'cache_control']) {
    const value = body.get(name)
    const cleaned = name === 'cache_control' ? withoutScope(value) : withoutCacheScope(value)
    if (cleaned !== value) body.set(name, cleaned)
  }
}

/** Returns the same value if it has no `cache_control.scope` at any depth. */
const withoutCacheScope = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const items = value.map(withoutCacheScope)
    return items.some((item, i) => item !== value[i]) ? items : (value as unknown[])
  }
  const object = jsonObjectIn(value)
  if (!object) return value
  let cleaned = object
  for (const [name, one] of Object.entries(object)) {
    const other = name === 'cache_control' ? withoutScope(one) : withoutCacheScope(one)
    if (other === one) continue
    if (cleaned === object) cleaned = { ...object }
    cleaned[name] = other
  }
  return cleaned
}

const withoutScope = (mark: unknown): unknown => {
  const object = jsonObjectIn(mark)
  if (!object || !('scope' in object)) return mark
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== 'scope'))
}
