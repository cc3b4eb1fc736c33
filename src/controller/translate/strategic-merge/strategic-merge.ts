import { isJsonObject } from '../../../protocols/json/json-object.ts'
import {
  addedValue,
  DELETED_VALUES,
  ELEMENT_ORDER,
  isDirective,
  type JsonMap,
  PATCH,
  PatchProblem,
  replacingValue,
  RETAIN_KEYS,
} from './directives.ts'
import { type ListMerge, mergeLists, orderedLists } from './merge-lists.ts'
import { type MergeField, type MergeType, mergeTable } from './merge-table.gen.ts'

/**
 * A Kubernetes strategic merge patch of an object: objects are merged, lists are merged by the key that the API server's
 * schema has for them and replaced where it has none, and `null` deletes. Directives are `$patch`, `$retainKeys`,
 * `$setElementOrder` and `$deleteFromPrimitiveList`. The outcome is that of `kubectl patch --local --type=strategic`.
 *
 * @param type The name of the object's kind.
 */
export const strategicMerge = (
  type: MergeType,
  original: JsonMap,
  patch: JsonMap,
): { readonly value: JsonMap } | { readonly problem: string } => {
  try {
    return { value: mergeMaps(original, patch, type) }
  } catch (error) {
    if (error instanceof PatchProblem) return { problem: error.message }
    throw error
  }
}

const mergeMaps = (original: JsonMap, patch: JsonMap, type: MergeType | undefined): JsonMap => {
  if (Object.hasOwn(patch, PATCH)) return replacement(patch)
  // Without a prototype: fields may have the names of what objects inherit, `__proto__` too.
  const merged = Object.assign(Object.create(null), retained(original, patch)) as Record<string, unknown>
  for (const [directive, order] of Object.entries(patch))
    if (directive.startsWith(ELEMENT_ORDER)) setOrder(merged, patch, directive, order, type)
  for (const [name, value] of Object.entries(patch)) {
    if (isDirective(name) || Object.hasOwn(patch, `${ELEMENT_ORDER}${name}`)) continue
    const next = value === null ? undefined : mergeValues(merged[name], value, fieldOf(type, name))
    if (next === undefined) Reflect.deleteProperty(merged, name)
    else merged[name] = next
  }
  for (const [directive, values] of Object.entries(patch))
    if (directive.startsWith(DELETED_VALUES)) deleteValues(merged, directive, values)
  return { ...merged }
}

const fieldOf = (type: MergeType | undefined, name: string): MergeField => {
  const fields: Readonly<Record<string, MergeField>> = type === undefined ? {} : mergeTable[type]
  return Object.hasOwn(fields, name) ? (fields[name] ?? {}) : {}
}

const replacement = (patch: JsonMap): JsonMap => {
  const directive = patch[PATCH]
  if (directive === 'delete') return {}
  if (directive === 'replace') return replacingValue(patch) as JsonMap
  throw new PatchProblem(`${PATCH} must be replace or delete, not ${JSON.stringify(directive)}`)
}

const retained = (original: JsonMap, patch: JsonMap): JsonMap => {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return original
  const names = new Set(listOf(RETAIN_KEYS, patch[RETAIN_KEYS]))
  for (const [name, value] of Object.entries(patch))
    if (value !== null && !isDirective(name) && !names.has(name))
      throw new PatchProblem(`${RETAIN_KEYS} has no ${name}, which the patch sets`)
  return Object.fromEntries(Object.entries(original).filter(([name]) => names.has(name)))
}

const mergeValues = (original: unknown, patch: unknown, field: MergeField): unknown => {
  if (original === undefined) return addedValue(patch)
  if (isJsonObject(original) && isJsonObject(patch))
    return field.strategy === 'replace' ? replacingValue(patch) : mergeMaps(original, patch, field.type)
  if (Array.isArray(original) && Array.isArray(patch))
    return field.strategy === 'merge' ? mergeLists(original, patch, listMerge(field)) : replacingValue(patch)
  return addedValue(patch)
}

const listMerge = ({ mergeKey, type }: MergeField): ListMerge => ({
  key: mergeKey,
  mergeItems: (original, patch) => mergeMaps(original, patch, type),
})

const setOrder = (
  merged: Record<string, unknown>,
  patch: JsonMap,
  directive: string,
  order: unknown,
  type: MergeType | undefined,
): void => {
  const name = directive.slice(ELEMENT_ORDER.length)
  const field = fieldOf(type, name)
  const original = merged[name] === undefined ? undefined : listOf(name, merged[name])
  const added = patch[name] === undefined ? undefined : listOf(name, patch[name])
  if (!original && !added) return
  const merge = listMerge(field)
  const next = added ? (mergeValues(original, added, field) as readonly unknown[]) : (original ?? [])
  merged[name] = orderedLists(next, original ?? [], added ?? [], listOf(directive, order), merge)
}

const deleteValues = (merged: Record<string, unknown>, directive: string, values: unknown): void => {
  const name = directive.slice(DELETED_VALUES.length)
  const deleted = new Set(listOf(directive, values))
  if (merged[name] === undefined) return
  merged[name] = listOf(name, merged[name]).filter((value) => !deleted.has(value))
}

const listOf = (name: string, value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  throw new PatchProblem(`${name} must be a list`)
}
