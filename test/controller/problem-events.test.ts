import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Subject } from 'rxjs'
import type { Kind } from '../../src/controller/kinds/kinds.ts'
import type { KubernetesObject } from '../../src/controller/kinds/object.ts'
import { problemEvents } from '../../src/controller/problem-events.ts'
import type { Change } from '../../src/controller/streams/change.ts'
import { ObjectFeed } from '../../src/controller/streams/object-feed.ts'
import type { DesiredState, ObjectStatus } from '../../src/controller/translate/desired-state.ts'

const controllerName = 'agentgateway.dev/agentgateway'

const condition = (type: string, status: string, reason: string, message = 'why') => ({
  type,
  status,
  reason,
  message,
})
const policyStatus = (...conditions: readonly object[]) => ({
  ancestors: ['a', 'b'].map((name) => ({ ancestorRef: { name }, controllerName, conditions })),
})
const invalid = policyStatus(
  condition('Accepted', 'False', 'Invalid'),
  condition('Attached', 'False', 'Pending', 'Policy is not attached due to invalid status'),
)

const start = () => {
  const feed = new ObjectFeed({ set: () => undefined, delete: () => undefined })
  const states$ = new Subject<DesiredState>()
  const events: string[] = []
  states$
    .pipe(problemEvents({ feed, controllerName }))
    .subscribe(({ object, reason, message }) =>
      events.push(`${object.kind} ${object.metadata.name} ${reason}: ${message}`),
    )
  const set = (kind: Kind, name: string, more: object = {}, namespace = 'ns') => {
    const object = {
      kind,
      metadata: namespace === '' ? { name } : { namespace, name },
      spec: {},
      ...more,
    } as unknown as KubernetesObject
    const key = namespace === '' ? name : `${namespace}/${name}`
    feed.apply({ type: 'set', kind, key, object } as Change)
  }
  const state = (statuses: readonly ObjectStatus[], failures: DesiredState['failures'] = []) => {
    events.length = 0
    const nothing = { gateways: [], unknownRoles: [], classes: [], keySets: [] }
    states$.next({ ...nothing, statuses, failures })
    return [...events]
  }
  return { set, state, events }
}

test('tells once what is wrong with a policy, however many Gateways have it', () => {
  const { set, state } = start()
  set('ProxyPolicy', 'p')
  const status = { kind: 'ProxyPolicy', key: 'ns/p', status: invalid } as const
  assert.deepEqual(state([status]), ['ProxyPolicy p Invalid: why'])
  assert.deepEqual(state([status]), [])
})

test('tells of parts, of targets that are not there, and of backends', () => {
  const { set, state } = start()
  for (const name of ['part', 'lost', 'valid']) set('ProxyPolicy', name)
  set('ProxyBackend', 'b')
  const valid = condition('Accepted', 'True', 'Valid')
  const policy = (name: string, ...conditions: readonly object[]) =>
    ({ kind: 'ProxyPolicy', key: `ns/${name}`, status: policyStatus(...conditions) }) as const
  const error = condition('Accepted', 'False', 'TranslationError', 'no host')
  assert.deepEqual(
    state([
      policy('part', condition('Accepted', 'True', 'PartiallyValid', 'traffic.cors')),
      policy('lost', valid, condition('Attached', 'False', 'Pending', 'Gateway ns/g not found')),
      policy('valid', valid, condition('Attached', 'True', 'Attached')),
      { kind: 'ProxyBackend', key: 'ns/b', status: { conditions: [error] } },
    ]),
    [
      'ProxyPolicy part PartiallyValid: traffic.cors',
      'ProxyPolicy lost Pending: Gateway ns/g not found',
      'ProxyBackend b TranslationError: no host',
    ],
  )
})

test('tells of what is in force and hardly meant', () => {
  const { set, state } = start()
  set('ProxyPolicy', 'p')
  set('ProxyBackend', 'b')
  const warning = condition('agentgateway.dev/Warning', 'True', 'ConfigurationWarning', 'any audience')
  const valid = condition('Accepted', 'True', 'Valid')
  const shadowed = condition('agentgateway.dev/Shadowed', 'True', 'DuplicateField')
  assert.deepEqual(
    state([
      { kind: 'ProxyPolicy', key: 'ns/p', status: policyStatus(valid, shadowed, warning) },
      { kind: 'ProxyBackend', key: 'ns/b', status: { conditions: [warning] } },
    ]),
    ['ProxyPolicy p ConfigurationWarning: any audience', 'ProxyBackend b ConfigurationWarning: any audience'],
  )
})

test('does not repeat what statuses have, after a restart or at another leader', () => {
  const { set, state } = start()
  set('ProxyPolicy', 'p', { status: invalid })
  set('ProxyPolicy', 'of-another', {
    status: { ancestors: invalid.ancestors.map((one) => ({ ...one, controllerName: 'example.com/other' })) },
  })
  const status = (name: string, text: string) =>
    ({
      kind: 'ProxyPolicy',
      key: `ns/${name}`,
      status: policyStatus(condition('Accepted', 'False', 'Invalid', text)),
    }) as const
  assert.deepEqual(state([status('p', 'why'), status('of-another', 'why')]), [
    'ProxyPolicy of-another Invalid: why',
  ])
  assert.deepEqual(state([status('p', 'something else')]), ['ProxyPolicy p Invalid: something else'])
})

test('tells of parameters that cannot be used, at those who refer to them as well', () => {
  const { set, state } = start()
  const parametersRef = { group: 'agentgateway.dev', kind: 'ProxyParameters', name: 'own' }
  const ofClass = { ...parametersRef, name: 'of-class', namespace: 'system' }
  set('GatewayClass', 'c', { spec: { parametersRef: ofClass } }, '')
  set('Gateway', 'own', { spec: { gatewayClassName: 'c', infrastructure: { parametersRef } } })
  set('Gateway', 'of-class', { spec: { gatewayClassName: 'c' } })
  set('Gateway', 'no-address', { spec: { gatewayClassName: 'c' } })
  set('ProxyParameters', 'own')
  set('ProxyParameters', 'of-class', {}, 'system')
  const gateway = (name: string, reason = 'InvalidParameters') =>
    ({
      kind: 'Gateway',
      key: `ns/${name}`,
      status: { conditions: [condition('Accepted', 'False', reason, 'logging.level')] },
    }) as const
  assert.deepEqual(
    state([gateway('own'), gateway('of-class'), gateway('no-address', 'UnsupportedAddress')]),
    [
      'Gateway own InvalidParameters: logging.level',
      'ProxyParameters own InvalidParameters: logging.level',
      'Gateway of-class InvalidParameters: logging.level',
      'ProxyParameters of-class InvalidParameters: logging.level',
    ],
  )
})

test('tells of references of routes, whatever Gateway they are at, and of too many rules, and of nothing else about them', () => {
  const { set, state } = start()
  const ofRoute = (kind: Kind, ...conditions: readonly object[]): ObjectStatus => {
    set(kind, 'r')
    const parents = ['a', 'b'].map((name) => ({ parentRef: { name }, controllerName, conditions }))
    return { kind, key: 'ns/r', status: { parents } }
  }
  const lost = condition('ResolvedRefs', 'False', 'BackendNotFound', 'Service ns/web was not found')
  const kinds = ['HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute'] as const
  const statuses = kinds.map((kind) =>
    ofRoute(kind, condition('Accepted', 'False', 'NoMatchingListenerHostname'), lost),
  )
  assert.deepEqual(
    state(statuses),
    kinds.map((kind) => `${kind} r BackendNotFound: Service ns/web was not found`),
  )
  assert.deepEqual(state(statuses), [])
  const resolved = condition('ResolvedRefs', 'True', 'ResolvedRefs')
  assert.deepEqual(state([ofRoute('HTTPRoute', resolved)]), [])
  // It has become wrong again.
  assert.deepEqual(state([ofRoute('HTTPRoute', lost)]), [
    'HTTPRoute r BackendNotFound: Service ns/web was not found',
  ])
  const crowded = condition('Accepted', 'False', 'TooManyRules')
  assert.deepEqual(
    state(kinds.map((kind) => ofRoute(kind, crowded))),
    kinds.map((kind) => `${kind} r TooManyRules: why`),
  )
})

test('tells of certificates of listeners, with the listener', () => {
  const { set, state } = start()
  const lost = (reason: string) => condition('ResolvedRefs', 'False', reason, 'Secret ns/tls was not found')
  const listeners = [
    {
      name: 'a',
      conditions: [lost('InvalidCertificateRef'), condition('Programmed', 'False', 'Invalid')],
    },
    { name: 'b', conditions: [lost('InvalidCertificateRef')] },
    { name: 'kinds', conditions: [lost('InvalidRouteKinds')] },
  ]
  const conditions = [
    condition('Accepted', 'True', 'ListenersNotValid'),
    condition('ResolvedRefs', 'False', 'InvalidClientCertificateRef', 'Secret ns/client was not found'),
  ]
  set('Gateway', 'g', { spec: { gatewayClassName: 'c' } })
  set('ListenerSet', 's', {
    status: { listeners: [{ name: 'b', conditions: [lost('InvalidCertificateRef')] }] },
  })
  assert.deepEqual(
    state([
      { kind: 'Gateway', key: 'ns/g', status: { conditions, listeners } },
      { kind: 'ListenerSet', key: 'ns/s', status: { listeners } },
    ]),
    [
      'Gateway g InvalidClientCertificateRef: Secret ns/client was not found',
      'Gateway g InvalidCertificateRef: Listener a: Secret ns/tls was not found',
      'Gateway g InvalidCertificateRef: Listener b: Secret ns/tls was not found',
      'ListenerSet s InvalidCertificateRef: Listener a: Secret ns/tls was not found',
    ],
  )
})

test('tells of authorities of BackendTLSPolicies and of pickers of InferencePools', () => {
  const { set, state } = start()
  set('BackendTLSPolicy', 'p')
  set('InferencePool', 'pool')
  const conditions = [
    condition('Accepted', 'False', 'NoValidCACertificate'),
    condition('ResolvedRefs', 'False', 'InvalidCACertificateRef', 'ConfigMap ns/ca was not found'),
  ]
  const picker = condition('ResolvedRefs', 'False', 'InvalidExtensionRef', 'error: no picker')
  const ofOthers = { parentRef: { name: 'x' }, controllerName: 'example.com/other', conditions: [picker] }
  const pool = (...parents: readonly object[]): ObjectStatus => ({
    kind: 'InferencePool',
    key: 'ns/pool',
    status: { parents },
  })
  const policy = policyStatus(...conditions)
  assert.deepEqual(
    state([
      { kind: 'BackendTLSPolicy', key: 'ns/p', status: policy },
      pool({ parentRef: { name: 'g' }, controllerName, conditions: [picker] }),
    ]),
    [
      'BackendTLSPolicy p InvalidCACertificateRef: ConfigMap ns/ca was not found',
      'InferencePool pool InvalidExtensionRef: error: no picker',
    ],
  )
  assert.deepEqual(state([pool(ofOthers)]), [])
})

test('tells once of what cannot be translated', () => {
  const { set, state } = start()
  set('HTTPRoute', 'r')
  const failure = { kind: 'HTTPRoute', key: 'ns/r', error: new Error('broken') } as const
  const [event = ''] = state([], [failure])
  assert.match(event, /^HTTPRoute r TranslationFailed: /)
  assert.deepEqual(state([], [failure, { ...failure, key: 'ns/gone' }]), [])
})

test('problems of very many objects are found in several turns, and what follows them comes later', async () => {
  const { set, state, events } = start()
  const names = Array.from({ length: 2_500 }, (_, index) => `p${index}`)
  for (const name of [...names, 'last']) set('ProxyPolicy', name)
  const status = (name: string) =>
    ({ kind: 'ProxyPolicy', key: `ns/${name}`, status: { ...invalid } }) as const
  assert.equal(state(names.map(status)).length, 1_000)
  state([status('last')])
  events.length = 0
  while (events.length < 1_501) await setImmediate()
  assert.equal(events.at(-2), 'ProxyPolicy p2499 Invalid: why')
  assert.equal(events.at(-1), 'ProxyPolicy last Invalid: why')
})
