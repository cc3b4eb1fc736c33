import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'

/** What an object has under a name of its own: `constructor` is nothing that a document said. */
export const own = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** Deep enough for any example; whoever walks through JSON recursively runs out of stack somewhere. */
const MAX_DEPTH = 32
/** Values and characters, by which aliases of YAML that multiply are stopped too. */
const MAX_COST = 65_536

/** Copies a JSON value out of a document; undefined if it is too deep, too long or no JSON. */
export const plainValue = (value: unknown): unknown => {
  let left = MAX_COST
  const copy = (from: unknown, depth: number): unknown => {
    left -= typeof from === 'string' ? from.length + 1 : 1
    if (left < 0 || depth > MAX_DEPTH) throw new TooMuch()
    if (Array.isArray(from)) return from.map((one: unknown) => copy(one, depth + 1))
    if (isJsonObject(from))
      return Object.fromEntries(
        Object.entries(from).map(([name, one]) => {
          left -= name.length
          return [name, copy(one, depth + 1)]
        }),
      )
    if (from === null || typeof from === 'string' || typeof from === 'boolean' || Number.isFinite(from))
      return from
    throw new TooMuch()
  }
  try {
    return copy(value, 0)
  } catch (error) {
    if (error instanceof TooMuch) return undefined
    throw error
  }
}

class TooMuch extends Error {}
