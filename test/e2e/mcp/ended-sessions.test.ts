import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { httpTarget, programTarget } from '../../support/mcp/mcp-daemon.ts'
import { startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { type ToyHandler, startToy } from '../../support/mcp/toy-server.ts'

const mortal = new URL('../../support/mcp/crashing-program.ts', import.meta.url).pathname

suite('the DELETE of a session', () => {
  test('returns the status of the server, and ends the session in any case', async () => {
    let answer: ToyHandler = () => undefined
    await using toy = await startToy({ tools: ['add'], handlers: { DELETE: (...asked) => answer(...asked) } })
    await using other = await startToy({ tools: ['add'] })
    const target = httpTarget('toy', toy.url)
    await using gateway = await startMcpRoutes({
      one: { targets: [target] },
      several: { targets: [target, httpTarget('other', other.url)] },
      program: { targets: [programTarget('child', '--conditions=agentgateway-source', mortal)] },
    })
    const statusAt = async (route: string): Promise<number> => {
      const client = gateway.client(route)
      await client.open()
      const { status, text } = await client.send(undefined, { method: 'DELETE' })
      assert.equal(text, '')
      assert.equal((await client.request('ping')).status, 404)
      return status
    }
    const saying =
      (status: number, body = ''): ToyHandler =>
      (_, response) =>
        response.writeHead(status).end(body)
    for (const status of [200, 202, 204]) {
      answer = saying(status, status === 204 ? '' : 'bye')
      assert.equal(await statusAt('one'), status === 204 ? 204 : 200)
      // Several servers have no common status.
      assert.equal(await statusAt('several'), 200)
    }
    for (const status of [301, 400, 404, 405, 500]) {
      answer = saying(status, 'no')
      assert.equal(await statusAt('one'), 200, String(status))
    }
    answer = (_, response) => response.destroy()
    assert.equal(await statusAt('one'), 200)
    // A server that does not respond does not delay the reply for long.
    answer = () => undefined
    assert.equal(await statusAt('one'), 200)
    assert.equal(await statusAt('program'), 200)
  })
})
