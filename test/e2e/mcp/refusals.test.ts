import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startEverything } from '../../support/mcp/everything-server.ts'
import { httpTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const post = (url: string, message: object, more: Readonly<Record<string, string>> = {}) =>
  fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(message) })

const begin = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
}

const error = (code: number, message: string, id: unknown = 'first') => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

/** Refusals of general policies for MCP requests are JSON-RPC errors; their HTTP status and headers stay. */
suite('the refusal of an MCP request', { concurrency: 2 }, () => {
  test('without a key or permission has its id', async () => {
    await using fixture = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('one', fixture.url)], {
      policies: {
        apiKey: { keys: [{ key: 'good-key-0123456789' }], mode: 'strict' },
        authorization: { rules: ['request.method != "DELETE"'] },
      },
    })
    const refused = await post(gateway.url, begin)
    assert.equal(refused.status, 401)
    assert.match(refused.headers.get('www-authenticate') ?? '', /./)
    assert.equal(refused.headers.get('content-type'), 'application/json')
    assert.deepEqual(await refused.json(), error(-32600, 'api key authentication failure: no API Key found'))
    const forbidden = await fetch(gateway.url, {
      method: 'DELETE',
      headers: { authorization: 'Bearer good-key-0123456789' },
    })
    assert.equal(forbidden.status, 403)
    assert.deepEqual(await forbidden.json(), error(-32600, 'authorization failed', null))
    assert.equal(
      (await post(gateway.url, begin, { authorization: 'Bearer good-key-0123456789' })).status,
      200,
    )
    await gateway.daemon.printed(
      /mcp\.method\.name=initialize mcp\.error\.code=-32600 mcp\.error\.message="api key .*code=api_key/,
    )
  })

  test('by a rate limit has retry-after', async () => {
    await using fixture = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('one', fixture.url)], {
      policies: { localRateLimit: [{ maxTokens: 1, tokensPerFill: 1, fillInterval: '1h' }] },
    })
    assert.equal((await post(gateway.url, begin)).status, 200)
    const refused = await post(gateway.url, begin)
    assert.equal(refused.status, 429)
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    assert.deepEqual(await refused.json(), error(-32600, 'rate limit exceeded'))
  })

  test('beyond the length limit has its id, read from the beginning', async () => {
    await using fixture = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('one', fixture.url)], {
      root: { frontendPolicies: { http: { maxBufferSize: 100_000 } } },
    })
    const refused = await post(gateway.url, { ...begin, padding: 'x'.repeat(200_000) })
    assert.equal(refused.status, 413)
    const { id, error: told } = (await refused.json()) as ReturnType<typeof error>
    assert.deepEqual([id, told.code], ['first', -32600])
  })

  test('by a timeout is a JSON-RPC error if nothing was sent before', async () => {
    await using gateway = await startMcpDaemon([{ name: 'silent', stdio: { cmd: 'sleep', args: ['60'] } }], {
      policies: { timeout: { requestTimeout: '200ms' } },
    })
    const refused = await post(gateway.url, begin)
    // A handshake belongs to revisions with sessions, whose clients treat another status as a broken transport.
    assert.equal(refused.status, 200)
    assert.deepEqual(await refused.json(), error(-32603, 'request timeout'))
  })

  test('by checks before JSON-RPC is plain text', async () => {
    await using fixture = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('one', fixture.url)])
    const refused = await post(gateway.url, { ...begin, method: 'tools/list' })
    assert.equal(refused.status, 400)
    assert.equal(await refused.text(), 'mcp: session header is required for non-initialize requests')
  })
})
