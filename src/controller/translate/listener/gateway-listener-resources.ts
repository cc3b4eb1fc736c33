import { type XdsResource, xdsResource, type XdsResourceOf } from '../../../config/xds/xds-resource.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { ownGateway } from '../gateway/own-gateway.ts'
import { gatewayListeners } from './gateway-listeners.ts'
import { listenerClaims } from './listener-claims.ts'
import type { GatewayListenerState } from './listener-state.ts'
import { listenerTls } from './listener-tls.ts'

/** The binds and listeners of a Gateway. Key: that of the Gateway. */
export const gatewayListenerResources: Query<readonly XdsResource[]> = defineQuery(
  'gatewayListenerResources',
  (reads, key) => {
    const gateway = ownGateway(reads, key)
    if (!gateway) return []
    // States and claims have the same order.
    const sources = listenerClaims(reads, gateway).flat()
    const listeners = reads.query(gatewayListeners, key).flatMap((state, index) => {
      const source = sources[index]
      return source && isServedListener(state) ? [{ state, source }] : []
    })
    const byPort = Map.groupBy(listeners, ({ state }) => state.port)
    return [
      ...[...byPort]
        .sort(([a], [b]) => a - b)
        .map(([port, list]) => bindResource(port, list[0]?.state.isInternal === true)),
      ...listeners.map(({ state, source: { owner, listener } }) => {
        const tls =
          state.failure === undefined ? listenerTls(reads, gateway, owner, listener).model : UNREADABLE
        return xdsResource('listener', state.key, listenerModel(state, tls), [bindKey(state.port)])
      }),
    ]
  },
)

const UNREADABLE: File.ServerTls = { invalid: 'The listener cannot be translated' }

type ListenerModel = XdsResourceOf<'listener'>['model']

/** Whether a listener has a resource. One that cannot terminate TLS has: it refuses every handshake. */
export const isServedListener = ({ isConflicted, isProgrammed, tls }: GatewayListenerState): boolean =>
  !isConflicted && (isProgrammed || tls === 'invalid')

const bindKey = (port: number): string => `bind/${String(port)}`

const bindResource = (port: number, isInternal: boolean): XdsResource =>
  xdsResource('bind', bindKey(port), { port, ...(isInternal ? { mode: 'internal' } : {}) })

const listenerModel = (state: GatewayListenerState, tls: ListenerModel['tls']): ListenerModel => {
  const [namespace, gatewayName] = splitKey(state.gateway)
  const [setNamespace, setName] = splitKey(state.listenerSet ?? '')
  return {
    name: state.name,
    namespace,
    gatewayName,
    ...(state.listenerSet === undefined ? {} : { listenerSet: { namespace: setNamespace, name: setName } }),
    ...(state.hostname === undefined ? {} : { hostname: state.hostname }),
    protocol: state.protocol as Required<ListenerModel>['protocol'],
    ...(tls ? { tls } : {}),
  }
}

const splitKey = (key: string): readonly [string, string] => {
  const slash = key.indexOf('/')
  return [key.slice(0, slash), key.slice(slash + 1)]
}
