import type { Condition } from '../../kinds/object.ts'
import { hasFields } from '../apply/has-fields.ts'
import { type DesiredCondition, keepTransitions } from './keep-transitions.ts'
import type { StatusEntry, StatusReference } from './object-status.ts'

type CurrentEntry = StatusEntry<Condition, { readonly controllerName: string }>
type DesiredEntry = StatusEntry<DesiredCondition, object>

/** The list of entries that several controllers share, and how many there may be. */
export interface SharedEntries {
  readonly field: 'parents' | 'ancestors'
  readonly limit: number
}

/**
 * Our entries in a list that several controllers share. The list is replaced as a whole, so those of others come first,
 * as they are. Undefined if the list has our entries already, wherever they stand.
 */
export const mergeEntries = (
  current: readonly CurrentEntry[],
  desired: readonly DesiredEntry[],
  {
    controllerName,
    now,
    limit,
  }: { readonly controllerName: string; readonly now: string; readonly limit: number },
): readonly CurrentEntry[] | undefined => {
  const others = current.filter((entry) => entry.controllerName !== controllerName)
  const before = new Map(
    current
      .filter((entry) => entry.controllerName === controllerName)
      .map((entry) => [referenceKey(entry), withDefaults(entry)]),
  )
  const ours = desired.map((entry) => ({
    ...entry,
    controllerName,
    conditions: keepTransitions(before.get(referenceKey(entry))?.conditions, entry.conditions, now),
  }))
  // Where there is no room for us, what others wrote is not ours to remove.
  const fitting = ours.slice(0, Math.max(0, limit - others.length))
  const isSame =
    before.size === fitting.length &&
    current.length === others.length + fitting.length &&
    fitting.every((entry) => hasFields(before.get(referenceKey(entry)), withDefaults(entry)))
  return isSame ? undefined : [...others, ...fitting]
}

const withDefaults = (entry: CurrentEntry): CurrentEntry => ({
  ...entry,
  ...(entry.parentRef ? { parentRef: { ...defaults, ...entry.parentRef } } : {}),
  ...(entry.ancestorRef ? { ancestorRef: { ...defaults, ...entry.ancestorRef } } : {}),
})

/** What the API server adds to references. */
const defaults = { group: 'gateway.networking.k8s.io', kind: 'Gateway' }

const referenceKey = ({
  parentRef,
  ancestorRef,
}: {
  readonly parentRef?: StatusReference
  readonly ancestorRef?: StatusReference
}): string => {
  const { group, kind, namespace, name, sectionName, port } = {
    ...defaults,
    name: '',
    ...(parentRef ?? ancestorRef),
  }
  return JSON.stringify([group, kind, namespace, name, sectionName, port])
}
