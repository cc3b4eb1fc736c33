import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { type ToyHandler, reply, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

const answer =
  (result: object): ToyHandler =>
  (request, response) => {
    reply(request, response, result)
  }

const everything = { tools: ['echo', 'drop'], prompts: ['ask', 'drop'], resources: ['a:1', 'a:drop'] }

/** The rules of each backend, and the items they leave. */
const cases: Readonly<Record<string, { readonly rules: readonly unknown[]; readonly left: object }>> = {
  'a deny rule about a tool': {
    rules: [{ deny: 'mcp.tool.name == "drop"' }],
    left: { ...everything, tools: ['echo'] },
  },
  'a deny rule about a resource': {
    rules: [{ deny: 'mcp["resource"].name.endsWith("drop")' }],
    left: { ...everything, resources: ['a:1'] },
  },
  'a deny rule about a task': { rules: [{ deny: 'mcp.task.name == "x"' }], left: everything },
  'a require rule about a prompt': {
    rules: [{ require: 'mcp.prompt.name == "ask"' }],
    left: { ...everything, prompts: ['ask'] },
  },
  'an allow rule about a tool': {
    rules: ['mcp.tool.name == "echo"'],
    left: { ...everything, tools: ['echo'] },
  },
  'allow rules about two kinds': {
    rules: ['mcp.tool.name == "echo"', 'mcp.prompt.name == "ask"'],
    left: { ...everything, tools: ['echo'], prompts: ['ask'] },
  },
  'one rule that reads two kinds, of which it says so': {
    rules: [
      {
        deny: '(has(mcp.tool) && mcp.tool.name == "drop") || (has(mcp.prompt) && mcp.prompt.name == "drop")',
      },
    ],
    left: { ...everything, tools: ['echo'], prompts: ['ask'] },
  },
  'one rule that reads two kinds as if each item had both': {
    rules: [{ deny: 'mcp.tool.name == "drop" || mcp.prompt.name == "drop"' }],
    left: { tools: [], prompts: [], resources: everything.resources },
  },
  'a rule that only asks which kind it is': {
    rules: [{ require: 'has(mcp.tool)' }],
    left: { tools: everything.tools, prompts: [], resources: [] },
  },
  'a deny rule that is about whatever is no tool': {
    rules: [{ deny: '!has(mcp.tool)' }],
    left: { tools: everything.tools, prompts: [], resources: [] },
  },
  'a rule that reads none of them and cannot be evaluated': {
    rules: [{ deny: 'jwt.sub == "x"' }],
    left: { tools: [], prompts: [], resources: [] },
  },
  'a rule that cannot be evaluated for its own kind': {
    rules: [{ deny: 'mcp.tool.arguments.path == "x"' }],
    left: { ...everything, tools: [] },
  },
}

suite('mcpAuthorization rules about one kind of item', () => {
  let toy: ToyServer
  let gateway: McpRoutes
  before(async () => {
    toy = await startToy({
      tools: everything.tools,
      capabilities: { tools: {}, prompts: {}, resources: {} },
      handlers: {
        'prompts/list': answer({ prompts: everything.prompts.map((name) => ({ name })) }),
        'prompts/get': answer({ messages: [] }),
        'resources/list': answer({ resources: everything.resources.map((uri) => ({ uri, name: uri })) }),
        'resources/read': answer({ contents: [] }),
      },
    })
    const one = [httpTarget('toy', toy.url)]
    const ruled = Object.values(cases).map(({ rules }, i) => [
      `case-${i}`,
      { targets: one, policies: { mcpAuthorization: { rules } } },
    ])
    gateway = await startMcpRoutes({
      ...(Object.fromEntries(ruled) as object),
      'whole-requests': {
        targets: one,
        policies: { authorization: { rules: [{ deny: 'mcp.tool.name == "drop"' }] } },
      },
      'whole-requests-allowed': {
        targets: one,
        policies: { authorization: { rules: ['mcp.tool.name == "echo"'] } },
      },
    })
  })
  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await toy[Symbol.asyncDispose]()
  })
  const opened = async (route: string): Promise<McpCaller> => {
    const client = gateway.client(route)
    assert.equal((await client.open()).status, 200)
    return client
  }
  const listed = async (client: McpCaller, kind: string, name: string): Promise<unknown> => {
    const { response: told, text } = await client.request(`${kind}/list`)
    const items = told?.result?.[kind] as Record<string, unknown>[] | undefined
    assert.ok(items, text)
    return items.map((item) => item[name])
  }
  const isAnswered = async (client: McpCaller, method: string, params: object): Promise<boolean> =>
    (await client.request(method, params)).response?.result !== undefined

  for (const [i, [what, { left }]] of Object.entries(cases).entries())
    test(`leave other kinds alone: ${what}`, async () => {
      const client = await opened(`case-${i}`)
      const shown = {
        tools: await listed(client, 'tools', 'name'),
        prompts: await listed(client, 'prompts', 'name'),
        resources: await listed(client, 'resources', 'uri'),
      }
      assert.deepEqual(shown, left)
      const { prompts, resources } = left as typeof everything
      for (const name of everything.prompts)
        assert.equal(await isAnswered(client, 'prompts/get', { name }), prompts.includes(name), name)
      for (const uri of everything.resources)
        assert.equal(await isAnswered(client, 'resources/read', { uri }), resources.includes(uri), uri)
    })

  for (const route of ['whole-requests', 'whole-requests-allowed'])
    test(`have their counterpart in authorization rules about tools, which apply to tool calls only: ${route}`, async () => {
      const client = await opened(route)
      assert.deepEqual(await listed(client, 'prompts', 'name'), everything.prompts)
      assert.ok(await isAnswered(client, 'resources/read', { uri: 'a:drop' }))
      assert.ok(await isAnswered(client, 'tools/call', { name: 'echo' }))
      assert.equal((await client.request('tools/call', { name: 'drop' })).status, 403)
      // The server has no stream: the 405 is not from the rule.
      assert.equal((await client.send(undefined, { method: 'GET' })).status, 405)
      assert.ok((await client.send(undefined, { method: 'DELETE' })).status < 300)
    })
})
