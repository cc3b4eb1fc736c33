import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { test } from 'node:test'
import { jsonParts } from '../../src/admin/json-chunks.ts'
import { OldestOf } from '../../src/admin/tasks/oldest-of.ts'
import type { TaskNode } from '../../src/admin/tasks/task-node.ts'
import { taskReport } from '../../src/admin/tasks/task-report.ts'
import { taskText } from '../../src/admin/tasks/task-text.ts'
import { inSlices, runInSlices } from '../../src/model/event-loop/time-slicing.ts'
import { Redaction } from '../../src/model/trace/redact.ts'
import type { ActivePort } from '../../src/streams/http/port/ports.ts'
import { replying, startGateway } from '../support/gateway.ts'

const none = { mcp: { sessionLists: [] }, dependencies: { statuses: [] } }

const CONNECTIONS = 25
const STREAMS = 200
const CALLERS = 20

test('the tasks of a process with 5,000 pending exchanges', async (t) => {
  let pending = 0
  let allPending: () => void = () => undefined
  const release = Promise.withResolvers<undefined>()
  const pipeline = replying(() => {
    if (++pending === CONNECTIONS * STREAMS) allPending()
    return release.promise
  })
  await using gateway = await startGateway([{ listeners: [{ pipeline }] }])
  const sessions = Array.from({ length: CONNECTIONS }, () => {
    const session = connect(`http://127.0.0.1:${gateway.port()}`)
    session.on('error', () => undefined)
    return session
  })
  const begun = new Promise<void>((resolve) => (allPending = resolve))
  for (const session of sessions)
    for (let i = 0; i < STREAMS; i++) session.request({ ':path': `/${i}` }).on('error', () => undefined)
  await begun
  const report = taskReport({ ports: gateway.ports, ...none })

  await t.test('list the oldest 1,000, each with its stage, and count the others', async () => {
    const { workload } = await report.collect()
    const [process = { task: '' }] = workload
    assert.deepEqual(
      [process.exchanges, process.connections, process.omitted],
      [5_000, CONNECTIONS, { exchanges: 4_000, connections: 0, sessions: 0, work: 0 }],
    )
    const exchanges = (process.children ?? [])
      .flatMap(({ children = [] }) => children)
      .flatMap(({ children = [] }) => children)
    assert.equal(exchanges.length, 1_000)
    assert.ok(exchanges.every(({ task, stage }) => task === 'exchange' && stage === 'answer'))
    const oldest = Math.min(...exchanges.map(({ id }) => id as number))
    assert.ok(exchanges.every(({ id }) => (id as number) < oldest + 1_000))
  })

  await t.test('are taken and written without holding the event loop, also for 20 callers', async () => {
    const redaction = new Redaction()
    const longest = longestTurn()
    const before = process.threadCpuUsage()
    const lengths = await Promise.all(
      Array.from({ length: CALLERS }, async (_, i) => {
        const trees = await report.collect()
        let length = 0
        for await (const text of inSlices(i % 2 ? taskText(trees) : jsonParts(trees, redaction)))
          length += text.length
        return length
      }),
    )
    const ms = longest()
    const { user, system } = process.threadCpuUsage(before)
    assert.ok(lengths.every((length) => length > 50_000))
    // A slice takes 2 ms, and all of them hundreds; a garbage collection, which is part of a turn, may come on top. Of a
    // slow machine it takes longer, and so does everything else.
    const mostMs = Math.max(100, (user + system) / 4_000)
    assert.ok(ms < mostMs, `a turn of the event loop took ${ms} ms, of at most ${mostMs}`)
  })

  await t.test('may end while they are taken', async () => {
    const collecting = report.collect()
    release.resolve(undefined)
    const { workload } = await collecting
    assert.equal(workload.length, 1)
    while (gateway.ports.exchangesInFlight > 0) await gateway.nextEnded()
    for (const session of sessions) session.destroy()
    const [after] = (await report.collect()).workload
    assert.equal(after?.exchanges, 0)
  })
})

/** Measures turns of the event loop until the returned function is called; returns the longest, in ms of CPU time. */
const longestTurn = (): (() => number) => {
  let longest = 0
  let before = process.threadCpuUsage()
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longest = Math.max(longest, (user + system) / 1_000)
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  return () => {
    clearImmediate(next)
    return longest
  }
}

test('reports of several processes are one tree for each', () => {
  const tree = (name: string) => ({
    admin: [{ task: 'process', name }],
    workload: [{ task: 'process', name }],
  })
  const report = taskReport({ ports: { active: [], exchangesInFlight: 0 }, ...none })
  assert.deepEqual(report.merge([tree('1')]), tree('1'))
  assert.deepEqual(
    report.merge([tree('1'), tree('2')]).workload.map(({ name }) => name),
    ['1', '2'],
  )
})

test('the address of a listener has an IPv6 host in brackets', async () => {
  const port = (address: ActivePort['address']): ActivePort => ({
    key: 'bind/80',
    transport: 'tcp',
    address,
    connections: new Set(),
    raw: new Set(),
    isRetired: false,
  })
  const active = [
    port({ bind: '', host: '::1', port: 80 }),
    port({ bind: '', host: '127.0.0.1', port: 81 }),
    port({ bind: '', unix: '/s' }),
  ]
  const { workload } = await taskReport({ ports: { active, exchangesInFlight: 0 }, ...none }).collect()
  assert.deepEqual(
    workload[0]?.children?.map(({ address }) => address),
    ['[::1]:80', '127.0.0.1:81', 'unix:/s'],
  )
})

test('work in slices ends with its result, and lets timers fire', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  function* steps(): Generator<undefined, string> {
    const until = performance.now() + 60_000
    while (turns < 5 && performance.now() < until) yield undefined
    return 'done'
  }
  assert.equal(await runInSlices(steps()), 'done')
  clearInterval(timer)
  assert.ok(turns >= 5, `${turns} turns`)
  await assert.rejects(
    runInSlices(
      (function* (): Generator<undefined, never> {
        yield undefined
        throw new Error('a bug')
      })(),
    ),
    /a bug/,
  )
})

test('the oldest are kept in order, however they come', () => {
  const oldest = new OldestOf<number>(3)
  for (const at of [5, 1, 9, 3, 7, 2, 8, 0]) oldest.add(at, at)
  assert.deepEqual([oldest.take(), oldest.total], [[0, 1, 2], 8])
})

test('the text of tasks has no character that a terminal obeys', () => {
  const name = 'GET /\u001b[2J\r\n\u202e\u009b'
  const workload: TaskNode[] = [
    {
      task: 'exchange',
      name,
      ageMs: 61_500,
      stageMs: 12,
      host: 'a b',
      route: undefined,
      children: [{ task: 'timer', dueInMs: 3_600_000 }],
    },
  ]
  assert.equal(
    [...taskText({ admin: [], workload })].join(''),
    String.raw`admin
workload
└─ exchange GET /\u{1b}[2J\u{d}\u{a}\u{202e}\u{9b} 1m1s stage=12ms host="a b"
   └─ timer dueIn=1h0m
`,
  )
})
