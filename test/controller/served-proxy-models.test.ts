import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { modelCluster, servedBy, serveModels, startNamedProvider } from './support/served-models.ts'

/*
 * ProxyModels of a cluster: what the control plane makes of them, sent over xDS to a gateway in its own process, which
 * calls providers that are servers of this machine.
 */

test('models at a Gateway', async (t) => {
  await using red = await startNamedProvider('red')
  await using blue = await startNamedProvider('blue')
  const port = await freePort()
  const { ask, list } = await serveModels(
    t,
    port,
    `${modelCluster(port, { red, blue })}
---
kind: Secret
metadata: { namespace: shop, name: key }
stringData: { Authorization: Bearer sk-red }
---
kind: ProxyModel
metadata: { namespace: shop, name: fast }
spec:
  { parentRefs: [{ name: web }], ${servedBy('red')}, policies: { auth: { secretRef: { name: key } } } }
---
kind: ProxyModel
metadata: { namespace: shop, name: others }
spec: { parentRefs: [{ name: web }], match: { model: 'gpt-*' }, ${servedBy('blue')} }
---
kind: ProxyModel
metadata: { namespace: shop, name: hidden }
spec: { parentRefs: [{ name: web }], visibility: Internal, ${servedBy('blue')} }
---
kind: ProxyModel
metadata: { namespace: shop, name: keyless }
spec:
  { parentRefs: [{ name: web }], match: { model: gpt-keyless }, ${servedBy('blue')}, policies: { auth: { secretRef: { name: none } } } }
---
kind: ProxyModel
metadata: { namespace: shop, name: refusing }
spec:
  { parentRefs: [{ name: web }], match: { model: gpt-refusing }, ${servedBy('blue')}, policies: { authorization: { policy: { matchExpressions: ['request.headers['] } } } }
---
kind: ProxyModel
metadata: { namespace: shop, name: unplugged }
spec: { parentRefs: [{ name: web }], match: { model: gpt-unplugged }, ${servedBy('none')} }
`,
  )

  await t.test('are chosen by their names and patterns, with their credentials', async () => {
    assert.equal(await ask('fast'), '200 red fast')
    assert.deepEqual(
      red.calls.map(({ path, headers }) => [path, headers.authorization]),
      [['/v1/chat/completions', 'Bearer sk-red']],
    )
    assert.equal(await ask('gpt-5'), '200 blue gpt-5')
    assert.equal(await ask('claude'), '404 model_not_found')
  })

  await t.test('are listed, unless they are internal', async () => {
    assert.deepEqual((await list()).toSorted(), [
      'fast',
      'gpt-*',
      'gpt-keyless',
      'gpt-refusing',
      'gpt-unplugged',
    ])
    assert.equal(await ask('hidden'), '404 model_not_found')
  })

  await t.test('fail where a Secret, a rule or a Service is missing, and no other serves them', async () => {
    blue.calls.length = 0
    for (const model of ['gpt-keyless', 'gpt-refusing', 'gpt-unplugged'])
      assert.match(await ask(model), /^50[0-9] /, model)
    assert.deepEqual(blue.calls, [])
  })
})

test('virtual models at a Gateway', async (t) => {
  await using red = await startNamedProvider('red')
  await using blue = await startNamedProvider('blue')
  const port = await freePort()
  const virtual = (name: string, routing: string): string => `---
kind: ProxyModel
metadata: { namespace: shop, name: ${name} }
spec: { parentRefs: [{ name: web }], virtualModel: { ${routing} } }
`
  const { ask, list } = await serveModels(
    t,
    port,
    `${modelCluster(port, { red, blue })}
---
kind: ProxyModel
metadata: { namespace: shop, name: red }
spec: { parentRefs: [{ name: web }], visibility: Internal, ${servedBy('red')} }
---
kind: ProxyModel
metadata: { namespace: shop, name: blue }
spec: { parentRefs: [{ name: web }], match: { model: 'blue-*' }, ${servedBy('blue')} }
${virtual(
  'shared',
  'weighted: { targets: [{ modelRef: { name: red }, weight: 3 }, { modelRef: { name: blue }, model: blue-1 }] }',
)}
${virtual(
  'safe',
  'failover: { targets: [{ modelRef: { name: blue }, model: blue-2, priority: 7 }, { modelRef: { name: red }, priority: 3 }] }',
)}
${virtual(
  'smart',
  `conditional: { targets: [{ modelRef: { name: red }, when: 'request.headers["x-team"] == "red"' }, { modelRef: { name: blue }, model: blue-3 }] }`,
)}
${virtual('half', 'weighted: { targets: [{ modelRef: { name: red } }, { modelRef: { name: none } }] }')}
`,
  )

  await t.test('share the load by weight', async () => {
    const replies: string[] = []
    for (let i = 0; i < 8; i++) replies.push(await ask('shared'))
    assert.deepEqual(
      Map.groupBy(replies, (reply) => reply)
        .entries()
        .map(([reply, { length }]) => [reply, length])
        .toArray()
        .toSorted(),
      [
        ['200 blue blue-1', 2],
        ['200 red red', 6],
      ],
    )
  })

  await t.test('go on to the next priority where a provider fails', async () => {
    assert.equal(await ask('safe'), '200 red red')
    red.isDown = true
    assert.equal(await ask('safe'), '200 blue blue-2')
    red.isDown = false
  })

  await t.test('are chosen by conditions', async () => {
    assert.equal(await ask('smart', { headers: { 'x-team': 'red' } }), '200 red red')
    assert.equal(await ask('smart'), '200 blue blue-3')
  })

  await t.test('keep the share of a target that leads nowhere', async () => {
    const replies = [await ask('half'), await ask('half')]
    assert.deepEqual(replies.toSorted(), ['200 red red', '404 virtual_model_target_not_found'])
  })

  await t.test('are listed; what only they reach is not', async () => {
    assert.deepEqual((await list()).toSorted(), ['blue-*', 'half', 'safe', 'shared', 'smart'])
    assert.equal(await ask('red'), '404 model_not_found')
  })
})
