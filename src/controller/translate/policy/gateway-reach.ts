import { defineQuery, type Query } from '../../graph/query.ts'
import { translatedBackend } from '../backend/translated-backend.ts'
import { reachedRoutes } from '../delegation/delegated-routes.ts'
import { ownGatewayKeys } from '../gateway/own-gateway-keys.ts'
import { pickerService } from '../inference/known-pool.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import { reachedModels } from '../model/model-resources.ts'
import { translatedModel } from '../model/translated-model.ts'
import { routeRules } from '../rule/route-rules.ts'
import { policiesByTarget } from './policy-targets.ts'
import { translatedPolicy } from './translated-policy.ts'

/**
 * Everything that policies of a Gateway may be attached to, as `kind/namespace/name`, sorted: the Gateway, its
 * ListenerSets and routes, the backends that these and its models refer to, those that backends and policies of any of
 * these refer to, and the Services of the endpoint pickers of InferencePools. Key: that of the Gateway.
 */
export const gatewayReach: Query<readonly string[]> = defineQuery('gatewayReach', (reads, gateway) => {
  const byTarget = reads.query(policiesByTarget, '')
  const reached = new Set<string>()
  const pending = [`Gateway/${gateway}`]
  for (const { listenerSet } of reads.query(gatewayListeners, gateway))
    if (listenerSet !== undefined) pending.push(`ListenerSet/${listenerSet}`)
  for (const route of reads.query(reachedRoutes, gateway)) {
    pending.push(route)
    for (const { services, backends, pools } of reads.tryQuery(routeRules, route) ?? []) {
      for (const service of services) pending.push(`Service/${service}`)
      for (const backend of backends) pending.push(`ProxyBackend/${backend}`)
      for (const pool of pools) pending.push(`InferencePool/${pool}`)
    }
  }
  for (const model of reads.query(reachedModels, gateway))
    pending.push(...(reads.tryQuery(translatedModel, model)?.references ?? []))
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (reached.has(id)) continue
    reached.add(id)
    for (const policy of byTarget.get(id) ?? [])
      pending.push(...(reads.tryQuery(translatedPolicy, policy)?.references ?? []))
    if (id.startsWith(BACKEND))
      pending.push(...(reads.tryQuery(translatedBackend, id.slice(BACKEND.length))?.references ?? []))
    const picker = id.startsWith(POOL) ? pickerService(reads, id.slice(POOL.length)) : undefined
    if (picker !== undefined) pending.push(`Service/${picker}`)
  }
  return [...reached].sort()
})

/** The keys of the Gateways that reach a backend: a Service, ProxyBackend or InferencePool as `kind/namespace/name`. */
export const gatewaysReaching: Query<readonly string[]> = defineQuery(
  'gatewaysReaching',
  (reads, id) => reads.query(gatewaysByBackend, '')[id] ?? [],
)

const gatewaysByBackend: Query<Readonly<Record<string, readonly string[]>>> = defineQuery(
  'gatewaysByBackend',
  (reads) => {
    const gateways: Record<string, string[]> = {}
    for (const gateway of reads.query(ownGatewayKeys, ''))
      for (const id of reads.tryQuery(gatewayReach, gateway) ?? [])
        if (BACKENDS.some((kind) => id.startsWith(kind))) (gateways[id] ??= []).push(gateway)
    return gateways
  },
)

const BACKEND = 'ProxyBackend/'
const POOL = 'InferencePool/'
const BACKENDS = ['Service/', BACKEND, POOL]
