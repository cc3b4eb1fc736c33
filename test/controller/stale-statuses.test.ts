import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Subject } from 'rxjs'
import type { KubernetesObject } from '../../src/controller/kinds/object.ts'
import type { Kind } from '../../src/controller/kinds/kinds.ts'
import type { StatusUpdate } from '../../src/controller/sinks/status/write-statuses.ts'
import { staleStatuses } from '../../src/controller/stale-statuses.ts'
import type { Change } from '../../src/controller/streams/change.ts'
import { ObjectFeed } from '../../src/controller/streams/object-feed.ts'
import type { DesiredState } from '../../src/controller/translate/desired-state.ts'

const controllerName = 'agentgateway.dev/agentgateway'
const ours = { controllerName }
const theirs = { controllerName: 'example.com/other' }

const startStale = () => {
  const feed = new ObjectFeed({ set: () => undefined, delete: () => undefined })
  const changes$ = new Subject<Change>()
  const states$ = new Subject<DesiredState>()
  const stale: string[] = []
  states$
    .pipe(staleStatuses({ feed, changes$, controllerName }))
    .subscribe(({ kind, key, status }: StatusUpdate) => stale.push(`${kind} ${key}${status ? ' kept' : ''}`))
  const set = (kind: Kind, name: string, more: object, metadata: object = {}) => {
    const object = { kind, metadata: { namespace: 'ns', name, ...metadata }, ...more } as KubernetesObject
    const change = { type: 'set', kind, key: `ns/${name}`, object } as Change
    feed.apply(change)
    changes$.next(change)
  }
  const state = (statuses: readonly string[] = [], failures: readonly string[] = []): readonly string[] => {
    stale.length = 0
    const named = (text: string) => ({ kind: text.split(' ')[0] as Kind, key: text.split(' ')[1] ?? '' })
    states$.next({
      gateways: [],
      statuses: statuses.map((text) => ({ ...named(text), status: {} })),
      failures: failures.map((text) => ({ ...named(text), error: new Error('broken') })),
      unknownRoles: [],
      classes: [],
      keySets: [],
    })
    return [...stale].sort()
  }
  return { set, state }
}

test('finds what an earlier control plane wrote, and nothing of others', () => {
  const { set, state } = startStale()
  set('HTTPRoute', 'stale', { status: { parents: [theirs, ours] } })
  set('HTTPRoute', 'wanted', { status: { parents: [ours] } })
  set('HTTPRoute', 'broken', { status: { parents: [ours] } })
  set('HTTPRoute', 'foreign', { status: { parents: [theirs] } })
  set('HTTPRoute', 'new', {})
  set('BackendTLSPolicy', 'stale', { status: { ancestors: [ours] } })
  set('Gateway', 'stale', {}, { statusManagers: [controllerName] })
  set('ListenerSet', 'stale', {}, { statusManagers: [controllerName] })
  set('Gateway', 'foreign', {}, { statusManagers: [theirs.controllerName] })
  assert.deepEqual(state(['HTTPRoute ns/wanted'], ['HTTPRoute ns/broken']), [
    'BackendTLSPolicy ns/stale',
    'Gateway ns/stale',
    'HTTPRoute ns/stale',
    'ListenerSet ns/stale',
  ])
  assert.deepEqual(state(['HTTPRoute ns/wanted']), [])
})

test('finds what comes later', () => {
  const { set, state } = startStale()
  assert.deepEqual(state(), [])
  set('HTTPRoute', 'restored', { status: { parents: [ours] } })
  set('HTTPRoute', 'corrected', { status: { parents: [ours] } })
  set('HTTPRoute', 'corrected', { status: { parents: [] } })
  assert.deepEqual(state(), ['HTTPRoute ns/restored'])
  assert.deepEqual(state(), [])
})
