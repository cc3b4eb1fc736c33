import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'

/** The own property of an object: an inherited `constructor` is not part of a document. */
export const own = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** Deep enough for examples; recursive readers of JSON overflow the stack at some depth. */
const MAX_DEPTH = 32
/** Values and characters; it also stops YAML aliases that multiply. */
const MAX_COST = 65_536

/** Copies a JSON value of a document; undefined if it is too deep, too long or not JSON. */
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
