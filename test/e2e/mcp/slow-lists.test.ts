import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { respondToInitialize, requestInSession, initialize } from '../../support/mcp/plain-client.ts'
import { httpTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { type ScriptedRequest, startScripted } from '../../support/mcp/scripted-server.ts'

const answerTools = ({ body }: ScriptedRequest, response: ServerResponse): void => {
  const result = { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] }
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id: body.id, result }))
}

/** Responds to handshakes, and to lists unless it is mute. */
const startServer = (isMute: boolean) =>
  startScripted((request, response) => {
    const { method } = request.body
    if (method === 'initialize') respondToInitialize(request, response, 'session-of-the-server')
    else if (method !== 'tools/list') response.writeHead(202).end()
    else if (!isMute) answerTools(request, response)
  })

const namesIn = (text: string): string[] =>
  [...text.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name ?? '')

test('a server that does not respond to a list request', async (t) => {
  await using quick = await startServer(false)
  await using mute = await startServer(true)
  const targets = [httpTarget('quick', `${quick.origin}/mcp`), httpTarget('mute', `${mute.origin}/mcp`)]

  await t.test('is left out after partialAfter, and its request is cancelled', async () => {
    await using gateway = await startMcpDaemon(targets, { mcp: { partialAfter: '3s' } })
    const session = await initialize(gateway.url)
    const { status, text } = await requestInSession(gateway.url, session, 'tools/list')
    assert.equal(status, 200)
    assert.deepEqual(namesIn(text), ['quick_greet'])
    let n = 1
    let asked = await mute.request(n)
    while (asked.body.method !== 'tools/list') asked = await mute.request(++n)
    await asked.gone
  })

  await t.test('is named in the error if it is the only one', async () => {
    await using gateway = await startMcpDaemon(
      [targets[1] ?? never(), httpTarget('also-mute', `${mute.origin}/mcp`)],
      {
        mcp: { partialAfter: '3s' },
      },
    )
    const session = await initialize(gateway.url)
    const { status, text } = await requestInSession(gateway.url, session, 'tools/list')
    assert.equal(status, 200)
    assert.match(text, /-32603/)
    assert.match(text, /target mute did not answer within 3000 ms/)
  })
})

const never = (): never => {
  throw new Error('there are two')
}
