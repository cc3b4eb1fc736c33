import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { suite, test } from 'node:test'
import { startEverything } from '../../support/mcp/everything-server.ts'
import { httpTarget, type McpDaemon, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { RawMcp } from '../../support/mcp/raw-mcp.ts'

type Step = Readonly<Record<string, unknown>> & { readonly step: string }

/** Traces this many requests; returns the steps of each once all have ended, and the whole text. */
const watch = async ({ daemon }: McpDaemon, count: number) => {
  const watcher = request(`${daemon.url('admin')}/debug/trace?count=${count}`, { agent: false }).end()
  const [res] = (await once(watcher, 'response')) as [IncomingMessage]
  const ended = (async () => {
    let text = ''
    for await (const chunk of res) text += String(chunk)
    const byRequest = new Map<string, Step[]>()
    for (const [, json = ''] of text.matchAll(/^data: (.*)$/gm)) {
      const event = JSON.parse(json) as {
        readonly requestId: string
        readonly message: { readonly type: string; readonly kind?: string; readonly details: Step }
      }
      const steps = byRequest.get(event.requestId) ?? []
      byRequest.set(event.requestId, steps)
      if (event.message.type === 'policyEvent' && event.message.kind === 'mcp')
        steps.push(event.message.details)
    }
    return { text, steps: [...byRequest.values()] }
  })()
  return { ended }
}

const outline = (steps: readonly Step[] = []): string[] =>
  steps.map(({ step, ...facts }) => `${step} ${Object.values(facts).map(String).join(' ')}`)

suite('the trace of an MCP request', { concurrency: 2 }, () => {
  test('has targets and names, but no contents', async () => {
    await using fixture = await startEverything({ era: 'legacy' })
    await using gateway = await startMcpDaemon(
      [httpTarget('one', fixture.url), httpTarget('two', fixture.url)],
      {
        policies: { mcpAuthorization: { rules: ['mcp.tool.name != "test_error_handling"'] } },
      },
    )
    const { ended } = await watch(gateway, 5)
    const client = new RawMcp(gateway.url)
    const { session = '' } = await client.open()
    await client.legacy('tools/list')
    await client.legacy('tools/call', { name: 'two_test_simple_text', arguments: { word: 'abracadabra' } })
    await client.legacy('tools/call', { name: 'one_test_error_handling' })
    const { text, steps } = await ended
    const [begin, , list, call, denied] = steps.map(outline)
    const digest = /session begun (\w{16}) /.exec(begin?.join('\n') ?? '')?.[1] ?? ''
    assert.deepEqual(begin?.toSorted(), [
      'handshake one 2025-11-25',
      'handshake two 2025-11-25',
      'heard initialize 0',
      `session begun ${digest} 2025-11-25`,
      'share one null',
      'share two null',
    ])
    assert.deepEqual(list?.toSorted(), [
      'call one tools/list 2025-11-25 false',
      'call two tools/list 2025-11-25 false',
      'heard tools/list 1',
      'outcome one tools/list null',
      'outcome two tools/list null',
      `session found ${digest} 2025-11-25`,
      'share one null',
      'share two null',
    ])
    assert.deepEqual(call, [
      'heard tools/call 2',
      `session found ${digest} 2025-11-25`,
      'mapped tool two_test_simple_text two test_simple_text',
      'call two tools/call 2025-11-25 false',
      'outcome two tools/call null',
    ])
    assert.deepEqual(denied, [
      'heard tools/call 3',
      `session found ${digest} 2025-11-25`,
      'mapped tool one_test_error_handling one test_error_handling',
    ])
    assert.match(
      text,
      /"type":"authorizationResult","rules":\[\{[^\]]*"matched":false[^\]]*\],"result":"deny"/,
    )
    assert.ok(!text.includes(session) && !text.includes('abracadabra'))
  })

  test('shows the bridge from a client without sessions to a server with sessions', async () => {
    await using fixture = await startEverything({ era: 'legacy' })
    await using gateway = await startMcpDaemon([httpTarget('one', fixture.url)])
    const { ended } = await watch(gateway, 2)
    const client = new RawMcp(gateway.url)
    const call = { name: 'test_elicitation', arguments: { message: 'hocuspocus' } }
    const asked = await client.modern('tools/call', call)
    const { inputRequests, requestState } = (asked.messages[0] as { result: Record<string, object> }).result
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests ?? {}).map((name) => [name, { action: 'cancel' }]),
    )
    await client.modern('tools/call', { ...call, inputResponses, requestState })
    const { text, steps } = await ended
    assert.deepEqual(outline(steps[1]).slice(2), [
      'call one tools/call 2025-11-25 true',
      'outcome one tools/call null',
    ])
    assert.deepEqual(outline(steps[0]), [
      'heard tools/call 0',
      'mapped tool test_elicitation one test_elicitation',
      'discovery one false',
      'call one tools/call null true',
      'handshake one 2025-11-25',
      'outcome one tools/call null',
      'input one elicitation/create',
    ])
    assert.doesNotMatch(text, /hocuspocus/)
  })

  test('shows the bridge from a client with a session to a server without', async () => {
    await using fixture = await startEverything({ era: 'modern' })
    await using gateway = await startMcpDaemon([httpTarget('one', fixture.url)])
    const { ended } = await watch(gateway, 3)
    const client = new RawMcp(gateway.url)
    await client.open()
    await client.legacy('tools/call', { name: 'test_simple_text' })
    const { steps } = await ended
    const [begin, , call] = steps.map(outline)
    assert.ok(begin?.includes('discovery one true'))
    assert.deepEqual(call?.slice(2), [
      'mapped tool test_simple_text one test_simple_text',
      'call one tools/call 2026-07-28 true',
      'outcome one tools/call null',
    ])
  })

  test('shows why a server contributes nothing', async () => {
    await using fixture = await startEverything({ era: 'legacy' })
    await using gateway = await startMcpDaemon(
      [httpTarget('one', fixture.url), { name: 'broken', stdio: { cmd: '/no/such/program' } }],
      { mcp: { failureMode: 'failOpen' } },
    )
    const { ended } = await watch(gateway, 1)
    await new RawMcp(gateway.url).legacy('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    })
    const { steps } = await ended
    assert.match(outline(steps[0]).join('\n'), /^share broken .*\/no\/such\/program/m)
  })
})
