import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, suite, test } from 'node:test'
import type { McpCaller, McpResponse } from '../../support/mcp/mcp-caller.ts'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { until } from '../../support/mcp/stdio-fixture.ts'
import { type ScriptedRequest, respondEvents } from '../../support/mcp/scripted-server.ts'
import { content, type ToyHandler, reply, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

type Item = Readonly<Record<string, unknown>>

const PAGES = 3
const withTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const long = ['a tool of many words', 'a-tool-of-many-words-1', 'a-tool-of-many-words-2']
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** A list in pages of one item. */
const paged =
  (kind: string, items: readonly Item[]): ToyHandler =>
  (request, response) => {
    const { cursor } = (request.body.params ?? {}) as { readonly cursor?: string }
    const at = Number(cursor ?? 0)
    const next = at + 1 < items.length ? { nextCursor: String(at + 1) } : {}
    reply(request, response, { [kind]: items.slice(at, at + 1), ...next })
  }

const numbered = (make: (i: number) => Item): Item[] => Array.from({ length: PAGES }, (_, i) => make(i))

const ui = { resourceUri: 'ui://panel' }
const rich: Readonly<Record<string, ToyHandler>> = {
  'tools/list': paged(
    'tools',
    numbered((i) => ({ name: `t${i}`, inputSchema: { type: 'object' }, ...(i === 0 && { _meta: { ui } }) })),
  ),
  'prompts/list': paged(
    'prompts',
    numbered((i) => ({ name: `p${i}` })),
  ),
  'resources/list': paged(
    'resources',
    numbered((i) => ({ name: `r${i}`, uri: `file:///r${i}` })),
  ),
  'resources/templates/list': paged('resourceTemplates', [{ name: 'any', uriTemplate: 'file:///{name}' }]),
  'resources/read': (request, response) => {
    const { uri } = request.body.params as { readonly uri: string }
    reply(request, response, { contents: [{ uri, text: `of ${uri}` }] })
  },
  'resources/subscribe': (request, response) => reply(request, response, {}),
  'prompts/get': (request, response) => {
    const resource = { uri: 'file:///r1', text: 'embedded' }
    reply(request, response, { messages: [{ role: 'user', content: { type: 'resource', resource } }] })
  },
  'tasks/get': (request, response) => {
    const { taskId } = request.body.params as { readonly taskId: string }
    reply(request, response, { taskId, status: 'working' })
  },
  'completion/complete': (request, response) => reply(request, response, { completion: { values: ['v'] } }),
}

suite('several servers behind one address', { concurrency: false }, () => {
  let files: ToyServer
  let plain: ToyServer
  let fresh: ToyServer
  let gateway: McpRoutes
  const streams: ServerResponse[] = []
  before(async () => {
    files = await startToy({
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {} },
      handlers: {
        ...rich,
        GET: (_, response) => {
          respondEvents(response)
          streams.push(response)
        },
      },
    })
    plain = await startToy({ tools: ['only', ...long] })
    fresh = await startToy({ hasSessions: false, handlers: modern })
    const both = [httpTarget('files', files.url), httpTarget('plain', plain.url)]
    const ruled = (...rules: readonly unknown[]) => ({ mcpAuthorization: { rules } })
    gateway = await startMcpRoutes({
      two: { targets: both },
      plain: { targets: [httpTarget('a', plain.url), httpTarget('b', plain.url)] },
      ruled: {
        targets: both,
        policies: ruled(
          'mcp.method == "initialize" || has(mcp.tool)',
          'has(mcp.prompt) && mcp.prompt.name == "p1" && mcp.prompt.target == "files"',
          'has(mcp.resource) && mcp.resource.name == "file:///r2"',
          'has(mcp.task) && mcp.task.name == "k1" && mcp.task.target == "files"',
        ),
      },
      short: { targets: both, mcp: { maxNameLength: 24 } },
      fresh: { targets: [httpTarget('fresh', fresh.url)] },
    })
  })
  after(async () => {
    for (const stream of streams) stream.destroy()
    for (const one of [gateway, files, plain, fresh]) await one[Symbol.asyncDispose]()
  })

  /** Sends requests in either era, in a session if there is one. */
  const eras: Readonly<Record<string, (route: string) => Promise<Asking>>> = {
    'with sessions': async (route) => {
      const client = gateway.client(route)
      await client.open()
      return (method, params) => client.request(method, params)
    },
    'without sessions': (route) => {
      const client = gateway.client(route)
      return Promise.resolve((method, params) => client.requestModern(method, params, withTasks))
    },
  }

  for (const [era, asking] of Object.entries(eras)) {
    const refusal = era === 'with sessions' ? 200 : 400
    test(`list all their pages in the order of the configuration: clients ${era}`, async () => {
      const ask = await asking('two')
      const named = async (method: string, kind: string, key = 'name') => {
        const { response: answer } = await ask(method)
        assert.equal(answer?.result?.nextCursor, undefined)
        return (answer?.result?.[kind] as Item[]).map((item) => item[key])
      }
      const tools = await named('tools/list', 'tools')
      assert.deepEqual(tools.slice(0, PAGES + 1), ['files_t0', 'files_t1', 'files_t2', 'plain_only'])
      assert.deepEqual(await named('prompts/list', 'prompts'), ['files_p0', 'files_p1', 'files_p2'])
      assert.deepEqual(
        await named('resources/list', 'resources', 'uri'),
        numbered((i) => ({ uri: `files+file:///r${i}` })).map(({ uri }) => uri),
      )
      assert.deepEqual(await named('resources/templates/list', 'resourceTemplates', 'uriTemplate'), [
        'files+file:///{name}',
      ])
    })

    test(`map client-visible names of prompts, resources and their contents: clients ${era}`, async () => {
      const ask = await asking('two')
      const read = await ask('resources/read', { uri: 'files+file:///x' })
      assert.deepEqual(read.response?.result?.contents, [{ uri: 'files+file:///x', text: 'of file:///x' }])
      const got = await ask('prompts/get', { name: 'files_p0' })
      const [message] = got.response?.result?.messages as { content: { resource: Item } }[]
      assert.equal(message?.content.resource.uri, 'files+file:///r1')
      const tools = (await ask('tools/list')).response?.result?.tools as Item[]
      assert.deepEqual(tools[0]?._meta, { ui: { resourceUri: 'ui://files+panel' } })
      for (const [ref, own] of [
        [
          { type: 'ref/prompt', name: 'files_p0' },
          { type: 'ref/prompt', name: 'p0' },
        ],
        [
          { type: 'ref/resource', uri: 'files+file:///{name}' },
          { type: 'ref/resource', uri: 'file:///{name}' },
        ],
      ]) {
        const told = await ask('completion/complete', { ref, argument: { name: 'n', value: 'v' } })
        assert.deepEqual(told.response?.result?.completion, { values: ['v'] }, told.text)
        const { params } = files.requestsOf('completion/complete').at(-1)?.body ?? {}
        assert.deepEqual((params as Item).ref, own)
      }
    })

    test(`obey rules about prompts and resources: clients ${era}`, async () => {
      const ask = await asking('ruled')
      const prompts = (await ask('prompts/list')).response?.result?.prompts as Item[]
      assert.deepEqual(
        prompts.map(({ name }) => name),
        ['files_p1'],
      )
      const resources = (await ask('resources/list')).response?.result?.resources as Item[]
      assert.deepEqual(
        resources.map(({ uri }) => uri),
        ['files+file:///r2'],
      )
      assert.equal((await ask('prompts/get', { name: 'files_p1' })).status, 200)
      const refused = async (method: string, params: Item, text: string) => {
        const told = await ask(method, params)
        assert.deepEqual([told.status, told.response?.error?.code], [refusal, -32_602], told.text)
        assert.equal(told.response?.error?.message, text)
      }
      await refused('prompts/get', { name: 'files_p0' }, 'Unknown prompt: files_p0')
      await refused('resources/read', { uri: 'files+file:///r1' }, 'Unknown resource: files+file:///r1')
      const ref = { type: 'ref/prompt', name: 'files_p0' }
      await refused(
        'completion/complete',
        { ref, argument: { name: 'n', value: '' } },
        'Unknown prompt: files_p0',
      )
      assert.ok(
        files.requestsOf('resources/read').every(({ body }) => (body.params as Item).uri !== 'file:///r1'),
      )
    })

    test(`obey rules about tasks: clients ${era}`, async () => {
      const ask = await asking('ruled')
      const told = await ask('tasks/get', { taskId: 'files+k1' })
      assert.equal(told.response?.result?.taskId, 'files+k1', told.text)
      const from = files.requestsOf('tasks/get').length
      for (const taskId of ['files+k2', 'plain+k1', 'k1']) {
        const denied = await ask('tasks/get', { taskId })
        assert.deepEqual(
          [denied.status, denied.response?.error?.message],
          [refusal, `Unknown task: ${taskId}`],
          denied.text,
        )
      }
      assert.equal(files.requestsOf('tasks/get').length, from)
    })

    test(`receive the trace context and other metadata of a call: clients ${era}`, async () => {
      const client = gateway.client('two', { traceparent: TRACE, tracestate: 'a=b', baggage: 'c=d' })
      if (era === 'with sessions') await client.open()
      const params = { name: 'plain_only', _meta: { 'example.com/note': 1 } }
      const told =
        era === 'with sessions'
          ? await client.request('tools/call', params)
          : await client.requestModern('tools/call', params)
      assert.equal(told.status, 200, told.text)
      const { _meta: meta } = plain.requestsOf('only').at(-1)?.body.params as { readonly _meta: Item }
      assert.match(String(meta.traceparent), /^00-0af7651916cd43dd8448eb211c80319c-/)
      assert.deepEqual([meta.tracestate, meta.baggage, meta['example.com/note']], ['a=b', 'c=d', 1])
    })
  }

  test('receive no task requests from a client without the capability', async () => {
    const told = await gateway.client('ruled').requestModern('tasks/get', { taskId: 'files+k1' })
    assert.deepEqual([told.status, told.response?.error?.code], [400, -32_021])
    assert.deepEqual(told.response?.error?.data, { requiredCapabilities: withTasks })
  })

  test('send resource updates with client-visible names', async () => {
    const client = gateway.client('two')
    await client.open()
    const stream = await client.listen()
    const told = await client.request('resources/subscribe', { uri: 'files+file:///r0' })
    assert.deepEqual(told.response?.result, {})
    const subscribed = files.requestsOf('resources/subscribe').at(-1)
    assert.deepEqual(subscribed?.body.params, { uri: 'file:///r0' })
    const session = subscribed.headers['mcp-session-id']
    await until(() => files.requestsOf('GET').some(({ headers }) => headers['mcp-session-id'] === session))
    const params = { uri: 'file:///r0' }
    for (const one of streams)
      respondEvents(one, { jsonrpc: '2.0', method: 'notifications/resources/updated', params })
    const heard = await stream.message(({ method }) => method === 'notifications/resources/updated')
    assert.deepEqual(heard.params, { uri: 'files+file:///r0' })
    stream.leave()
  })

  test('have unique names within the configured length', async () => {
    const client = gateway.client('short')
    await client.open()
    const tools = (await client.request('tools/list')).response?.result?.tools as { readonly name: string }[]
    const names = tools.map(({ name }) => name).filter((name) => name.startsWith('plain_'))
    assert.equal(new Set(names).size, 1 + long.length)
    for (const [i, name] of names.entries()) {
      assert.match(name, /^[\w./-]{1,24}$/)
      const told = await client.request('tools/call', { name })
      assert.deepEqual(told.response?.result, content(`${['only', ...long][i] ?? ''} done`), told.text)
    }
  })

  test('have exactly the union of their capabilities', async () => {
    const capabilities = async (client: McpCaller) => {
      const told = await client.open()
      return Object.keys(told.response?.result?.capabilities as object).toSorted()
    }
    assert.deepEqual(await capabilities(gateway.client('two')), [
      'completions',
      'prompts',
      'resources',
      'tools',
    ])
    assert.deepEqual(await capabilities(gateway.client('plain')), ['tools'])
    const found = await gateway.client('plain').requestModern('server/discover')
    assert.deepEqual(Object.keys(found.response?.result?.capabilities as object), ['tools'])
  })

  test('accept requests with ids of any kind', async () => {
    const client = gateway.client('two')
    await client.open()
    for (const id of [0.5, -1, 0, '', 'ü', '1', 2 ** 53 - 1]) {
      const told = await client.send({ jsonrpc: '2.0', id, method: 'tools/list' })
      assert.equal(told.response?.id, id, told.text)
    }
  })

  test('have their lists cached for as long as they allow', async () => {
    const [ann, eve] = [gateway.client('fresh'), gateway.client('fresh')]
    const list = async (client: McpCaller, kind: string) =>
      (await client.requestModern(`${kind}/list`)).response?.result ?? {}
    const first = await list(ann, 'tools')
    assert.deepEqual([first.ttlMs, first.cacheScope], [60_000, 'public'])
    const second = await list(eve, 'tools')
    assert.ok(Number(second.ttlMs) <= 60_000 && Number(second.ttlMs) > 0)
    assert.deepEqual(second.tools, first.tools)
    assert.equal(fresh.requestsOf('tools/list').length, 1)
    // Private lists are not shared, and lists without a lifetime are requested each time.
    for (const kind of ['prompts', 'resources']) for (const client of [ann, eve]) await list(client, kind)
    assert.equal(fresh.requestsOf('prompts/list').length, 2)
    assert.equal(fresh.requestsOf('resources/list').length, 2)
  })
})

type Asking = (method: string, params?: Readonly<Record<string, unknown>>) => Promise<McpResponse>

/** A server without handshakes whose lists have a lifetime. */
const hinted =
  (kind: string, ttlMs: number, cacheScope: string): ToyHandler =>
  (request, response) =>
    reply(request, response, { resultType: 'complete', [kind]: [], ttlMs, cacheScope })

const modern: Readonly<Record<string, ToyHandler>> = {
  'server/discover': (request: ScriptedRequest, response) =>
    reply(request, response, {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, prompts: {}, resources: {} },
      ttlMs: 0,
      cacheScope: 'private',
    }),
  'tools/list': hinted('tools', 60_000, 'public'),
  'prompts/list': hinted('prompts', 60_000, 'private'),
  'resources/list': hinted('resources', 0, 'public'),
  'tools/call': (request, response) =>
    reply(request, response, { resultType: 'complete', ...content('done') }),
}
