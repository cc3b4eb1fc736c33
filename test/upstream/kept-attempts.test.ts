import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackendPolicies } from '../../src/model/resources/policies.ts'
import type { BackendTarget, Resources } from '../../src/model/resources/resources.ts'
import { Headers } from '../../src/model/exchange/headers.ts'
import { exchange } from '../../src/testing/exchange.ts'
import { beginCall } from '../support/call-upstream.ts'
import {
  commitService,
  encrypted,
  http2,
  service,
  serviceAt,
  sessionOf,
  textOf,
  withLongConnects,
} from '../support/changing-service.ts'
import { type DelayedServer, delayedServer, openServer } from '../support/delayed-server.ts'
import { backendsAt } from '../support/resources.ts'
import { until } from '../support/stream-body.ts'
import { httpServer } from '../support/upstream-servers.ts'

test('a connection attempt goes on', async (t) => {
  const goesOn = async (
    before: (held: DelayedServer) => Resources,
    after: (held: DelayedServer) => Resources,
    policies: BackendPolicies = encrypted,
    target: BackendTarget = service,
  ) => {
    await using held = await delayedServer()
    await withLongConnects({}, async (registry) => {
      const response = beginCall(commitService(registry, before(held), encrypted, target), exchange())
      await until(() => held.opened() === 1)
      commitService(registry, after(held), policies)
      held.release()
      assert.equal(await textOf(response), 'held GET ')
      assert.equal(held.opened(), 1)
    })
  }

  await t.test('if its endpoint stays', () =>
    goesOn(
      (held) => serviceAt([held]),
      (held) => serviceAt([{ port: 1 }, held]),
    ),
  )

  await t.test('if the connections to its address are made in another way from now on', () =>
    goesOn(
      (held) => serviceAt([held]),
      (held) => serviceAt([held]),
      http2,
    ),
  )

  await t.test('if another port of the service has its endpoint', () =>
    goesOn(
      (held) => serviceAt([held], [held]),
      (held) => serviceAt([], [held]),
    ),
  )

  await t.test('if another port of the service takes its endpoint over', () =>
    goesOn(
      (held) => serviceAt([held]),
      (held) => serviceAt([], [held]),
    ),
  )

  await t.test('if its endpoint is the address of a host that routes no longer lead to', () => {
    const target = { kind: 'backend', key: 'api' } as const
    const at = ({ port }: { readonly port: number }) => backendsAt({ api: { host: '127.0.0.1', port } })
    return goesOn(at, () => serviceAt([]), encrypted, target)
  })
})

test('a call that has a connection goes on when its endpoint is removed', async () => {
  const pending: (() => void)[] = []
  await using server = await httpServer((_, res) => pending.push(() => res.end('done')))
  await withLongConnects({}, async (registry) => {
    const response = beginCall(commitService(registry, serviceAt([server]), {}), exchange())
    await until(() => pending.length === 1)
    commitService(registry, serviceAt([]), {})
    pending[0]?.()
    assert.equal(await textOf(response), 'done')
  })
})

test('a callout before its configuration is in force goes to the next endpoint if one refuses', async () => {
  await using open = await openServer('open')
  await withLongConnects({}, async (registry) => {
    for (const servers of [
      [{ port: 1 }, open],
      [open, { port: 1 }],
    ]) {
      const callout = sessionOf(registry, serviceAt(servers)).httpCallout(service, encrypted)!
      const request = { method: 'GET', target: '/', headers: new Headers([]) }
      const { body } = await callout({ ...request, timeoutMs: 600_000, limitBytes: 100 })
      assert.equal(String(body), 'open GET ')
    }
  })
})
