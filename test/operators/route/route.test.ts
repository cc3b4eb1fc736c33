import assert from 'node:assert/strict'
import { test } from 'node:test'
import { respond } from '../../../src/model/exchange/reply.ts'
import { type PipedRoute, route } from '../../../src/operators/route/route.ts'
import { routeTable } from '../../../src/operators/route/table.ts'
import { onRequest } from '../../../src/pipeline/stage.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { operatorLaws } from '../../../src/testing/operator-laws.ts'
import { run } from '../../../src/testing/run.ts'

const piped = (name: string): PipedRoute => ({
  key: name,
  labels: {
    bind: 'bind/80',
    gateway: 'default/default',
    listener: 'default',
    route: `default/${name}`,
    routeRule: undefined,
  },
  hostnames: [],
  matches: [{ path: { exact: `/${name}` } }],
  pipeline: onRequest(name, () => respond(201, name)),
  effective: {},
})

test('the route stage', async (t) => {
  const stage = route(routeTable([piped('a'), piped('b')]))

  await t.test('obeys the laws of operators, with a route and without', async () => {
    await operatorLaws(stage, { exchange: { path: '/b' } })
    await operatorLaws(stage, { exchange: { path: '/c' }, untraced: true })
  })

  await t.test('continues in the pipeline of the route, which is set from then on', () => {
    const x = run(stage, exchange({ path: '/b' }))
    assert.deepEqual([x.reply?.status, x.labels.route], [201, 'default/b'])
  })

  await t.test('refuses a request without a route', () => {
    const x = run(stage, exchange({ path: '/c' }))
    assert.deepEqual([x.reply?.status, x.reply?.code], [404, 'route_not_found'])
  })

  await t.test('leaves an exchange with a reply of gateway policies unchanged', () => {
    const x = exchange({ path: '/b', reply: respond(204, '') })
    run(stage, x)
    assert.equal(x.reply?.status, 204)
  })
})
