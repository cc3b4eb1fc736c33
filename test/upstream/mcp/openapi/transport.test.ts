import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { JsonObject, Outcome } from '../../../../src/protocols/json-rpc/message.ts'
import { OpenApiTools } from '../../../../src/upstream/mcp/openapi/tools.ts'
import { OpenApiTransport } from '../../../../src/upstream/mcp/openapi/transport.ts'
import type { RequestContext, McpCall } from '../../../../src/upstream/mcp/transport.ts'
import { requestContextTo } from '../../../support/mcp/send-to.ts'
import { TransportRecorder } from '../../../support/mcp/transport-recorder.ts'
import { openApiDocument } from '../../../support/openapi/open-api-document.ts'
import { startUpstream } from '../../../support/upstream.ts'

/** The request to an API. */
interface Recorded {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Answer = (recorded: Recorded, res: ServerResponse) => void

const startInterface = async (answer: Answer = (_, res) => res.end('{}')) => {
  const requests: Recorded[] = []
  const upstream = await startUpstream((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const recorded = {
        method: req.method,
        url: req.url,
        headers: req.headers,
        body: String(Buffer.concat(chunks)),
      }
      requests.push(recorded)
      answer(recorded, res)
    })
  })
  return {
    requests,
    server: upstream.server,
    origin: `http://${upstream.host}`,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  }
}

const wireTo = (file: string, limitBytes?: number) => {
  const tools = new OpenApiTools(openApiDocument(file))
  return new OpenApiTransport('pets', { prefix: tools.prefix, tools, limitBytes })
}

/** For calls that reach no API. */
const nowhere: RequestContext = requestContextTo('http://127.0.0.1:1')

const outcomeOf = async (transport: OpenApiTransport, call: McpCall, context = nowhere): Promise<Outcome> => {
  const recorder = new TransportRecorder()
  transport.call(call, context, recorder)
  const { outcome, fault } = await recorder.over
  if (!outcome) throw fault ?? new Error('no outcome')
  return outcome
}
const toolCall = (name: string, args?: JsonObject): McpCall => ({
  method: 'tools/call',
  params: { name, ...(args && { arguments: args }) },
})
const getPet = toolCall('getPetById', { path: { petId: 7 } })

test('an OpenAPI transport', async (t) => {
  await t.test('completes a handshake of the requested revision, if it has one', async () => {
    const transport = wireTo('pets.yaml')
    const versions = await Promise.all(
      ['2024-11-05', '2025-11-25', '2026-07-28', undefined].map((protocolVersion) =>
        outcomeOf(transport, { method: 'initialize', params: { protocolVersion } }),
      ),
    )
    assert.deepEqual(versions[0], {
      result: {
        protocolVersion: '2024-11-05',
        capabilities: { tools: {} },
        serverInfo: { name: 'pets', title: 'Pets', version: '1.2.0' },
      },
    })
    assert.deepEqual(
      versions.slice(1).map((outcome) => 'result' in outcome && outcome.result.protocolVersion),
      ['2025-11-25', '2025-11-25', '2025-11-25'],
    )
  })

  await t.test('responds to pings, and supports no other methods', async () => {
    const transport = wireTo('pets.yaml')
    assert.deepEqual(await outcomeOf(transport, { method: 'ping' }), { result: {} })
    for (const method of ['server/discover', 'resources/list', 'logging/setLevel', 'constructor'])
      assert.deepEqual(await outcomeOf(transport, { method }), {
        error: { code: -32601, message: `method not found: ${method}` },
      })
  })

  await t.test('lists its tools without their operations', async () => {
    const outcome = await outcomeOf(wireTo('pets.yaml'), { method: 'tools/list' })
    assert.ok('result' in outcome)
    const { tools, nextCursor } = outcome.result as { tools: JsonObject[]; nextCursor?: string }
    assert.equal(nextCursor, undefined)
    assert.equal(tools.length, 7)
    assert.deepEqual(tools[3], {
      name: 'getPetById',
      title: 'Find pet by ID',
      description: 'Returns a single pet',
      inputSchema: {
        type: 'object',
        properties: {
          path: {
            type: 'object',
            properties: { petId: { type: 'integer', format: 'int64', description: 'Which one' } },
            required: ['petId'],
            additionalProperties: false,
          },
        },
        required: ['path'],
        additionalProperties: false,
      },
      annotations: { title: 'Find pet by ID', readOnlyHint: true },
    })
  })

  await t.test('lists many tools page by page, each once', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 1_201 }, (_, i) => [`/p${i}`, { get: { operationId: `op${i}` } }]),
    )
    const tools = new OpenApiTools({ openapi: '3.1.0', paths })
    const transport = new OpenApiTransport('many', { prefix: '', tools })
    const names: unknown[] = []
    const lengths: number[] = []
    let cursor: unknown
    do {
      const outcome = await outcomeOf(transport, { method: 'tools/list', params: { cursor } })
      assert.ok('result' in outcome)
      const page = outcome.result.tools as JsonObject[]
      lengths.push(page.length)
      names.push(...page.map(({ name }) => name))
      cursor = outcome.result.nextCursor
    } while (cursor !== undefined)
    assert.deepEqual(lengths, [500, 500, 201])
    assert.equal(new Set(names).size, 1_201)
    for (const wrong of ['1', '-500', '1500', 'x', 5, null])
      assert.deepEqual(await outcomeOf(transport, { method: 'tools/list', params: { cursor: wrong } }), {
        error: { code: -32602, message: 'invalid request parameters: unknown cursor' },
      })
  })

  await t.test('converts a call to a request, and the response to a result', async () => {
    await using api = await startInterface((_, res) =>
      res.setHeader('content-type', 'application/json').end('{"id":7}'),
    )
    const context = requestContextTo(api.origin, {
      'x-tenant': 'a',
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'accept-encoding': 'gzip',
      'mcp-session-id': 's',
      'mcp-protocol-version': '2025-11-25',
    })
    assert.deepEqual(await outcomeOf(wireTo('pets.yaml'), getPet, context), {
      result: { content: [{ type: 'text', text: '{"id":7}' }], structuredContent: { id: 7 } },
    })
    const [{ method, url, headers, body } = assert.fail()] = api.requests
    assert.deepEqual([method, url, body], ['GET', '/api/v3/pet/7', ''])
    const { accept, host: _host, connection: _connection, ...others } = headers
    assert.deepEqual(
      [accept, others],
      ['application/json', { 'accept-encoding': 'identity', 'x-tenant': 'a' }],
    )
  })

  await t.test('sends complete bodies of their media types', async () => {
    await using api = await startInterface()
    const context = requestContextTo(api.origin)
    const pet = { name: 'Rex', photoUrls: ['a', 'b'], category: { name: 'dog' }, nickname: 'Bo' }
    await outcomeOf(wireTo('pets.yaml'), toolCall('updatePet', { body: pet }), context)
    await outcomeOf(
      wireTo('payments.yaml'),
      toolCall('PostCustomers', { body: { address: { city: 'x' }, name: 'A & B' } }),
      context,
    )
    await outcomeOf(
      wireTo('files.yaml'),
      toolCall('uploadDocument', { body: { file: 'AAAA', purpose: 'search' } }),
      context,
    )
    const [json, form, files] = api.requests
    assert.deepEqual(JSON.parse(json!.body), pet)
    assert.deepEqual([json!.method, json!.headers['content-type']], ['PUT', 'application/json'])
    assert.equal(form!.body, 'address%5Bcity%5D=x&name=A+%26+B')
    assert.equal(form!.url, '/v1/customers')
    assert.match(files!.headers['content-type']!, /^multipart\/form-data; boundary=agentgateway-[\w-]+$/)
    assert.match(
      files!.body,
      /name="file"; filename="file"\r\nContent-Type: application\/octet-stream\r\n\r\n\0\0\0\r\n/,
    )
  })

  await t.test('returns an error of the API as a result', async () => {
    await using api = await startInterface((_, res) =>
      res.writeHead(403, { 'content-type': 'application/problem+json' }).end('{"title":"no"}'),
    )
    assert.deepEqual(await outcomeOf(wireTo('pets.yaml'), getPet, requestContextTo(api.origin)), {
      result: {
        content: [
          { type: 'text', text: 'Upstream API call for tool getPetById failed with status 403' },
          { type: 'text', text: '{"title":"no"}' },
        ],
        structuredContent: { title: 'no' },
        isError: true,
      },
    })
  })

  await t.test('refuses unknown tools and invalid arguments without a request', async () => {
    const transport = wireTo('pets.yaml')
    const outcomes = await Promise.all(
      [
        toolCall('nothing'),
        { method: 'tools/call' },
        toolCall('getPetById'),
        toolCall('getPetById', { path: { petId: 'x' } }),
      ].map((call) => outcomeOf(transport, call)),
    )
    assert.deepEqual(
      outcomes.map((outcome) => 'error' in outcome && [outcome.error.code, outcome.error.message]),
      [
        [-32602, 'Unknown tool: nothing'],
        [-32602, 'Unknown tool: undefined'],
        [-32602, "invalid request parameters: arguments must have required property 'path'"],
        [-32602, 'invalid request parameters: path.petId must be integer'],
      ],
    )
  })

  await t.test('refuses arguments that contradict a field of the request', async () => {
    await using api = await startInterface()
    const transport = wireTo('code-host.yaml')
    const call = toolCall('issues_list-for-repo', {
      path: { owner: 'o', repo: 'r' },
      header: { 'X-Api-Version': '2' },
      cookie: { session: 'mine' },
    })
    const refused = async (fields: Record<string, string>) => {
      const outcome = await outcomeOf(transport, call, requestContextTo(api.origin, fields))
      return 'error' in outcome ? outcome.error.message : undefined
    }
    assert.equal(
      await refused({ 'x-api-version': '1' }),
      'invalid request parameters: header.x-api-version is set by the request itself',
    )
    assert.equal(
      await refused({ x_api_version: '2' }),
      'invalid request parameters: header.x-api-version is set by the request itself',
    )
    assert.equal(
      await refused({ cookie: 'a=b; session=yours' }),
      'invalid request parameters: cookie.session is set by the request itself',
    )
    assert.equal(api.requests.length, 0)
    assert.equal(await refused({ 'x-api-version': '2', cookie: 'a=b' }), undefined)
    const [{ headers } = assert.fail()] = api.requests
    assert.deepEqual([headers['x-api-version'], headers.cookie], ['2', 'session=mine; a=b'])
  })

  await t.test('reports a response that is too long', async () => {
    await using api = await startInterface((_, res) => res.end('x'.repeat(100_000)))
    assert.deepEqual(await outcomeOf(wireTo('pets.yaml', 99_999), getPet, requestContextTo(api.origin)), {
      result: {
        content: [
          {
            type: 'text',
            text: 'Upstream API call for tool getPetById was answered with more than 99999 bytes',
          },
        ],
        isError: true,
      },
    })
    const whole = await outcomeOf(wireTo('pets.yaml', 100_000), getPet, requestContextTo(api.origin))
    assert.ok('result' in whole && whole.result.isError === undefined)
  })

  await t.test('fails if there is no response, or a partial or unreadable one', async () => {
    await using api = await startInterface((_, res) => {
      if (api.requests.length === 1) res.destroy()
      else if (api.requests.length === 2) {
        res.writeHead(200, { 'content-length': '10' }).write('half', () => res.destroy())
      } else res.setHeader('content-encoding', 'gzip').end('?')
    })
    const codes: unknown[] = []
    for (let i = 0; i < 3; i++) {
      const recorder = new TransportRecorder()
      wireTo('pets.yaml').call(getPet, requestContextTo(api.origin), recorder)
      codes.push((await recorder.over).fault?.code)
    }
    assert.deepEqual(codes, ['upstream_failed', 'upstream_failed', 'mcp_server_malformed'])
  })

  await t.test('aborts the request when the call is cancelled, and emits nothing more', async () => {
    const gone = Promise.withResolvers<undefined>()
    const requested = Promise.withResolvers<undefined>()
    await using api = await startInterface((_, res) => {
      res.on('close', () => gone.resolve(undefined))
      requested.resolve(undefined)
    })
    const transport = wireTo('pets.yaml')
    const recorder = new TransportRecorder()
    const cancel = transport.call(getPet, requestContextTo(api.origin), recorder)
    await requested.promise
    cancel()
    await gone.promise
    cancel()
    transport.close()
    assert.equal(recorder.ends, 0)
    const local = new TransportRecorder()
    transport.call({ method: 'ping' }, nowhere, local)()
    await new Promise(setImmediate)
    assert.equal(local.ends, 0)
  })

  await t.test('ends active calls when it is closed', async () => {
    await using api = await startInterface(() => undefined)
    const transport = wireTo('pets.yaml')
    const recorder = new TransportRecorder()
    transport.call(getPet, requestContextTo(api.origin), recorder)
    await once(api.server, 'request')
    transport.close()
    transport.close()
    assert.equal((await recorder.over).fault?.code, 'mcp_session_closed')
    assert.equal(recorder.ends, 1)
  })

  await t.test('accepts notifications and responses, and sends none of its own', async () => {
    const transport = wireTo('pets.yaml')
    const onSent = await Promise.all([
      new Promise((resolve) => transport.notify({ method: 'notifications/initialized' }, nowhere, resolve)),
      new Promise((resolve) => transport.respond(1, { result: {} }, nowhere, resolve)),
    ])
    assert.deepEqual(onSent, [undefined, undefined])
    const recorder = new TransportRecorder()
    transport.listen(nowhere, recorder)()
    await new Promise(setImmediate)
    assert.deepEqual([recorder.ends, recorder.messages, transport.sessionId], [0, [], undefined])
  })
})
