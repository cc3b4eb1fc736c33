import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { httpTarget, programTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { startToy, type ToyServer } from '../../support/mcp/toy-server.ts'
import { type ClientLine, type Transcript, transcripts } from '../../support/mcp/transcripts.ts'

const demo = new URL('../../../config/demo-mcp-server.js', import.meta.url).pathname

suite('recorded clients get compatible replies', { concurrency: false }, () => {
  let toy: ToyServer
  let gateway: McpRoutes
  before(async () => {
    toy = await startToy({ tools: ['add'] })
    const one = programTarget('demo', demo)
    const two = [one, httpTarget('toy', toy.url)]
    const stateless = { statefulMode: 'stateless' }
    gateway = await startMcpRoutes({
      one: { targets: [one] },
      two: { targets: two },
      'one-stateless': { targets: [one], mcp: stateless },
      'two-stateless': { targets: two, mcp: stateless },
    })
  })
  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await toy[Symbol.asyncDispose]()
  })

  for (const transcript of transcripts)
    for (const [route, tool] of [
      ['one', 'echo'],
      ['two', 'demo_echo'],
    ] as const)
      test(`${transcript.client}, in front of ${route}`, () => {
        const url = gateway.url(transcript.forgetful ? `${route}-stateless` : route)
        return replay(transcript, url, tool)
      })
})

const replay = async (
  { fields, forgetful, lines: said }: Transcript,
  url: string,
  tool: string,
): Promise<void> => {
  const client = new McpCaller(url, { ...fields })
  for (const one of said) {
    if (one === 'GET' || one === 'GET first') {
      const stream = await client.listen({ accept: 'text/event-stream' })
      assert.ok((one === 'GET' ? [200, 405] : [400]).includes(stream.status), `${one} ${stream.status}`)
      if (stream.status === 200) stream.leave()
      else await stream.whole()
    } else if (one === 'DELETE') {
      assert.equal((await client.send(undefined, { method: 'DELETE' })).status, 200)
    } else await say(client, one, tool, forgetful)
  }
}

const say = async (
  client: McpCaller,
  message: Exclude<ClientLine, string>,
  tool: string,
  forgetful = false,
): Promise<void> => {
  const text = JSON.stringify(message).replace('"TOOL"', `"${tool}"`)
  const told = await client.send(text)
  const shown = `${text} ${told.status} ${told.text}`
  if (message.id === undefined) {
    assert.equal(told.status, 202, shown)
    return
  }
  assert.equal(told.status, 200, shown)
  assert.equal(told.response?.id, message.id, shown)
  // Some clients call methods without the capability.
  if (told.response.error) assert.equal(told.response.error.code, -32_601, shown)
  if (message.method === 'initialize') {
    const session = told.headers['mcp-session-id']
    assert.equal(session === undefined, forgetful)
    if (typeof session === 'string') client.fields['mcp-session-id'] = session
    client.fields['mcp-protocol-version'] = String(told.response.result?.protocolVersion)
  }
  if (message.method === 'tools/call')
    assert.deepEqual(told.response.result?.content, [{ type: 'text', text: 'hello' }], shown)
  if (message.method === 'tools/list') assert.match(told.text, new RegExp(`"name":"${tool}"`))
}
