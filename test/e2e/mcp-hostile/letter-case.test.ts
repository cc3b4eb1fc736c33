import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { McpCaller, McpResponse } from '../../support/mcp/mcp-caller.ts'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { reply, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

/** Servers and clients that ignore the letter case of member names, and use the last one. */
suite('MCP member names in another letter case', () => {
  let toy: ToyServer
  let sly: ToyServer
  let gateway: McpRoutes
  before(async () => {
    toy = await startToy({ tools: ['echo', 'secret'] })
    sly = await startToy({
      handlers: {
        'tools/list': (request, response) => {
          reply(request, response, {
            tools: [{ name: 'echo', Name: 'secret', inputSchema: { type: 'object' } }],
          })
        },
      },
    })
    const one = [httpTarget('toy', toy.url)]
    const deny = (rule: string) => ({ mcpAuthorization: { rules: [{ deny: rule }] } })
    gateway = await startMcpRoutes({
      plain: { targets: one, policies: deny('mcp.tool.name == "secret"') },
      two: { targets: [...one, httpTarget('second', toy.url)] },
      arguments: {
        targets: one,
        policies: deny('has(mcp.tool.arguments.path) && mcp.tool.arguments.path != "/a"'),
      },
      within: {
        targets: one,
        policies: {
          authorization: { rules: [{ deny: 'has(mcp.tool) && mcp.tool.arguments.file.path == "/b"' }] },
        },
      },
      sly: { targets: [httpTarget('sly', sly.url)], policies: deny('mcp.tool.name == "secret"') },
    })
  })
  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await toy[Symbol.asyncDispose]()
    await sly[Symbol.asyncDispose]()
  })
  const opened = async (route: string): Promise<McpCaller> => {
    const client = gateway.client(route)
    await client.open()
    return client
  }
  const calls = (): number => toy.requestsOf('tools/call').length
  const refused = (told: McpResponse, name: string): void => {
    const shown = `${told.status} ${told.text}`
    assert.equal(told.status, 400, shown)
    assert.equal(told.response?.error?.code, -32_600, shown)
    assert.ok(told.response.error.message.includes('in another letter case'), shown)
    assert.ok(told.response.error.message.includes(JSON.stringify(name)), shown)
  }
  /** Raw text: JSON.stringify would not write some of these. */
  const calling = (params: string, more = ''): string =>
    `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{${params}}${more}}`

  for (const route of ['plain', 'two'])
    test(`are refused if rules and routing read them: ${route}`, async () => {
      const client = await opened(route)
      const before = calls()
      const cases: readonly (readonly [string, string])[] = [
        [calling('"name":"echo","Name":"secret"'), 'Name'],
        [calling('"NAME":"secret","name":"echo"'), 'NAME'],
        [calling('"Name":"secret"'), 'Name'],
        [calling('"name":"echo","\\u004eame":"secret"'), 'Name'],
        [calling('"name":"echo","argument\\u017f":{}'), 'argument\u017f'],
        [calling('"name":"echo","_Meta":{}'), '_Meta'],
        [calling('"name":"echo","_meta":{"progreſsToken":1}'), 'progreſsToken'],
        [calling('"name":"echo"', ',"Params":{"name":"secret"}'), 'Params'],
        [calling('"name":"echo"', ',"Method":"tools/list"'), 'Method'],
        [calling('"name":"echo"', ',"ID":1'), 'ID'],
        ['{"JSONRPC":"2.0","jsonrpc":"2.0","id":9,"method":"ping"}', 'JSONRPC'],
        ['{"jsonrpc":"2.0","id":9,"Method":"tools/call","params":{"name":"secret"}}', 'Method'],
        ['{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"a:b","URI":"a:c"}}', 'URI'],
        [
          '{"jsonrpc":"2.0","id":9,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"a","Name":"b"}}}',
          'Name',
        ],
        [
          '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"RequestId":2}}',
          'RequestId',
        ],
      ]
      for (const [message, name] of cases) refused(await client.send(message), name)
      assert.equal(calls(), before)
    })

  test('are allowed in arguments that no rule reads', async () => {
    const client = await opened('plain')
    const told = await client.send(calling('"name":"echo","arguments":{"name":1,"Name":2,"Method":3}'))
    assert.equal(told.status, 200, told.text)
    assert.deepEqual((toy.requestsOf('tools/call').at(-1)?.body.params as { arguments: unknown }).arguments, {
      name: 1,
      Name: 2,
      Method: 3,
    })
  })

  test('are refused in arguments that a rule reads', async () => {
    const client = await opened('arguments')
    const before = calls()
    for (const given of ['{"path":"/a","Path":"/b"}', '{"Path":"/b"}', '{"PATH":"/b","path":"/a"}']) {
      const told = await client.send(calling(`"name":"echo","arguments":${given}`))
      assert.ok(told.response?.error, told.text)
    }
    assert.equal(calls(), before)
    const told = await client.send(calling('"name":"echo","arguments":{"path":"/a","Other":1,"other":2}'))
    assert.ok(told.response?.result, told.text)
  })

  test('are refused in nested arguments as well', async () => {
    const client = await opened('within')
    const before = calls()
    for (const given of [
      '{"file":{"path":"/a","Path":"/b"}}',
      '{"file":{"path":"/a"},"File":{"path":"/b"}}',
      '{"File":{"path":"/b"}}',
    ]) {
      const told = await client.send(calling(`"name":"echo","arguments":${given}`))
      assert.equal(told.status, 403, told.text)
    }
    assert.equal(calls(), before)
    const told = await client.send(
      calling('"name":"echo","arguments":{"file":{"path":"/a","mode":1,"Mode":2}}'),
    )
    assert.equal(told.status, 200, told.text)
  })

  test("invalidate a server's list if rules filter it", async () => {
    const client = await opened('sly')
    const told = await client.request('tools/list')
    assert.ok(told.response?.error, told.text)
    assert.doesNotMatch(told.text, /secret/)
  })
})
