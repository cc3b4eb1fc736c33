import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { McpCaller, Sending, McpResponse } from '../../support/mcp/mcp-caller.ts'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

const PLAIN = 'text/plain'
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** Checks a refusal in plain text. */
const refused = (told: McpResponse, status: number, text: string | RegExp): void => {
  const shown = `${told.status} ${told.text}`
  assert.equal(told.status, status, shown)
  assert.equal(told.headers['content-type'], PLAIN, shown)
  if (typeof text === 'string') assert.equal(told.text, text)
  else assert.match(told.text, text)
}

/** Checks a JSON-RPC error. */
const failed = (
  told: McpResponse,
  status: number,
  id: unknown,
  code: number,
  message: string | RegExp,
): void => {
  const shown = `${told.status} ${told.text}`
  assert.equal(told.status, status, shown)
  assert.equal(told.headers['content-type'], 'application/json', shown)
  assert.equal(told.response?.id, id, shown)
  assert.equal(told.response?.error?.code, code, shown)
  const said = told.response.error.message
  if (typeof message === 'string') assert.equal(said, message)
  else assert.match(said, message)
}

suite('the MCP endpoint', () => {
  let toy: ToyServer
  let gateway: McpRoutes
  before(async () => {
    toy = await startToy({ tools: ['add'] })
    const one = [httpTarget('toy', toy.url)]
    const ruled = { mcpAuthorization: { rules: ['mcp.tool.name == "other"'] } }
    gateway = await startMcpRoutes({
      plain: { targets: one },
      stateless: { targets: one, mcp: { statefulMode: 'stateless' } },
      two: { targets: [...one, httpTarget('second', toy.url)] },
      ruled: { targets: one, policies: ruled },
      open: { targets: one, mcp: { dnsRebindingProtection: false } },
      gone: { targets: [httpTarget('gone', 'http://127.0.0.1:1/mcp')] },
    })
  })
  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await toy[Symbol.asyncDispose]()
  })
  const send = (message: unknown, sending?: Sending, route = 'plain') =>
    gateway.client(route).send(message, sending)
  const opened = async (route = 'plain', version?: string): Promise<McpCaller> => {
    const client = gateway.client(route)
    await client.open({}, version)
    return client
  }

  test('allows GET, POST and DELETE only', async () => {
    for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
      const told = await send(undefined, { method })
      refused(told, 405, 'mcp: method not allowed; must be GET, POST, or DELETE')
      assert.equal(told.headers.allow, 'GET, POST, DELETE')
    }
  })

  test('requires that a POST accepts both content types, also by wildcard or default', async () => {
    const both = 'mcp: client must accept both application/json and text/event-stream'
    for (const accept of [
      'application/json',
      'text/event-stream',
      'text/html',
      'application/json, text/event-stream;q=0',
    ])
      refused(await send(list, { fields: { accept } }), 406, both)
    const passes = 'mcp: session header is required for non-initialize requests'
    for (const accept of ['*/*', 'application/*, text/*', 'text/event-stream,application/json;q=0.1'])
      refused(await send(list, { fields: { accept } }), 400, passes)
    refused(await send(list, { without: ['accept'] }), 400, passes)
  })

  test('requires a JSON POST', async () => {
    const wrong = 'mcp: client must send application/json'
    for (const type of ['text/plain', 'application/jsonx', 'application/json-rpc'])
      refused(await send(list, { fields: { 'content-type': type } }), 415, wrong)
    refused(await send(list, { without: ['content-type'] }), 415, wrong)
    const told = await send(list, { fields: { 'content-type': 'Application/JSON; charset=utf-8' } })
    refused(told, 400, /session header/)
  })

  test('refuses invalid messages with their error', async () => {
    const cases: [string, RegExp][] = [
      ['', /fail to deserialize request body: /],
      ['{', /ends too early/],
      ['{"jsonrpc":"2.0","id":1,"method":"x"', /ends too early/],
      ['nothing', /invalid JSON at character 1|invalid JSON/],
      ['[]', /a batch needs a message/],
      ['null', /a message is an object/],
      ['"x"', /a message is an object/],
      ['{"id":1,"method":"x"}', /jsonrpc must be "2.0"/],
      ['{"jsonrpc":"1.0","id":1,"method":"x"}', /jsonrpc must be "2.0"/],
      ['{"jsonrpc":"2.0","id":{},"method":"x"}', /id must be a string or a number/],
      ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"x"}', /too large to be exact/],
      ['{"jsonrpc":"2.0","id":1}', /neither method nor result nor error/],
      ['{"jsonrpc":"2.0","id":1,"method":5}', /method must be a string/],
      ['{"jsonrpc":"2.0","id":1,"method":"x","params":7}', /params must be an object/],
      ['{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}', /both result and error/],
      [
        `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${'['.repeat(600)}${']'.repeat(600)}}}`,
        /nested deeper/,
      ],
    ]
    for (const [body, text] of cases) {
      const told = await send(body === '' ? ' ' : body)
      refused(told, 400, text)
      assert.match(told.text, /^mcp: fail to deserialize request body: /)
    }
  })

  test('requires a known session', async () => {
    const client = gateway.client('plain')
    refused(await client.send(list), 400, 'mcp: session header is required for non-initialize requests')
    refused(await client.send(undefined, { method: 'DELETE' }), 400, 'mcp: session ID is required')
    refused(await client.send(undefined, { method: 'GET' }), 400, 'mcp: session ID is required')
    const told = await client.send(undefined, { method: 'GET', fields: { accept: 'application/json' } })
    refused(told, 406, 'mcp: client must accept text/event-stream')
    for (const method of ['POST', 'GET', 'DELETE']) {
      const fields = { 'mcp-session-id': 'nobody' }
      const body = method === 'POST' ? list : undefined
      refused(await client.send(body, { method, fields }), 404, 'mcp: session not found')
    }
  })

  test('refuses an unknown revision in the header with a JSON-RPC error', async () => {
    const fields = { 'mcp-protocol-version': '1999-01-01' }
    const told = await send(list, { fields })
    failed(told, 400, 1, -32_022, 'unsupported MCP protocol version: 1999-01-01')
    assert.deepEqual(told.response?.error?.data, {
      supported: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
      requested: '1999-01-01',
    })
    for (const method of ['GET', 'DELETE'])
      failed(await send(undefined, { method, fields }), 400, null, -32_022, /1999-01-01/)
  })

  test('replies to an unknown revision in a handshake with the newest', async () => {
    const told = await gateway.client('plain').open({}, '2099-01-01')
    assert.equal(told.response?.result?.protocolVersion, '2025-11-25')
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])
      assert.equal(
        (await gateway.client('plain').open({}, version)).response?.result?.protocolVersion,
        version,
      )
    const bad = await gateway.client('plain').request('initialize', { capabilities: {} })
    failed(bad, 200, 1, -32_602, /initialize says no protocolVersion/)
  })

  test('replies to requests with event streams, and to notifications with 202', async () => {
    const client = await opened()
    const told = await client.request('tools/list')
    assert.equal(told.status, 200)
    assert.equal(told.headers['content-type'], 'text/event-stream')
    assert.equal(told.headers['cache-control'], 'no-cache')
    assert.match(told.text, /^event: message\ndata: \{[^\n]*\}\n\n$/)
    const quiet = await client.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })
    assert.deepEqual([quiet.status, quiet.text], [202, ''])
    const answer = await client.send({ jsonrpc: '2.0', id: 'nobody asked', result: {} })
    assert.deepEqual([answer.status, answer.text], [202, ''])
    const end = await client.send(undefined, { method: 'DELETE' })
    // The status of the server.
    assert.deepEqual([end.status, end.text], [200, ''])
    refused(await client.send(list), 404, 'mcp: session not found')
  })

  test('supports only POST without sessions', async () => {
    for (const method of ['GET', 'DELETE']) {
      const told = await send(undefined, { method }, 'stateless')
      refused(told, 405, 'mcp: method not allowed; must be GET, POST, or DELETE')
      assert.equal(told.headers.allow, 'POST')
    }
    const told = await gateway.client('stateless').request('tools/call', { name: 'add' })
    assert.equal(told.status, 200)
  })

  test('refuses a GET stream that no server has', async () => {
    for (const route of ['plain', 'two']) {
      const client = await opened(route)
      let stream = await client.listen()
      // A stream is opened if servers are slow to refuse theirs, as all may be on a busy machine.
      for (let again = 0; stream.status === 200 && again < 50; again++) {
        stream.leave()
        stream = await client.listen()
      }
      if (stream.status === 200) stream.leave()
      refused(await stream.whole(), 405, 'mcp: method not allowed; must be GET, POST, or DELETE')
    }
  })

  test('accepts batches in one revision only', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 'a', method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'b', method: 'tools/list' },
      { jsonrpc: '2.0', id: 'c', method: 'no/such' },
    ]
    const told = await (await opened('plain', '2025-03-26')).send(batch)
    assert.deepEqual(told.messages.map(({ id }) => id).sort(), ['a', 'b', 'c'])
    assert.equal(told.messages.find(({ id }) => id === 'c')?.error?.code, -32_601)
    for (const version of ['2024-11-05', '2025-06-18', '2025-11-25'])
      failed(
        await (await opened('plain', version)).send(batch),
        400,
        'a',
        -32_600,
        `revision ${version} has no batches`,
      )
    const fields = { 'mcp-protocol-version': '2026-07-28' }
    failed(await send(batch, { fields }), 400, null, -32_600, 'this revision has no batches')
    // A handshake inside a batch is ignored.
    const hidden = [{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }]
    refused(await send(hidden), 400, /session header is required/)
    const within = await (await opened('plain', '2025-03-26')).send(hidden)
    assert.equal(within.response?.error?.code, -32_600)
  })

  test('has the standard codes for unknown methods and invalid parameters', async () => {
    for (const route of ['plain', 'two']) {
      const client = await opened(route)
      const unknown = await client.request('no/such')
      assert.deepEqual([unknown.status, unknown.response?.error?.code], [200, -32_601], route)
      for (const [method, params] of [
        ['tools/call', {}],
        ['tools/call', { name: 5 }],
        ['prompts/get', {}],
        ['resources/read', { uri: null }],
        ['completion/complete', { ref: { type: 'ref/nothing' } }],
        ['tasks/get', {}],
      ] as const)
        failed(
          await client.request(method, params),
          200,
          client.lastId,
          -32_602,
          /^invalid request parameters: /,
        )
      refused(await client.request('tools/call', [1]), 400, /params must be an object/)
    }
    const two = await opened('two')
    failed(
      await two.request('tools/call', { name: 'nobody_add' }),
      200,
      two.lastId,
      -32_602,
      'Unknown tool: nobody_add',
    )
    failed(await two.request('prompts/get', { name: 'x' }), 200, two.lastId, -32_602, 'Unknown prompt: x')
    failed(
      await two.request('resources/read', { uri: 'a:b' }),
      200,
      two.lastId,
      -32_602,
      'Unknown resource: a:b',
    )
    failed(await two.request('tasks/get', { taskId: 't' }), 200, two.lastId, -32_602, 'Unknown task: t')
  })

  test('treats denied tools as unknown', async () => {
    const client = await opened('ruled')
    assert.deepEqual((await client.request('tools/list')).response?.result?.tools, [])
    failed(
      await client.request('tools/call', { name: 'add' }),
      200,
      client.lastId,
      -32_602,
      'Unknown tool: add',
    )
    assert.equal(toy.requestsOf('add').filter(({ headers }) => headers['x-ruled']).length, 0)
  })

  test('replies with a JSON-RPC error if servers are unreachable', async () => {
    const told = await gateway.client('gone').open()
    assert.deepEqual([told.status, told.response?.error?.code], [200, -32_603])
  })

  test('has no sessions and streams in 2026-07-28, and requires matching headers', async () => {
    const client = gateway.client('plain')
    const fields = { 'mcp-protocol-version': '2026-07-28' }
    for (const method of ['GET', 'DELETE'])
      refused(await client.send(undefined, { method, fields }), 405, /^mcp: method not allowed/)
    failed(
      await client.requestModern('tools/list', {}, {}, { fields: { 'mcp-session-id': 'x' } }),
      400,
      client.lastId,
      -32_600,
      'this revision has no sessions',
    )
    for (const method of [
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'resources/unsubscribe',
    ])
      failed(
        await client.send({ jsonrpc: '2.0', id: 1, method }, { fields: { ...fields, 'mcp-method': method } }),
        404,
        1,
        -32_601,
        `method not found: ${method}`,
      )
    const named = { ...fields, 'mcp-method': 'tools/list' }
    failed(await client.send(list, { fields: named }), 400, 1, -32_602, /protocolVersion/)
    for (const wrong of [
      { 'mcp-method': 'tools/list' },
      { 'mcp-name': 'other' },
      { 'mcp-protocol-version': '2025-11-25' },
    ]) {
      const told = await client.requestModern('tools/call', { name: 'add' }, {}, { fields: wrong })
      failed(told, 400, client.lastId, -32_020, /header/i)
    }
    // In a session, the revision in a message is ignored.
    const within = await (
      await opened()
    ).requestModern('ping', {}, {}, { fields: { 'mcp-protocol-version': '2025-11-25' } })
    assert.deepEqual([within.status, within.response?.result], [200, {}])
    failed(
      await client.requestModern('tools/call', { name: 'add' }, {}, { without: ['mcp-method'] }),
      400,
      client.lastId,
      -32_020,
      /mcp-method/i,
    )
    const encoded = { 'mcp-name': `=?base64?${Buffer.from('add').toString('base64')}?=` }
    assert.equal(
      (await client.requestModern('tools/call', { name: 'add' }, {}, { fields: encoded })).status,
      200,
    )
    failed(await client.requestModern('no/such'), 404, client.lastId, -32_601, /no/)
  })

  test('applies rules to the message, whatever the headers contain', async () => {
    const client = gateway.client('ruled')
    failed(
      await client.requestModern('tools/call', { name: 'add' }, {}, { fields: { 'mcp-name': 'other' } }),
      400,
      client.lastId,
      -32_020,
      /mcp-name/i,
    )
    failed(
      await client.requestModern('tools/call', { name: 'add' }),
      400,
      client.lastId,
      -32_602,
      'Unknown tool: add',
    )
  })

  test('accepts only local host and origin names on loopback', async () => {
    const text = 'MCP DNS rebinding protection: Host/Origin must be localhost, 127.0.0.1, or [::1]'
    const client = gateway.client('plain')
    const port = client.url.port
    for (const fields of [
      { host: 'evil.example' },
      { host: 'localhost.evil.example' },
      { host: `127.0.0.1.evil.example:${port}` },
      { host: '127.0.0.2' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost.evil.example' },
      { origin: 'http://evil.example#localhost' },
      { origin: 'nonsense' },
    ])
      for (const method of ['POST', 'GET', 'DELETE', 'PUT'])
        refused(await client.send(method === 'POST' ? list : undefined, { method, fields }), 403, text)
    for (const fields of [
      { host: 'localhost' },
      { host: `LOCALHOST:${port}` },
      { host: '[::1]:80' },
      { origin: `http://localhost:${port}` },
      { origin: 'https://127.0.0.1' },
      { origin: 'http://[::1]:3000' },
    ])
      refused(await client.send(list, { fields }), 400, /session header/)
    const fields = { host: 'evil.example', origin: 'https://evil.example' }
    refused(await gateway.client('open').send(list, { fields }), 400, /session header/)
  })
})
