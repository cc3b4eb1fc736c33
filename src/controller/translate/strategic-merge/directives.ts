import { isJsonObject } from '../../../protocols/json/json-object.ts'

/** An object of JSON. */
export type JsonMap = Readonly<Record<string, unknown>>

/** In an object: that it replaces or deletes what is there. Of an element with the key of the list: that element. */
export const PATCH = '$patch'

/** In an object: the fields that stay. */
export const RETAIN_KEYS = '$retainKeys'

/** Before the name of a list: the order of its elements, by their keys. */
export const ELEMENT_ORDER = '$setElementOrder/'

/** Before the name of a list of scalars: values that go. */
export const DELETED_VALUES = '$deleteFromPrimitiveList/'

/** A patch that contradicts itself or the object. */
export class PatchProblem extends Error {
  override readonly name = 'PatchProblem'
}

/** Whether a field of a patch says something about others. */
export const isDirective = (name: string): boolean =>
  name === PATCH || name === RETAIN_KEYS || name.startsWith(ELEMENT_ORDER) || name.startsWith(DELETED_VALUES)

/**
 * A value of a patch where there is none yet. What has `$patch` is left out, even with the value `replace`: that is what
 * Kubernetes does.
 */
export const addedValue = (value: unknown): unknown => withoutNulls(withoutPatched(value))

/** A value of a patch that replaces another one, without directives and without nulls. */
export const replacingValue = (value: unknown): unknown => withoutNulls(value)

/** Whether a value has a directive of its own. */
export const isPatched = (value: unknown): value is JsonMap =>
  isJsonObject(value) && Object.hasOwn(value, PATCH)

const withoutPatched = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter((item) => !isPatched(item)).map(withoutPatched)
  if (!isJsonObject(value)) return value
  if (isPatched(value)) return undefined
  return mapped(value, withoutPatched)
}

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  return isJsonObject(value) ? mapped(value, withoutNulls) : value
}

const mapped = (value: JsonMap, change: (value: unknown) => unknown): JsonMap =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const changed = field === null || isDirective(name) ? undefined : change(field)
      return changed === undefined ? [] : [[name, changed]]
    }),
  )
