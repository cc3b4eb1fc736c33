import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startInputToy } from '../../support/mcp/input-toy.ts'
import type { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { everythingTarget, httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type Replica, type Replicas, startReplicas } from '../../support/mcp/replicas.ts'
import { progressOn } from '../../support/mcp/messages.ts'
import { respondEvents } from '../../support/mcp/scripted-server.ts'
import { until } from '../../support/mcp/stdio-fixture.ts'
import { content, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'
import { sealHop } from '../../../src/protocols/mcp/replica-hop-header.ts'
import { Keyring } from '../../../src/protocols/seal/aead-keyring.ts'

const program = everythingTarget('everything', 'legacy')
const telling = {
  name: 'telling',
  stdio: {
    cmd: process.execPath,
    args: [new URL('../../support/mcp/list-changed-program.ts', import.meta.url).pathname],
  },
}
const simple = { name: 'test_simple_text', arguments: {} }
const UNKNOWN = 'mcp: session not found'

suite('replicas that can reach each other', { concurrency: false }, () => {
  const stack = new AsyncDisposableStack()
  let finish = (): void => undefined
  let toy: ToyServer
  let replicas: Replicas
  let here: Replica
  let there: Replica
  before(async () => {
    toy = stack.use(
      await startToy({
        tools: ['slow'],
        handlers: {
          slow: ({ body }, response) => {
            const { _meta } = body.params as { readonly _meta: { readonly progressToken: unknown } }
            respondEvents(response, progressOn(_meta.progressToken))
            finish = () => {
              respondEvents(response, { jsonrpc: '2.0', id: body.id, result: content('slow done') })
              response.end()
            }
          },
        },
      }),
    )
    const asking = stack.use(await startInputToy())
    const apiKey = { mode: 'strict', keys: [{ key: 'key-of-ann' }, { key: 'key-of-eve' }] }
    replicas = stack.use(
      await startReplicas({
        program: { targets: [program] },
        telling: { targets: [telling] },
        users: { targets: [program], policies: { apiKey } },
        http: { targets: [httpTarget('toy', toy.url)] },
        asking: { targets: [httpTarget('a', asking.url)] },
        changed: {
          targets: [program],
          policies: { transformations: { request: { body: 'string(request.body) + " "' } } },
        },
        older: { targets: [program], policies: { urlRewrite: { path: { prefix: '/' } } } },
      }),
    )
    ;[here, there] = replicas.all
  })
  after(() => stack.disposeAsync())

  /** A client whose session began on this replica. */
  const opened = async (name: string, fields?: Record<string, string>): Promise<McpCaller> => {
    const client = here.client(name, fields)
    await client.open()
    return client
  }
  const movedFrom = (client: McpCaller, name: string): McpCaller => there.client(name, { ...client.fields })
  const passed = (): number => here.door.receivedText().split('agentgateway-passed-on: ').length - 1

  test('continue a session of a stdio server on any of them', async () => {
    const client = replicas.client('program')
    await client.open()
    for (let i = 0; i < 6; i++) {
      const told = await client.request('tools/call', simple)
      assert.equal(told.status, 200, told.text)
      assert.match(told.text, /This is a simple text response/)
    }
    assert.equal((await client.send(undefined, { method: 'DELETE' })).status, 200)
  })

  test("forward the client's headers, including its host", async () => {
    const client = movedFrom(await opened('program'), 'program')
    const told = await client.request('tools/call', simple, {
      fields: { 'x-team': 'red', host: 'localhost:9' },
    })
    assert.equal(told.status, 200, told.text)
    const heard = here.door.receivedText().slice(here.door.receivedText().lastIndexOf('POST /program/mcp'))
    assert.match(heard, /\r\nhost: localhost:9\r\n/)
    assert.match(heard, /\r\nx-team: red\r\n/)
  })

  test('forward the GET stream until the client leaves', async () => {
    const owner = await opened('telling')
    const stream = await movedFrom(owner, 'telling').listen()
    assert.equal(stream.status, 200)
    assert.equal((await owner.request('tools/call', { name: 'tell' })).status, 200)
    await stream.message(({ method }) => method === 'notifications/tools/list_changed')
    const connections = here.door.open()
    assert.ok(connections > 0)
    stream.leave()
    await until(() => here.door.open() < connections)
  })

  test("both log the session, and the first one logs the owner's endpoint", async () => {
    const client = movedFrom(await opened('program'), 'program')
    await client.request('tools/call', simple, { fields: { host: 'localhost:4711' } })
    const line = / (?:endpoint=(\S+) )?src\.addr=\S+ .*http\.host=localhost:4711 .*mcp\.session\.id=(\w+)/
    const [, endpoint, passed] = await there.daemon.printed(line)
    const [, , taken] = await here.daemon.printed(line)
    assert.equal(endpoint, new URL(here.door.origin).host)
    assert.equal(passed, taken)
  })

  test('forward the original body, which the policies of the owner change again', async () => {
    const client = movedFrom(await opened('changed'), 'changed')
    const told = await client.request('tools/call', simple)
    assert.equal(told.status, 200, told.text)
    const heard = here.door.receivedText().slice(here.door.receivedText().lastIndexOf('POST /changed/mcp'))
    assert.ok(heard.endsWith('{"name":"test_simple_text","arguments":{}}}'), heard)
  })

  test('end a session on any of them', async () => {
    const owner = await opened('program')
    const client = movedFrom(owner, 'program')
    assert.equal((await client.send(undefined, { method: 'DELETE' })).status, 200)
    const told = await owner.request('tools/list')
    assert.deepEqual([told.status, told.text], [404, UNKNOWN])
    const again = await client.request('tools/list')
    assert.deepEqual([again.status, again.text], [404, UNKNOWN])
  })

  test('do not give access to sessions of other users', async () => {
    const ann = await opened('users', { authorization: 'Bearer key-of-ann' })
    const before = passed()
    const eve = movedFrom(ann, 'users')
    const told = await eve.request('tools/list', {}, { fields: { authorization: 'Bearer key-of-eve' } })
    assert.equal(told.status, 404)
    const stranger = await eve.request('tools/list', {}, { without: ['authorization'] })
    assert.equal(stranger.status, 401)
    const forged = await eve.request('tools/list', {}, { fields: { 'mcp-session-id': 'forged' } })
    assert.deepEqual([forged.status, forged.text], [404, UNKNOWN])
    // A session of another backend.
    const astray = await movedFrom(ann, 'program').request('tools/list')
    assert.deepEqual([astray.status, astray.text], [404, UNKNOWN])
    assert.equal(passed(), before)
    // Credentials that a policy removed here are forwarded to the same policy of the owner.
    assert.equal((await eve.request('tools/list')).status, 200)
    assert.equal(passed(), before + 1)
  })

  test('resume an interrupted reply on any of them', async () => {
    const client = await opened('http')
    const broken = await client.stream({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'slow', _meta: { progressToken: 'mine' } },
    })
    let seen = ''
    while (!seen.endsWith('/1')) {
      const event = await broken.next()
      assert.ok(event, broken.text)
      seen = event.id ?? seen
    }
    broken.leave()
    const other = movedFrom(client, 'http')
    const rest = await other.listen({ 'last-event-id': seen })
    finish()
    const { id, result } = await rest.message(() => true)
    assert.deepEqual([id, result], [7, content('slow done')])
    // An event id of this session does not resolve in another one.
    const stranger = await opened('http')
    const before = passed()
    const told = await (await movedFrom(stranger, 'http').listen({ 'last-event-id': seen })).whole()
    assert.match(told.text, /not kept any more/)
    assert.equal(passed(), before)
  })

  test('continue a call that waits for client input', async () => {
    const params = { name: 'elicit', arguments: { a: 1 } }
    const first = await here.client('asking').requestModern('tools/call', params, { elicitation: {} })
    const { requestState, inputRequests } = first.response?.result ?? {}
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests as object).map((name) => [name, { action: 'decline' }]),
    )
    const told = await there
      .client('asking')
      .requestModern('tools/call', { ...params, requestState, inputResponses }, { elicitation: {} })
    assert.equal(told.status, 200, told.text)
    assert.match(told.text, /decline/)
  })

  test('find the stream of an HTTP+SSE session', async () => {
    const stream = await here.client('older').stream(undefined, { method: 'GET', path: '/older/sse' })
    await until(() => stream.text.includes('sessionId='))
    const path = /data: ?(\S+)/.exec(stream.text)?.[1] ?? ''
    stream.skipped()
    const params = {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }
    const told = await there
      .client('older')
      .send({ jsonrpc: '2.0', id: 1, method: 'initialize', params }, { path })
    assert.equal(told.status, 202, told.text)
    assert.equal((await stream.message()).id, 1)
    stream.leave()
  })

  test('accept markers of forwarded requests from replicas only', async () => {
    const client = movedFrom(await opened('program'), 'program')
    const other = new Keyring([Buffer.alloc(32, 7)])
    for (const marker of ['', '1', sealHop({ scheme: 'https' }, other)]) {
      const told = await client.request('tools/call', simple, {
        fields: { 'agentgateway-passed-on': marker },
      })
      assert.equal(told.status, 200, told.text)
    }
  })

  test('do not forward a request twice', async () => {
    const client = movedFrom(await opened('program'), 'program')
    const before = passed()
    const ring = new Keyring([Buffer.from('0123456789abcdef'.repeat(4), 'hex')])
    const marker = sealHop({ scheme: 'http' }, ring)
    const told = await client.request('tools/list', {}, { fields: { 'agentgateway-passed-on': marker } })
    assert.equal(told.status, 404)
    assert.match(told.text, /^mcp: session belongs to replica \S+$/)
    assert.equal(passed(), before)
  })

  test('reply with 404 if the owner has restarted or is down', async () => {
    const client = movedFrom(await opened('program'), 'program')
    // As after a restart: the process at this address never had the session.
    here.door.relayTo(there.daemon.url('default'))
    here.door.cut()
    const told = await client.request('tools/list')
    assert.equal(told.status, 404)
    assert.match(told.text, /^mcp: session belongs to replica \S+$/)
    await here.door[Symbol.asyncDispose]()
    const gone = await client.request('tools/list')
    assert.equal(gone.status, 404)
    assert.match(gone.text, /^mcp: session belongs to replica \S+, which cannot be asked: .*refused$/)
  })
})
