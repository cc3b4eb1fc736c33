import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { after, before, suite, test } from 'node:test'
import type { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { httpTarget, type Target } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { logLine, progressOn } from '../../support/mcp/messages.ts'
import { respondEvents, respondJson, type ScriptedRequest } from '../../support/mcp/scripted-server.ts'
import { processesMarked, until } from '../../support/mcp/stdio-fixture.ts'
import { content, reply, startToy, streamed, type ToyServer } from '../../support/mcp/toy-server.ts'

const mark = randomUUID()
const PROGRESS = 'notifications/progress'

/** A response with any id. */
const answerTo = (id: unknown, text: string) => ({ jsonrpc: '2.0', id, result: content(text) })

const misbehaviour = {
  late: (request: ScriptedRequest, response: ServerResponse) => {
    streamed(request, response, [logLine('before')])
  },
  twice: ({ body }: ScriptedRequest, response: ServerResponse) => {
    respondEvents(response, answerTo(body.id, 'first'), answerTo(body.id, 'second'), logLine('after'))
    response.end()
  },
  wrongIds: ({ body }: ScriptedRequest, response: ServerResponse) => {
    respondEvents(response, ...['1', 4_711, -1, 1.5, null].map((id) => answerTo(id, 'wrong')))
    respondEvents(response, answerTo(body.id, 'right'))
    response.end()
  },
  cut: ({ body }: ScriptedRequest, response: ServerResponse) => {
    respondEvents(response, logLine('before'))
    response.write(`data: {"jsonrpc":"2.0","id":${String(body.id)},"res`, () => response.destroy())
  },
  nothing: (_: ScriptedRequest, response: ServerResponse) => {
    respondEvents(response, logLine('before'))
    response.end()
  },
  html: (_: ScriptedRequest, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>')
  },
  garbage: (_: ScriptedRequest, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":')
  },
  otherAnswer: (_: ScriptedRequest, response: ServerResponse) => {
    respondJson(response, answerTo('other', 'other'))
  },
  deep: ({ body }: ScriptedRequest, response: ServerResponse) => {
    const nested = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"jsonrpc":"2.0","id":${String(body.id)},"result":{"x":${nested}}}`)
  },
  large: (request: ScriptedRequest, response: ServerResponse) => {
    reply(request, response, content('x'.repeat(12_000_000)))
  },
  tooLarge: (request: ScriptedRequest, response: ServerResponse) => {
    reply(request, response, content('x'.repeat(17_000_000)))
  },
  flood: ({ body }: ScriptedRequest, response: ServerResponse) => {
    const line = `data: ${JSON.stringify(logLine('y'.repeat(100_000)))}\n\n`
    respondEvents(response)
    let left = 1_000
    const more = (): void => {
      while (left-- > 0) if (!response.write(line)) return void response.once('drain', more)
      respondEvents(response, answerTo(body.id, 'flooded'))
      response.end()
    }
    more()
  },
  badNews: (request: ScriptedRequest, response: ServerResponse) => {
    const bad = [5, null, [], {}, 'x'].map((uri) => ({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri, _meta: uri },
    }))
    streamed(
      request,
      response,
      [...bad, progressOn('nobody'), progressOn({}), progressOn(-1)],
      content('fine'),
    )
  },
  refused: (_: ScriptedRequest, response: ServerResponse) => {
    response
      .writeHead(403, { 'www-authenticate': 'Bearer scope="more"', 'content-type': 'text/plain' })
      .end('not you')
  },
  broken: (_: ScriptedRequest, response: ServerResponse) => {
    response.writeHead(500, { 'content-type': 'text/plain' }).end('oh no')
  },
} as const

suite('misbehaving MCP servers', () => {
  let toy: ToyServer
  let locked: ToyServer
  let slow: ToyServer
  let gateway: McpRoutes
  const server = new URL('../../support/mcp/stdio-server.ts', import.meta.url).pathname
  const program = (script: string): Target => ({
    name: 'child',
    stdio: { cmd: 'sh', args: ['-c', script], env: { MARK: mark } },
  })
  before(async () => {
    toy = await startToy({ tools: Object.keys(misbehaviour), handlers: misbehaviour })
    locked = await startToy({
      handlers: {
        'tools/list': (_, response) =>
          response
            .writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://as.example"' })
            .end('{}'),
      },
    })
    const never = (): void => undefined
    slow = await startToy({
      tools: ['slow'],
      handlers: { slow: never, 'notifications/roots/list_changed': never },
    })
    const bad = httpTarget('toy', toy.url)
    const dead = httpTarget('dead', 'http://127.0.0.1:1/mcp')
    const open = { failureMode: 'failOpen' }
    gateway = await startMcpRoutes({
      one: { targets: [bad] },
      locked: { targets: [httpTarget('locked', locked.url)] },
      lockedToo: { targets: [bad, httpTarget('locked', locked.url)], mcp: open },
      open: { targets: [dead, bad], mcp: open },
      allDead: { targets: [dead, { ...dead, name: 'dead2' }], mcp: open },
      closed: { targets: [dead, bad] },
      slow: { targets: [httpTarget('slow', slow.url), bad] },
      dying: { targets: [program('echo some last words >&2; read -r line; exit 7')] },
      later: {
        targets: [
          {
            ...program(
              `read -r l; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}'; read -r l; read -r l; echo help me >&2; exit 3`,
            ),
            // No spare processes: none may be left in the end.
            minIdle: 0,
          },
        ],
      },
      missing: { targets: [{ name: 'child', stdio: { cmd: 'there-is-no-such-command' } }] },
      scripted: {
        targets: [{ name: 'child', stdio: { cmd: process.execPath, args: [server], env: { MARK: mark } } }],
      },
    })
  })
  after(async () => {
    await gateway[Symbol.asyncDispose]()
    for (const one of [toy, locked, slow]) await one[Symbol.asyncDispose]()
    await until(() => processesMarked(mark).length === 0)
  })
  const opened = async (name: string): Promise<McpCaller> => {
    const client = gateway.client(name)
    const told = await client.open()
    assert.equal(told.status, 200, told.text)
    return client
  }
  const calls = async (name: keyof typeof misbehaviour) => {
    const client = await opened('one')
    return client.request('tools/call', { name })
  }
  const textOf = (result: Readonly<Record<string, unknown>> | undefined): unknown =>
    (result?.content as { text: string }[] | undefined)?.[0]?.text

  test('can respond once, and only with the id of the request', async () => {
    const twice = await calls('twice')
    assert.equal(twice.messages.length, 1)
    assert.equal(textOf(twice.response?.result), 'first')
    const wrong = await calls('wrongIds')
    assert.deepEqual(
      wrong.messages.map(({ result }) => textOf(result)),
      ['right'],
    )
  })

  test('cause an error if a stream breaks off, never a partial result', async () => {
    for (const name of ['cut', 'nothing'] as const) {
      const told = await calls(name)
      assert.equal(told.status, 200)
      assert.equal(told.messages[0]?.method, 'notifications/message')
      assert.equal(told.response?.error?.code, -32_603)
      assert.match(told.response.error.message, /target toy broke off before it had answered/)
    }
  })

  test('cause an error with their name if the response is invalid', async () => {
    for (const name of ['html', 'garbage', 'otherAnswer', 'deep'] as const) {
      const told = await calls(name)
      assert.deepEqual([told.status, told.response?.error?.code], [200, -32_603], name)
      assert.match(told.response?.error?.message ?? '', /^mcp: target toy /)
    }
  })

  test('can send large messages, but not beyond the limit', async () => {
    const large = await calls('large')
    assert.equal((textOf(large.response?.result) as string).length, 12_000_000)
    const told = await calls('tooLarge')
    assert.deepEqual([told.status, told.response?.error?.code], [200, -32_603])
    assert.match(told.text, /sent a message beyond the limit of 16777216 bytes/)
  })

  test('can send invalid notifications, which are dropped', async () => {
    const told = await calls('badNews')
    assert.equal(textOf(told.response?.result), 'fine')
    assert.equal(told.messages.filter(({ method }) => method === PROGRESS).length, 0)
    assert.equal(gateway.daemon.child.exitCode, null)
  })

  test('can refuse for lack of permission with their own status, challenge and text', async () => {
    const told = await calls('refused')
    assert.deepEqual(
      [told.status, told.text, told.headers['www-authenticate']],
      [403, 'not you', 'Bearer scope="more"'],
    )
    const broken = await calls('broken')
    assert.deepEqual([broken.status, broken.response?.error?.data], [200, { status: 500, body: 'oh no' }])
  })

  test('cause a 401 for a list without permission, not an empty list', async () => {
    for (const route of ['locked', 'lockedToo']) {
      const told = await (await opened(route)).request('tools/list')
      assert.equal(told.status, 401, told.text)
      assert.equal(told.headers['www-authenticate'], 'Bearer resource_metadata="https://as.example"')
    }
  })

  test('are left out or fail the request, as configured', async () => {
    const client = await opened('open')
    const told = await client.request('tools/list')
    const tools = told.response?.result?.tools as { name: string }[]
    assert.deepEqual(
      tools.map(({ name }) => name),
      Object.keys(misbehaviour).map((name) => `toy_${name}`),
    )
    const dead = await client.request('tools/call', { name: 'dead_x' })
    assert.deepEqual([dead.status, dead.response?.error?.code], [200, -32_603])
    for (const route of ['allDead', 'closed'])
      assert.equal((await gateway.client(route).open()).response?.error?.code, -32_603)
  })

  test('delay only their own requests if they are slow', async () => {
    const client = await opened('slow')
    const never = await Promise.race([
      client.stream(call('slow_slow', 70)),
      client.request('tools/call', { name: 'toy_x' }),
    ])
    assert.equal('text' in never && never.status, 200)
    const told = await client.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })
    assert.equal(told.status, 202)
  })

  test('receive a cancellation if the client cancels or leaves', async () => {
    const client = await opened('one')
    const stream = await client.stream(
      { ...call('late', 71), jsonrpc: '2.0' },
      { fields: { 'mcp-protocol-version': '2025-06-18' } },
    )
    await stream.message()
    const from = toy.requestsOf('notifications/cancelled').length
    const { body } = toy.requestsOf('late').at(-1) as ScriptedRequest
    const cancel = await client.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 71 },
    })
    assert.equal(cancel.status, 202)
    const told = await stream.whole()
    assert.equal(told.response, undefined)
    const cancelled = await toy.nextRequestOf('notifications/cancelled', from + 1)
    assert.deepEqual(cancelled.body.params, { requestId: body.id })
    // A client without sessions cancels by leaving.
    const modern = await gateway
      .client('one')
      .streamModern('tools/call', { name: 'late', _meta: { 'io.modelcontextprotocol/logLevel': 'info' } })
    await modern.message()
    modern.leave()
    await toy.nextRequestOf('notifications/cancelled', from + 2)
  })

  test('cannot exhaust memory if the client does not read: it is disconnected', async () => {
    const client = await opened('one')
    const stream = await client.stream(call('flood', 72), {
      fields: { 'mcp-protocol-version': '2025-06-18' },
    })
    stream.pause()
    await gateway.daemon.printed(/more than 16777216 bytes wait for the client/)
    assert.equal((await client.request('ping')).status, 200)
  })

  test('are reported at once if their process dies, with stderr in the log only', async () => {
    const told = await gateway.client('dying').open()
    assert.equal(told.status, 200)
    // The timeout of a handshake would have another message.
    assert.equal(told.response?.error?.message, 'mcp: target child ended with exit code 7')
    await gateway.daemon.printed(/some last words/)
    const client = await opened('later')
    const later = await client.request('tools/call', { name: 'x' })
    assert.equal(later.response?.error?.message, 'mcp: target child ended with exit code 3')
    const modern = await gateway.client('later').requestModern('tools/call', { name: 'x' })
    for (const { text } of [told, later, modern]) assert.doesNotMatch(text, /last words|help me|stderr/)
    await gateway.daemon.printed(/exit code 3.*cause=.*help me/)
    const missing = await gateway.client('missing').open()
    assert.equal(missing.status, 200)
    assert.match(
      missing.response?.error?.message ?? '',
      /cannot be started: command "there-is-no-such-command" was not found/,
    )
    await until(() => processesMarked(mark).length === 0)
  })
})

const call = (name: string, id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })
