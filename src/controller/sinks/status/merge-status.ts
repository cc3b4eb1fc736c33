import type { Kind } from '../../kinds/kinds.ts'
import type { Condition } from '../../kinds/object.ts'
import { hasFields } from '../apply/has-fields.ts'
import { keepTransitions } from './keep-transitions.ts'
import { mergeEntries, type SharedEntries } from './merge-entries.ts'
import type { CurrentStatus, DesiredStatus } from './object-status.ts'

/** What to apply. */
export interface StatusWrite {
  readonly status: CurrentStatus
  /** Whether a list is replaced that others write too, so that a change since it was read must be noticed. */
  readonly isShared: boolean
}

/**
 * What has to be applied so that an object has our part of its status; undefined if it has it. Pure: `now` is RFC 3339.
 *
 * @param desired Undefined if the object is no longer ours: then only our entries in shared lists are removed.
 */
export const mergeStatus = (
  kind: Kind,
  current: CurrentStatus,
  desired: DesiredStatus | undefined,
  { controllerName, now }: { readonly controllerName: string; readonly now: string },
): StatusWrite | undefined => {
  const shared = sharedEntries[kind]
  if (shared) {
    const entries = mergeEntries(current[shared.field] ?? [], desired?.[shared.field] ?? [], {
      ...shared,
      controllerName,
      now,
    })
    return entries && { status: { [shared.field]: entries }, isShared: true }
  }
  if (!desired) return undefined
  const { conditions, listeners, parents: _parents, ancestors: _ancestors, ...rest } = desired
  const status: CurrentStatus = {
    ...rest,
    ...(conditions ? { conditions: keepTransitions(current.conditions, conditions, now) } : {}),
    ...(listeners
      ? {
          listeners: listeners.map((listener) => {
            const before = current.listeners?.find(({ name }) => name === listener.name)
            return { ...listener, conditions: keepTransitions(before?.conditions, listener.conditions, now) }
          }),
        }
      : {}),
  }
  return isWritten(current, status) ? undefined : { status, isShared: false }
}

/** The kinds that several controllers write entries to. */
export const sharedEntries: Readonly<Partial<Record<Kind, SharedEntries>>> = {
  HTTPRoute: { field: 'parents', limit: 32 },
  GRPCRoute: { field: 'parents', limit: 32 },
  TLSRoute: { field: 'parents', limit: 32 },
  TCPRoute: { field: 'parents', limit: 32 },
  UDPRoute: { field: 'parents', limit: 32 },
  BackendTLSPolicy: { field: 'ancestors', limit: 16 },
  ProxyPolicy: { field: 'ancestors', limit: 16, isSummarised: true, keeps: 'Attached' },
  InferencePool: { field: 'parents', limit: 32 },
  ProxyModel: { field: 'parents', limit: 16 },
}

/** Whether a status has all of ours, and nothing of ours that is no longer wanted. */
const isWritten = (current: CurrentStatus, wanted: CurrentStatus): boolean => {
  const { conditions, listeners, supportedFeatures, addresses, ...rest } = wanted
  return (
    hasConditions(current.conditions, conditions) &&
    hasNamed(current.listeners, listeners, (is, shouldBe) => {
      const { conditions: of, ...others } = shouldBe
      return hasFields(is, others) && hasConditions(is.conditions, of)
    }) &&
    hasNamed(current.supportedFeatures, supportedFeatures, hasFields) &&
    hasFields(current.addresses ?? [], addresses ?? []) &&
    hasFields(current, rest)
  )
}

const hasConditions = (current: readonly Condition[] = [], wanted: readonly Condition[] = []): boolean =>
  wanted.every((condition) =>
    hasFields(
      current.find(({ type }) => type === condition.type),
      condition,
    ),
  ) && current.every(({ type }) => !isOurs(type) || wanted.some((condition) => condition.type === type))

/** Lists by name have no order, and are ours as a whole. */
const hasNamed = <T extends { readonly name: string }>(
  current: readonly T[] = [],
  wanted: readonly T[] = [],
  isSame: (is: T, shouldBe: T) => boolean,
): boolean =>
  current.length === wanted.length &&
  wanted.every((entry) => current.some((is) => is.name === entry.name && isSame(is, entry)))

/** Types of conditions that a controller of the Gateway API writes; others belong to others. */
const isOurs = (type: string): boolean => standardTypes.has(type) || type.startsWith('agentgateway.dev/')

const standardTypes: ReadonlySet<string> = new Set([
  'Accepted',
  'Conflicted',
  'InsecureFrontendValidationMode',
  'OverlappingTLSConfig',
  'PartiallyInvalid',
  'Programmed',
  'Ready',
  'ResolvedRefs',
  'SupportedVersion',
])
