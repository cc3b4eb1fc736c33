import type { GraphReads } from '../../graph/query.ts'
import type { Gateway, ListenerSet } from '../../kinds/gateway-api.ts'
import { objectKey } from '../../kinds/object.ts'
import { attempt } from '../attempt.ts'
import { gatewayAcceptance } from '../gateway/gateway-acceptance.ts'
import type { StatusCondition } from '../status/status-condition.ts'
import { allowsListenerSet, attachedListenerSets } from './attached-listener-sets.ts'
import { internalPorts } from '../listener/internal-ports.ts'
import { listenersOf } from './listeners-of-set.ts'

/** The conditions of a ListenerSet of a Gateway. */
export const listenerSetConditions = (
  reads: GraphReads,
  gateway: Gateway,
  set: ListenerSet,
): readonly StatusCondition[] => {
  if (!allowsListenerSet(reads, gateway, set))
    return both('NotAllowed', 'Gateway does not allow ListenerSet attachment')
  const acceptance = reads.query(gatewayAcceptance, objectKey(gateway))
  if (acceptance?.status !== 'True')
    return [
      refused('Accepted', 'ParentNotAccepted', 'The Gateway is not accepted'),
      refused('Programmed', 'ParentNotProgrammed', 'The Gateway is not accepted'),
    ]
  const internal = internalPorts(set, set.spec.listeners)
  if (internal.error !== undefined) return both('Invalid', internal.error)
  const entries = listenersOf(reads, objectKey(gateway), objectKey(set))
  const invalid = entries.filter(({ isAccepted, isProgrammed }) => !isAccepted || !isProgrammed)
  const message = `Some listeners are not accepted: ${invalid.map(({ name }) => name).join(', ')}`
  if (invalid.length === entries.length) return both('ListenersNotValid', message)
  return [
    invalid.length > 0
      ? { type: 'Accepted', status: 'True', reason: 'ListenersNotValid', message }
      : { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'Resource accepted' },
    { type: 'Programmed', status: 'True', reason: 'Programmed', message: 'Resource programmed' },
  ]
}

/** How many ListenerSets of a Gateway are accepted. */
export const acceptedListenerSets = (reads: GraphReads, gateway: Gateway): number =>
  attachedListenerSets(reads, gateway).filter((set) =>
    attempt(() => listenerSetConditions(reads, gateway, set)).value?.some(
      ({ type, status }) => type === 'Accepted' && status === 'True',
    ),
  ).length

const refused = (type: string, reason: string, message: string): StatusCondition => ({
  type,
  status: 'False',
  reason,
  message,
})

const both = (reason: string, message: string): readonly StatusCondition[] => [
  refused('Accepted', reason, message),
  refused('Programmed', reason, message),
]
