import { hasFields } from './has-fields.ts'

/** An entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager?: string
  readonly operation?: string
  readonly subresource?: string
  readonly fieldsV1?: unknown
}

/**
 * Whether a field manager owns fields that it no longer applies: they go only when it applies the rest again. The names of
 * a set of fields are `f:` and a field, `k:` and the keys of an element, `v:` and an element; `.` is the value itself.
 */
export const ownsMoreThan = (
  entries: readonly ManagedFieldsEntry[],
  fieldManager: string,
  wanted: unknown,
): boolean =>
  entries.some(
    ({ manager, operation, subresource, fieldsV1 }) =>
      manager === fieldManager &&
      operation === 'Apply' &&
      subresource === undefined &&
      hasMore(fieldsV1, wanted),
  )

const hasMore = (fields: unknown, wanted: unknown): boolean =>
  Object.entries((fields ?? {}) as Readonly<Record<string, unknown>>).some(([name, below]) => {
    if (name === '.') return false
    const value = valueAt(name, wanted)
    return value === undefined || hasMore(below, value)
  })

const valueAt = (name: string, wanted: unknown): unknown => {
  const rest = name.slice(2)
  if (name.startsWith('f:')) return (wanted as Readonly<Record<string, unknown>> | null)?.[rest]
  if (!Array.isArray(wanted)) return undefined
  const element = parseElement(rest)
  // Keys may have defaults, such as the protocol of a port.
  if (name.startsWith('k:'))
    return wanted.find((item) => hasFields(element, pick(item, Object.keys(element as object))))
  if (name.startsWith('v:')) return wanted.find((item) => hasFields(item, element))
  return undefined
}

const parseElement = (text: string): unknown => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

const pick = (item: unknown, names: readonly string[]): unknown =>
  Object.fromEntries(
    Object.entries((item ?? {}) as Readonly<Record<string, unknown>>).filter(([name]) =>
      names.includes(name),
    ),
  )
