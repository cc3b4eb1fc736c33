import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseConfig } from '../../../src/config/parse.ts'
import { xdsName, xdsResource } from '../../../src/config/xds/xds-resource.ts'
import { XdsJoin } from '../../../src/config/xds/with-xds.ts'
import { XdsState } from '../../../src/config/xds/xds-state.ts'
import { runInLongSlices } from '../../../src/model/event-loop/time-slicing.ts'
import { portResources, replyRoute } from '../../support/xds/xds-server.ts'

const ROUTES = 2_500
const WORKLOADS = 10_000
/** That a request may wait for. On a slow machine it is more, and still a small part of the whole. */
const LONGEST_MS = 20

const file = { ...parseConfig('{}', 'gateway.yaml', {}), name: 'gateway.yaml' }

const resources = [
  ...portResources(8080),
  ...Array.from({ length: ROUTES }, (_, i) => replyRoute(`r${i}`, 'x')),
  ...Array.from({ length: WORKLOADS }, (_, i) =>
    xdsResource('workload', `w${i}`, {
      uid: `w${i}`,
      name: `w${i}`,
      namespace: 'default',
      workloadIps: [`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`],
    }),
  ),
].map((one) => ({ ...one, name: xdsName(one), model: JSON.stringify(one.model) }))

const checked = async () => {
  const state = new XdsState(file.shared)
  const { changes, refused } = await runInLongSlices(state.check({ resources, removed: [] }))
  assert.deepEqual(refused, [])
  return { state, changes }
}

/** The longest turn of the event loop until some work is done, and all of them, in milliseconds of this thread's time. */
const longestTurn = async (
  work: () => Promise<unknown>,
): Promise<{ longestMs: number; limitMs: number; turns: number }> => {
  let isDone = false
  let turns = 0
  let longestMs = 0
  let totalMs = 0
  let began = process.threadCpuUsage()
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(began)
    longestMs = Math.max(longestMs, (user + system) / 1_000)
    totalMs += (user + system) / 1_000
    turns++
    began = process.threadCpuUsage()
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  turn()
  isDone = true
  return { longestMs, limitMs: Math.max(LONGEST_MS, totalMs / 2), turns }
}

suite('a whole set of resources', () => {
  test('is applied in turns of a few milliseconds, and never seen in part', async () => {
    const { state, changes } = await checked()
    const join = new XdsJoin(state)
    const seen: number[] = []
    const { longestMs, limitMs, turns } = await longestTurn(async () => {
      const committed = state.commit(changes)
      seen.push((await join.join(file)).resources.workloads.length)
      await committed
    })
    assert.deepEqual(seen, [WORKLOADS])
    assert.ok(turns > 1, 'it took one turn')
    assert.ok(longestMs < limitMs, `${longestMs} ms`)
  })

  test('is normalised in turns when the settings of the file change', async () => {
    const { state, changes } = await checked()
    await state.commit(changes)
    const join = new XdsJoin(state)
    const before = await join.join(file)
    const shared = { ...file.shared, mergeSlashes: !file.shared.mergeSlashes }
    const { longestMs, limitMs, turns } = await longestTurn(async () => {
      const joined = join.join({ ...file, shared })
      // A delta that was checked by the settings before comes meanwhile.
      const removed = state.commit([{ name: 'workload/w0', after: undefined }])
      const { workloads, binds } = (await joined).resources
      assert.equal(workloads.length, WORKLOADS)
      assert.equal(binds[0]?.listeners[0]?.routes.length, ROUTES)
      assert.notEqual(binds[0].listeners[0].routes[0], before.resources.binds[0]?.listeners[0]?.routes[0])
      await removed
    })
    assert.ok(turns > 1, 'it took one turn')
    assert.ok(longestMs < limitMs, `${longestMs} ms`)
    assert.equal((await join.join({ ...file, shared })).resources.workloads.length, WORKLOADS - 1)
  })
})
