import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { Gateway } from '../../kinds/gateway-api.ts'
import { objectKey } from '../../kinds/object.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import { internalPorts } from '../listener/internal-ports.ts'
import type { GatewayListenerState } from '../listener/listener-state.ts'
import { parametersLayers } from '../parameters/parameters-layers.ts'
import { parametersProblem } from '../parameters/parameters-problem.ts'
import type { StatusCondition } from '../status/status-condition.ts'
import { unsupportedAddressTypes } from './gateway-addresses.ts'
import { ownGateway } from './own-gateway.ts'

/** The `Accepted` condition of a Gateway; `undefined` if it is not ours. Key: that of the Gateway. */
export const gatewayAcceptance: Query<StatusCondition | undefined> = defineQuery(
  'gatewayAcceptance',
  (reads, key) => {
    const gateway = ownGateway(reads, key)
    return gateway && (refusal(reads, gateway) ?? listenerAcceptance(reads, key))
  },
)

const accepted = (status: StatusCondition['status'], reason: string, message: string): StatusCondition => ({
  type: 'Accepted',
  status,
  reason,
  message,
})

const refusal = (reads: GraphReads, gateway: Gateway): StatusCondition | undefined => {
  const parameters = gatewayParametersError(reads, gateway) ?? deployedParametersError(reads, gateway)
  if (parameters !== undefined) return accepted('False', 'InvalidParameters', parameters)
  const types = unsupportedAddressTypes(gateway)
  if (types.length > 0)
    return accepted('False', 'UnsupportedAddress', `Unsupported types of addresses: ${types.join(', ')}`)
  const internal = internalPorts(gateway, gateway.spec.listeners ?? [])
  return internal.error === undefined ? undefined : accepted('False', 'Invalid', internal.error)
}

/** Computed here as well: a deployment that failed may be about parameters of before. */
const gatewayParametersError = (reads: GraphReads, gateway: Gateway): string | undefined => {
  const found = parametersLayers(reads, gateway)
  return 'problem' in found ? found.problem : parametersProblem(found.layers)
}

/** Of an older generation, it may be about parameters that are not there any more. */
const deployedParametersError = (reads: GraphReads, gateway: Gateway): string | undefined => {
  const deployment = reads.object('GatewayDeployment', objectKey(gateway))
  return deployment?.generation === gateway.metadata.generation &&
    deployment?.failure?.reason === 'InvalidParameters'
    ? deployment.failure.message
    : undefined
}

/** Entries of ListenerSets do not count: they have conditions of their own. */
const listenerAcceptance = (reads: GraphReads, key: string): StatusCondition => {
  const listeners = reads.query(gatewayListeners, key).filter(({ listenerSet }) => listenerSet === undefined)
  const invalid = listeners.filter(({ isAccepted, isProgrammed }) => !isAccepted || !isProgrammed)
  if (invalid.length === 0) return accepted('True', 'Accepted', '')
  return accepted(
    listeners.some(({ isAccepted }) => isAccepted) ? 'True' : 'False',
    'ListenersNotValid',
    `Some listeners are not accepted: ${listenerProblems(invalid)}`,
  )
}

/** By how much their messages explain. */
const problemTypes = ['Accepted', 'ResolvedRefs', 'Programmed']

/** A message should not grow with the number of listeners. */
const maxNamedListeners = 8

const listenerProblems = (invalid: readonly GatewayListenerState[]): string =>
  [
    ...invalid.slice(0, maxNamedListeners).map(({ name, conditions }) => {
      // A Secret that cannot be used says more than that the listener has no TLS for want of it.
      const [problem] = problemTypes.flatMap((type) =>
        conditions.filter((condition) => condition.type === type && condition.status === 'False'),
      )
      return `${name}: ${problem?.message ?? ''}`
    }),
    ...(invalid.length > maxNamedListeners ? [`${String(invalid.length - maxNamedListeners)} more`] : []),
  ].join('; ')
