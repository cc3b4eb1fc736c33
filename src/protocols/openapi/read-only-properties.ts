import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { own } from './own-property.ts'

/** Enough levels of inheritance. */
const MAX_DEPTH = 4

/**
 * Names of read-only properties of a schema and of its parts: they must not be sent, and `required` applies
 * to them in responses only.
 */
export const readOnlyProperties = (
  schema: JsonObject,
  references: { follow(value: unknown): unknown },
): ReadonlySet<string> => {
  const found = new Set<string>()
  const seen = new Set<unknown>()
  const look = (at: unknown, depth: number): void => {
    const one = references.follow(at)
    if (!isJsonObject(one) || depth > MAX_DEPTH || seen.has(one)) return
    seen.add(one)
    const properties = own(one, 'properties')
    if (isJsonObject(properties))
      for (const [name, property] of Object.entries(properties)) {
        const target = references.follow(property)
        const isReadOnly =
          (isJsonObject(property) && property.readOnly === true) ||
          (isJsonObject(target) && target.readOnly === true)
        if (isReadOnly) found.add(name)
      }
    const parts = own(one, 'allOf')
    if (Array.isArray(parts)) for (const part of parts) look(part, depth + 1)
  }
  look({ properties: schema.properties, allOf: schema.allOf }, 0)
  return found
}
