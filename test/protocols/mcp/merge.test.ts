import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cacheHintsOf, mergeCacheHints } from '../../../src/protocols/mcp/cache-hints.ts'
import { collisions, mergeDiscover, mergeInitialize } from '../../../src/protocols/mcp/merge.ts'

const introduction =
  'This server is a gateway to a set of mcp servers. It is responsible for routing requests to the correct server and aggregating the results.'

const capabilitiesOf = (some: readonly unknown[], stateful = true) =>
  mergeInitialize(
    some.map((capabilities, i) => ({ target: `t${i}`, result: { capabilities } })),
    '2025-11-25',
    { version: '1.2.3', stateful },
  ).capabilities

test('the initialize results of several servers', async (t) => {
  await t.test('are merged into one', () => {
    const results = [
      {
        target: 'files',
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, logging: {} },
          serverInfo: { name: 'f', version: '9' },
          instructions: 'Use it.',
        },
      },
      {
        target: 'git',
        result: { protocolVersion: '2025-06-18', capabilities: { resources: { subscribe: true } } },
      },
      {
        target: 'time',
        result: { protocolVersion: '2025-11-25', capabilities: {}, instructions: 'Or this.' },
      },
    ]
    assert.deepEqual(mergeInitialize(results, '2025-06-18', { version: '1.2.3', stateful: true }), {
      protocolVersion: '2025-06-18',
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
      },
      serverInfo: { name: 'agentgateway', version: '1.2.3' },
      instructions: `${introduction}\n\n[files]\nUse it.\n\n[time]\nOr this.`,
    })
  })

  await t.test('are parsed whatever they omit', () => {
    assert.deepEqual(
      mergeInitialize([{ target: 'a', result: {} }], '2025-11-25', { version: '1', stateful: true }),
      {
        protocolVersion: '2025-11-25',
        capabilities: {},
        serverInfo: { name: 'agentgateway', version: '1' },
        instructions: introduction,
      },
    )
    assert.deepEqual(capabilitiesOf([null, [], 'x', { tools: true, prompts: null }]), {})
  })

  await t.test('include subscriptions if they are possible and a server supports them', () => {
    const subscribing = [{ resources: {} }, { resources: { subscribe: true } }]
    assert.deepEqual(capabilitiesOf(subscribing), { resources: { subscribe: true, listChanged: true } })
    assert.deepEqual(capabilitiesOf(subscribing, false), { resources: { listChanged: true } })
    assert.deepEqual(capabilitiesOf([{ resources: { subscribe: false } }]), {
      resources: { listChanged: true },
    })
  })

  await t.test('are merged by union, and the first server wins', () => {
    assert.deepEqual(
      capabilitiesOf([
        { completions: {}, extensions: { 'a/x': { v: 1, deep: { p: 1 } }, 'a/y': {} } },
        {
          prompts: {},
          extensions: { 'a/x': { v: 2, w: 3, deep: { q: 2 } }, 'b/z': {} },
          tasks: { list: {} },
        },
        { tasks: { cancel: {} }, experimental: { e: {} } },
      ]),
      {
        prompts: { listChanged: true },
        completions: {},
        extensions: { 'a/x': { v: 1, w: 3, deep: { p: 1, q: 2 } }, 'a/y': {}, 'b/z': {} },
        tasks: { list: {}, cancel: {} },
        experimental: { e: {} },
      },
    )
  })

  await t.test('may contain names that are special in JavaScript', () => {
    const odd = JSON.parse('{"extensions":{"__proto__":{"admin":true}}}') as unknown
    const capabilities = capabilitiesOf([odd, odd]) as { extensions: Record<string, unknown> }
    assert.equal(capabilities.extensions.admin, undefined)
    assert.equal(JSON.stringify(capabilities), '{"extensions":{"__proto__":{"admin":true}}}')
  })
})

test('the server/discover results of several servers', async (t) => {
  await t.test('have the common revisions, and the shortest lifetime', () => {
    const results = [
      {
        target: 'a',
        result: {
          supportedVersions: ['2026-07-28', '2025-11-25', '2024-11-05'],
          capabilities: { prompts: {} },
          ttlMs: 5000,
          cacheScope: 'public',
        },
      },
      {
        target: 'b',
        result: { supportedVersions: ['2025-11-25', '2026-07-28'], ttlMs: 900, cacheScope: 'private' },
      },
    ]
    assert.deepEqual(mergeDiscover(results, { version: '1.2.3', stateful: false }), {
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25'],
      capabilities: { prompts: { listChanged: true } },
      instructions: introduction,
      ttlMs: 900,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'agentgateway', version: '1.2.3' } },
    })
  })

  await t.test('may have no common revision', () => {
    const results = [
      { target: 'a', result: { supportedVersions: ['2026-07-28', 7] } },
      { target: 'b', result: { supportedVersions: 'x' } },
    ]
    assert.deepEqual(mergeDiscover(results, { version: '1', stateful: true }).supportedVersions, [])
    assert.deepEqual(mergeDiscover([], { version: '1', stateful: true }).supportedVersions, [])
  })
})

test('cache hints', async (t) => {
  await t.test('are read as stale and private if they are invalid', () => {
    const stale = { ttlMs: 0, cacheScope: 'private' }
    for (const odd of [{}, { ttlMs: -1 }, { ttlMs: '5', cacheScope: 'all' }, { ttlMs: Infinity }])
      assert.deepEqual(cacheHintsOf(odd), stale)
    assert.deepEqual(mergeCacheHints([]), stale)
  })

  await t.test('are public if all are', () => {
    const open = { ttlMs: 10, cacheScope: 'public' }
    assert.deepEqual(mergeCacheHints([open, { ...open, ttlMs: 7.9 }]), { ttlMs: 7, cacheScope: 'public' })
    assert.deepEqual(mergeCacheHints([open, {}]), { ttlMs: 0, cacheScope: 'private' })
  })
})

test('names that several servers use are found', () => {
  assert.deepEqual(
    collisions([
      { target: 'a', names: ['x', 'y', 'x', '__proto__'] },
      { target: 'b', names: ['y', 'z'] },
      { target: 'c', names: ['y', '__proto__'] },
    ]),
    [
      { name: 'y', targets: ['a', 'b', 'c'] },
      { name: '__proto__', targets: ['a', 'c'] },
    ],
  )
  assert.deepEqual(collisions([]), [])
})
