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
  /** Whether the last entry says how many others there is no room for. */
  readonly isSummarised?: boolean
  /** The type of a condition that an entry keeps where it is not wanted anew, as long as it is True. */
  readonly keeps?: string
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
    isSummarised = false,
    keeps,
  }: Omit<SharedEntries, 'field'> & { readonly controllerName: string; readonly now: string },
): readonly CurrentEntry[] | undefined => {
  const others = current.filter((entry) => entry.controllerName !== controllerName)
  const before = new Map(
    current
      .filter((entry) => entry.controllerName === controllerName)
      .map((entry) => [referenceKey(entry), withDefaults(entry)]),
  )
  // Where there is no room for us, what others wrote is not ours to remove.
  const room = Math.max(0, limit - others.length)
  const wanted = isSummarised ? summarised(desired, room) : desired.slice(0, room)
  const fitting = wanted.map((entry) => {
    const known = before.get(referenceKey(entry))?.conditions
    const kept = known?.filter(
      ({ type, status }) =>
        type === keeps && status === 'True' && !entry.conditions?.some((one) => one.type === type),
    )
    return {
      ...entry,
      controllerName,
      conditions: [...keepTransitions(known, entry.conditions, now), ...(kept ?? [])],
    }
  })
  const isSame =
    before.size === fitting.length &&
    current.length === others.length + fitting.length &&
    fitting.every((entry) => hasFields(before.get(referenceKey(entry)), withDefaults(entry)))
  return isSame ? undefined : [...others, ...fitting]
}

/** The last entry that there is room for gives way to one that counts the rest. */
const summarised = (desired: readonly DesiredEntry[], room: number): readonly DesiredEntry[] => {
  if (desired.length <= room || room === 0) return desired.slice(0, room)
  const summary: DesiredCondition = {
    type: 'StatusSummarized',
    status: 'True',
    reason: 'StatusSummary',
    message: `${desired.length - room + 1} AncestorRefs ignored due to max status size`,
  }
  return [
    ...desired.slice(0, room - 1),
    { ancestorRef: { group: 'agentgateway.dev', name: 'StatusSummary' }, conditions: [summary] },
  ]
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
