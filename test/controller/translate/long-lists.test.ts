import {
  list,
  longList,
  object,
  route,
  service,
  testLongLists,
  tlsPolicy,
  tlsTarget,
} from '../support/long-lists.ts'
import type { PlainObject } from '../support/plain-object.ts'

const matching = (name: 'headers' | 'queryParams', count: number): PlainObject =>
  route({ matches: [{ [name]: list(count, (index) => ({ name: `x-${index}`, value: 'a' })) }] })

testLongLists({
  'ListenerSets of a Gateway': longList(2_000, (count) =>
    list(count, (index) =>
      object('ListenerSet', `set-${index}`, {
        parentRef: { name: 'gateway' },
        listeners: [{ name: 'one', port: index + 1000, protocol: 'HTTP' }],
      }),
    ),
  ),
  'ListenerSets of a Gateway, with a route each': longList(1_000, (count) =>
    list(count, (index) => [
      object('ListenerSet', `set-${index}`, {
        parentRef: { name: 'gateway' },
        listeners: [{ name: 'one', port: index + 1000, protocol: 'HTTP' }],
      }),
      object('HTTPRoute', `route-${index}`, {
        parentRefs: [{ kind: 'ListenerSet', name: `set-${index}` }],
      }),
    ]).flat(),
  ),
  'listeners of a Gateway with one name': longList(5_000, (count) => [
    object('Gateway', 'gateway', {
      gatewayClassName: 'agentgateway',
      listeners: list(count, () => ({ name: 'http', port: 80, protocol: 'HTTP' })),
    }),
  ]),
  'BackendTLSPolicies of a Service': longList(2_000, (count) => [
    service('web'),
    route({ backendRefs: [{ name: 'web', port: 80 }] }),
    ...list(count, (index) => tlsPolicy(`tls-${index}`, [tlsTarget('web')])),
  ]),
  'header matches of a rule': longList(2_000, (count) => [matching('headers', count)]),
  'query matches of a rule': longList(2_000, (count) => [matching('queryParams', count)]),
  'host names of a TLSRoute': longList(5_000, (count) => [
    object('Gateway', 'gateway', {
      gatewayClassName: 'agentgateway',
      listeners: [{ name: 'tls', port: 443, protocol: 'TLS', tls: { mode: 'Passthrough' } }],
    }),
    object('TLSRoute', 'route', {
      parentRefs: [{ name: 'gateway' }],
      hostnames: list(count, (index) => `h${index}.example`),
      rules: [{}],
    }),
  ]),
})
