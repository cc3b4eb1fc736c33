import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  return { set, state }
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

test('tells once of what cannot be translated', () => {
  const { set, state } = start()
  set('HTTPRoute', 'r')
  const failure = { kind: 'HTTPRoute', key: 'ns/r', error: new Error('broken') } as const
  const [event = ''] = state([], [failure])
  assert.match(event, /^HTTPRoute r TranslationFailed: /)
  assert.deepEqual(state([], [failure, { ...failure, key: 'ns/gone' }]), [])
})
