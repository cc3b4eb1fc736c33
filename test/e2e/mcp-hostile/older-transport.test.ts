import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { McpCaller, type McpStream } from '../../support/mcp/mcp-caller.ts'
import { httpTarget, type McpDaemon, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { respondJson } from '../../support/mcp/scripted-server.ts'
import { until } from '../../support/mcp/stdio-fixture.ts'
import { startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

suite('HTTP+SSE clients', () => {
  let toy: ToyServer
  let gateway: McpDaemon
  let client: McpCaller
  before(async () => {
    toy = await startToy({
      tools: ['add'],
      handlers: {
        GET: ({ url }, response) => {
          if (url.startsWith('/.well-known/')) respondJson(response, { url })
          else response.writeHead(405).end()
        },
      },
    })
    gateway = await startMcpDaemon([httpTarget('toy', toy.url)])
    client = new McpCaller(`${gateway.origin}/sse`)
  })
  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await toy[Symbol.asyncDispose]()
  })
  const introduction = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  }
  /** Opens a stream, and reads the address for POST. */
  const opened = async (): Promise<{ readonly stream: McpStream; readonly path: string }> => {
    const stream = await client.listen()
    assert.equal(stream.status, 200)
    await until(() => stream.text.includes('\n\n'))
    const [, path = ''] =
      /^event: endpoint\ndata: (\/sse\?sessionId=[0-9a-f-]{36})\n\n/.exec(stream.text) ?? []
    assert.notEqual(path, '', stream.text)
    return { stream: stream.skipped(), path }
  }

  test('are refused with plain text', async () => {
    const cases = [
      ['PUT', '/sse', {}, 405, /^mcp: method not allowed/],
      ['DELETE', '/sse', {}, 405, /^mcp: method not allowed/],
      ['GET', '/sse', { accept: 'application/json' }, 406, /^mcp: client must accept text\/event-stream$/],
      ['POST', '/sse', {}, 422, /^mcp: failed to process session_id query parameter$/],
      ['POST', '/sse?session=x', {}, 422, /^mcp: failed to process session_id query parameter$/],
      ['POST', '/sse?sessionId=', {}, 404, /^mcp: session not found$/],
      ['POST', '/sse?sessionId=x', {}, 404, /^mcp: session not found$/],
    ] as const
    for (const [method, path, fields, status, text] of cases) {
      const told = await client.send(method === 'POST' ? introduction : undefined, { method, path, fields })
      assert.equal(told.status, status, `${method} ${path} ${told.text}`)
      assert.match(told.text, text)
    }
  })

  test('can send malformed messages without harm, and get replies on their stream', async () => {
    const { stream, path } = await opened()
    for (const [body, text] of [
      ['{', /ends too early/],
      [JSON.stringify([introduction]), /no batches/],
      ['{"jsonrpc":"2.0"}', /neither method/],
    ] as const) {
      const told = await client.send(body, { path })
      assert.equal(told.status, 400)
      assert.match(told.text, text)
    }
    // Before initialize, messages of a client are ignored.
    await client.send({ jsonrpc: '2.0', method: 'notifications/initialized' }, { path })
    await client.send({ jsonrpc: '2.0', id: 0, method: 'tools/list' }, { path })
    assert.equal((await client.send(introduction, { path })).status, 202)
    const begun = await stream.message(({ id }) => id === 1)
    assert.equal(begun.result?.protocolVersion, '2024-11-05')
    await client.send({ jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'add' } }, { path })
    assert.ok((await stream.message(({ id }) => id === 'b')).result)
    await client.send({ ...introduction, id: 'c' }, { path })
    assert.equal((await stream.message(({ id }) => id === 'c')).error?.code, -32_600)
    await client.send({ jsonrpc: '2.0', id: 'd', method: 'no/such' }, { path })
    assert.equal((await stream.message(({ id }) => id === 'd')).error?.code, -32_601)
    assert.equal(toy.sessions.size, 1)
    stream.leave()
    await until(() => toy.sessions.size === 0)
    assert.equal((await client.send(introduction, { path })).status, 404)
  })

  test('can send batches in the one revision that has them', async () => {
    for (const protocolVersion of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const { stream, path } = await opened()
      await client.send({ ...introduction, params: { ...introduction.params, protocolVersion } }, { path })
      const begun = await stream.message(({ id }) => id === 1)
      assert.equal(begun.result?.protocolVersion, protocolVersion)
      const batch = ['a', 'b'].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
      const told = await client.send([{ jsonrpc: '2.0', method: 'notifications/initialized' }, ...batch], {
        path,
      })
      assert.equal(told.status, protocolVersion === '2025-03-26' ? 202 : 400)
      if (told.status === 202)
        for (const name of ['a', 'b']) assert.ok((await stream.message(({ id }) => id === name)).result)
      stream.leave()
    }
  })

  test('get resource metadata from the server itself', async () => {
    await using two = await startMcpDaemon([httpTarget('toy', toy.url), httpTarget('second', toy.url)])
    const path = '/.well-known/oauth-protected-resource/mcp?x=1'
    const told = await new McpCaller(gateway.url).send(undefined, { method: 'GET', path })
    assert.deepEqual([told.status, told.text], [200, JSON.stringify({ url: path })])
    assert.equal((await new McpCaller(two.url).send(undefined, { method: 'GET', path })).status, 404)
  })
})
