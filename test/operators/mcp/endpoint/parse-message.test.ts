import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '../../../../src/model/exchange/exchange.ts'
import { ParsedBody } from '../../../../src/operators/mcp/endpoint/parsed-body.ts'
import { parseMcpMessage } from '../../../../src/operators/mcp/endpoint/parse-message.ts'
import type { ResolveTarget } from '../../../../src/operators/mcp/federation/resolve-target.ts'
import { exchange, operatorLaws, runAsync } from '../../../../src/testing/index.ts'

const named =
  (target: string): ResolveTarget =>
  (_, __, { name }) => ({ target, name })
const setAttributes = (...resolveTarget: ResolveTarget[]) =>
  parseMcpMessage({ resolvers: resolveTarget, limitBytes: 200 })
const post = (message: unknown) => ({
  method: 'POST',
  body: typeof message === 'string' ? message : JSON.stringify(message),
})
const heard = (message: unknown, ...resolveTarget: ResolveTarget[]): Promise<Exchange> =>
  runAsync(setAttributes(...(resolveTarget.length ? resolveTarget : [named('a')])), exchange(post(message)))
const request = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, params })

test('parseMessage obeys the laws of operators', async () => {
  await operatorLaws(setAttributes(named('a')))
  await operatorLaws(setAttributes(named('a')), { exchange: post(request('ping')) })
})

test('the attributes of a message before the policies', async (t) => {
  const attributes = async (method: string, params?: object) =>
    (await heard(request(method, params))).protocol.mcp

  await t.test('contain its subject, with the arguments of a call', async () => {
    assert.deepEqual(await attributes('tools/call', { name: 't', arguments: { x: [1] } }), {
      methodName: 'tools/call',
      kind: 'tool',
      target: 'a',
      tool: { target: 'a', name: 't', arguments: { x: [1] } },
    })
    assert.deepEqual((await attributes('tools/call', { name: 't', arguments: [1] }))?.tool?.arguments, {})
    const prompt = { target: 'a', name: 'p' }
    assert.deepEqual((await attributes('prompts/get', { name: 'p' }))?.prompt, prompt)
    assert.deepEqual(
      (await attributes('completion/complete', { ref: { type: 'ref/prompt', name: 'p' } }))?.prompt,
      prompt,
    )
    assert.deepEqual((await attributes('resources/read', { uri: 'u' }))?.resource, { target: 'a', name: 'u' })
    assert.deepEqual((await attributes('tasks/cancel', { taskId: 'i' }))?.task, { target: 'a', name: 'i' })
  })

  await t.test('contain its method if there is nothing else', async () => {
    assert.deepEqual(await attributes('tools/list'), { methodName: 'tools/list', kind: 'tool' })
    assert.deepEqual(await attributes('tools/call', {}), { methodName: 'tools/call', kind: undefined })
    const notifications = await heard({ jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.equal(notifications.protocol.mcp?.methodName, 'notifications/initialized')
    assert.equal((await heard({ jsonrpc: '2.0', id: 1, result: {} })).protocol.mcp, undefined)
  })

  await t.test('contain no unknown name', async () => {
    const call = request('tools/call', { name: 't' })
    assert.deepEqual((await heard(call, () => undefined)).protocol.mcp?.tool, { arguments: {} })
  })

  await t.test('of several backends contain what is common to all', async () => {
    const call = request('tools/call', { name: 't' })
    const tool = async (...resolveTarget: ResolveTarget[]) =>
      (await heard(call, ...resolveTarget)).protocol.mcp?.tool
    const other: ResolveTarget = () => Promise.resolve({ target: 'a', name: 'other' })
    assert.deepEqual(await tool(named('a'), named('a')), { target: 'a', name: 't', arguments: {} })
    assert.deepEqual(await tool(named('a'), named('b')), { name: 't', arguments: {} })
    assert.deepEqual(await tool(named('a'), () => undefined), { target: 'a', name: 't', arguments: {} })
    assert.deepEqual(await tool(named('a'), other), { arguments: {} })
  })
})

test('a parsed message', async (t) => {
  await t.test('is passed to the backend in its parsed form', async () => {
    const { request: kept } = await heard(request('ping'))
    assert.ok(kept.body instanceof ParsedBody)
    assert.deepEqual(kept.body.parsed, {
      messages: [{ jsonrpc: '2.0', id: 1, method: 'ping', params: undefined }],
      batch: false,
    })
    assert.equal(String(await kept.body.read(200)), JSON.stringify(request('ping')))
  })

  await t.test('is not parsed twice, and gets its attributes from the second backend', async () => {
    const x = await heard(request('tools/call', { name: 't' }))
    const { body } = x.request
    const again = await runAsync(setAttributes(named('b')), x)
    assert.equal(again.request.body, body)
    assert.equal(again.protocol.mcp?.tool?.target, 'b')
  })

  await t.test('is not part of a batch', async () => {
    const ping = request('ping')
    const { reply } = await heard([ping, ping])
    assert.deepEqual([reply?.status, reply?.code], [400, 'mcp_batch'])
    assert.equal((await heard([ping])).reply, undefined)
  })

  await t.test('is valid, and within the limit', async () => {
    for (const wrong of ['', '{', '[]', '{"id":1}'])
      assert.deepEqual((await heard(wrong)).reply?.code, 'mcp_unreadable', wrong)
    assert.equal((await heard(request('x'.repeat(200)))).reply?.code, 'body_too_large')
  })

  await t.test('is from a POST request', async () => {
    const x = await runAsync(setAttributes(named('a')), exchange({ method: 'DELETE', body: 'no JSON' }))
    assert.deepEqual([x.reply, x.protocol.mcp], [undefined, undefined])
  })
})
