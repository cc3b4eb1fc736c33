import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseConfig } from '../../../src/config/parse.ts'
import { refuseUncompilable } from '../../../src/config/xds/refuse-uncompilable.ts'
import { xdsName } from '../../../src/config/xds/xds-resource.ts'
import { XdsState } from '../../../src/config/xds/xds-state.ts'
import { runAtOnce } from '../../../src/model/event-loop/time-slicing.ts'
import { portResources, replyRoute } from '../../support/xds/xds-server.ts'

const file = parseConfig('{}', 'gateway.yaml', {})

const received = (one: ReturnType<typeof replyRoute>) => ({
  ...one,
  name: xdsName(one),
  model: JSON.stringify(one.model),
})

const routesOf = (state: XdsState): readonly string[] =>
  state.assemble().binds[0]?.listeners[0]?.routes.map(({ name }) => name) ?? []

const changed = (state: XdsState, names: readonly string[]) => {
  const resources = names.map((name) => received(replyRoute(name, 'x')))
  return runAtOnce(state.check({ resources, removed: [] })).changes
}

const initial = (): XdsState => {
  const state = new XdsState(file.shared)
  state.apply({ resources: portResources(8080).map(received), removed: [] })
  return state
}

test('refuses those that do not compile, and applies all others', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 60 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { maxLength: 6 }),
      async (all, bad) => {
        const state = initial()
        const names = all.map((number) => `r${number}`)
        const wrong = new Set(bad.map((number) => `r${number}`))
        const trial = async () => {
          await Promise.resolve()
          const found = routesOf(state).find((name) => wrong.has(name))
          if (found !== undefined) throw new TypeError(`${found} is wrong`)
        }
        const changes = changed(state, names)
        const refused = await refuseUncompilable(state, changes, trial, new AbortController().signal)
        const expected = names.filter((name) => wrong.has(name))
        assert.deepEqual(
          refused.map(({ problem }) => problem).sort(),
          expected.map((name) => `route/HTTPRoute/default/${name}/00: ${name} is wrong`).sort(),
        )
        assert.deepEqual(routesOf(state), names.filter((name) => !wrong.has(name)).sort())
      },
    ),
  )
})

test('gives up on the rest after a number of trials, and keeps what was found to compile', async () => {
  const state = initial()
  let trials = 0
  const trial = () => {
    trials++
    const isWrong = routesOf(state).some((name) => name.startsWith('bad'))
    return isWrong ? Promise.reject(new TypeError('wrong')) : Promise.resolve()
  }
  const names = Array.from({ length: 1_000 }, (_, i) => [`bad${i}`, `good${i}`]).flat()
  const changes = changed(state, names)
  const refused = await refuseUncompilable(state, changes, trial, new AbortController().signal)
  assert.ok(trials < 210, `${trials} trials`)
  assert.ok(routesOf(state).length > 10)
  assert.ok(routesOf(state).every((name) => name.startsWith('good')))
  assert.equal(refused.length + routesOf(state).length, names.length)
})

test('ends with its signal, whatever was tried', async () => {
  const state = initial()
  const ending = new AbortController()
  const trial = () => {
    ending.abort(new Error('superseded'))
    return Promise.reject(new TypeError('wrong'))
  }
  await assert.rejects(
    refuseUncompilable(state, changed(state, ['a', 'b']), trial, ending.signal),
    /superseded/,
  )
})
