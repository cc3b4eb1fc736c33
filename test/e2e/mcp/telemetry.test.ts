import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startEverything } from '../../support/mcp/everything-server.ts'
import { everythingTarget, httpTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { RawMcp } from '../../support/mcp/raw-mcp.ts'
import { ownNames } from '../../support/resolver-names.ts'

/** The fields of a log line, in order. */
const fieldsOf = (line: string): Record<string, string> =>
  Object.fromEntries(
    [...line.matchAll(/([\w.]+)=("(?:[^"\\]|\\.)*"|\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  )

const mcpFieldsOf = (line: string): Record<string, string> =>
  Object.fromEntries(Object.entries(fieldsOf(line)).filter(([name]) => /^(?:mcp|gen_ai)\./.test(name)))

suite('MCP telemetry', () => {
  test('has the fields of requests in the access log', async () => {
    await using fixture = await startEverything({ era: 'legacy' })
    await using gateway = await startMcpDaemon([
      httpTarget('one', fixture.url),
      httpTarget('two', fixture.url),
    ])
    const client = new RawMcp(gateway.url)
    const { session = '' } = await client.open()
    await client.legacy('tools/list')
    await client.legacy('tools/call', { name: 'two_test_simple_text', arguments: { secret: 'in arguments' } })
    await client.legacy('resources/read', { uri: 'one+test://static-text' })
    await client.legacy('tools/call', { name: 'three_nothing' })
    await gateway.daemon.printed(/three_nothing/)
    const lines = gateway.daemon
      .output()
      .split('\n')
      .filter((line) => line.includes('\trequest '))
    const id = mcpFieldsOf(lines[0] ?? '')['mcp.session.id'] ?? ''
    assert.match(id, /^[0-9a-f]{16}$/)
    assert.deepEqual(lines.map(mcpFieldsOf), [
      { 'mcp.method.name': 'initialize', 'mcp.session.id': id },
      { 'mcp.method.name': 'notifications/initialized', 'mcp.session.id': id },
      { 'mcp.method.name': 'tools/list', 'mcp.resource.type': 'tool', 'mcp.session.id': id },
      {
        'mcp.method.name': 'tools/call',
        'mcp.target': 'two',
        'mcp.resource.type': 'tool',
        'gen_ai.tool.name': 'test_simple_text',
        'mcp.session.id': id,
      },
      {
        'mcp.method.name': 'resources/read',
        'mcp.target': 'one',
        'mcp.resource.type': 'resource',
        'mcp.resource.uri': 'test://static-text',
        'mcp.session.id': id,
      },
      {
        'mcp.method.name': 'tools/call',
        'mcp.session.id': id,
        'mcp.error.code': '-32602',
        'mcp.error.message': '"Unknown tool: three_nothing"',
      },
    ])
    assert.ok(session.length > 20 && !gateway.daemon.output().includes(session.slice(0, 20)))
    assert.doesNotMatch(gateway.daemon.output(), /in arguments/)
  })

  test('has results and errors of calls in added log fields', async () => {
    await using fixture = await startEverything({ era: 'legacy' })
    await using gateway = await startMcpDaemon([httpTarget('one', fixture.url)], {
      root: {
        frontendPolicies: {
          accessLog: {
            add: {
              said: 'mcp.tool.result.content[0].text',
              code: 'mcp.tool.error.code',
              tool: 'mcp.tool.name',
              session: 'mcp.sessionId',
            },
          },
        },
      },
    })
    const client = new RawMcp(gateway.url)
    const { session = '' } = await client.open()
    await client.legacy('tools/call', { name: 'test_simple_text' })
    await client.legacy('tools/call', { name: 'no such tool' })
    await gateway.daemon.printed(/no such tool.*\n/)
    const [good = '', bad = ''] = gateway.daemon
      .output()
      .split('\n')
      .filter((line) => line.includes('tools/call'))
    assert.match(good, / said="This is a simple text response for testing\." /)
    assert.match(good, / tool=test_simple_text session=<redacted>/)
    assert.match(bad, / code=-32602 tool="no such tool" /)
    assert.ok(!gateway.daemon.output().includes(session))
  })

  test('has metrics of sessions and calls', async () => {
    await using fixture = await startEverything({ era: 'legacy' })
    await using gateway = await startMcpDaemon([
      httpTarget('web', fixture.url),
      everythingTarget('program', 'legacy'),
    ])
    const client = new RawMcp(gateway.url)
    const { session = '' } = await client.open()
    for (let i = 0; i < 3; i++) await client.legacy('tools/call', { name: `web_made_up_${i}` })
    for (let i = 0; i < 2; i++) await client.legacy('tools/call', { name: 'program_test_simple_text' })
    await client.legacy('made/up')
    // The log line of a request is written after it is counted.
    await gateway.daemon.printed(/mcp\.method\.name=made\/up/)
    const scraped = async () => (await fetch(`${gateway.daemon.url('stats')}/metrics`)).text()
    const text = await scraped()
    const counted = [...text.matchAll(/^agentgateway_mcp_requests_total\{(.*),bind=.*\} (\d+)$/gm)]
    assert.deepEqual(
      counted.map(
        ([, labels = '', count = '']) => `${labels.replaceAll('"', '').replace(/\w+=/g, '')} ${count}`,
      ),
      [
        'initialize,unknown,unknown,unknown 1',
        'notifications/initialized,unknown,unknown,unknown 1',
        'tools/call,tool,web,unknown 3',
        'tools/call,tool,program,test_simple_text 2',
        'other,unknown,unknown,unknown 1',
      ],
    )
    assert.match(text, /^agentgateway_mcp_sessions\{backend=".+"\} 1$/m)
    assert.match(text, /^agentgateway_mcp_child_processes\{server="program"\} 1$/m)
    assert.match(text, /^agentgateway_mcp_server_up\{backend=".+",server="web"\} 1$/m)
    const calls = /duration_seconds_count\{kind="Primary",subtype="Mcp"\} (\d+)$/m
    // Two handshakes, three calls of unknown items, two of existing ones.
    assert.equal(calls.exec(text)?.[1], '7')
    await fetch(gateway.url, { method: 'DELETE', headers: { 'mcp-session-id': session } })
    assert.match(await scraped(), /^agentgateway_mcp_sessions\{backend=".+"\} 0$/m)
  })

  test('has the state of servers in the dump, and logs when a server fails', async () => {
    const fixture = await startEverything({ era: 'legacy' })
    await using gateway = await startMcpDaemon(
      [
        httpTarget('web', fixture.url),
        everythingTarget('program', 'modern'),
        httpTarget('idle', fixture.url),
      ],
      { mcp: { failureMode: 'failOpen' } },
    )
    const statuses = async () => {
      const answer = await fetch(`${gateway.daemon.url('admin')}/config_dump`)
      const { backends } = (await answer.json()) as {
        backends: { backend: { mcp: { targets: { name: string; status: Record<string, unknown> }[] } } }[]
      }
      return Object.fromEntries(
        (backends[0]?.backend.mcp.targets ?? []).map(({ name, status }) => {
          const { since, ...rest } = status
          assert.ok(Math.abs(Date.parse(String(since)) - Date.now()) < 600_000)
          return [name, rest]
        }),
      )
    }
    const untried = { state: 'unknown' }
    assert.deepEqual(await statuses(), { web: untried, program: { ...untried, children: 0 }, idle: untried })
    const client = new RawMcp(gateway.url)
    await client.open()
    const known = await statuses()
    assert.deepEqual(known.web, { state: 'well', revision: '2025-11-25', eras: { legacy: true } })
    assert.deepEqual(known.program, {
      state: 'well',
      revision: '2026-07-28',
      eras: { legacy: false, modern: true },
      children: 1,
    })
    await fixture[Symbol.asyncDispose]()
    await client.legacy('tools/call', { name: 'web_test_simple_text' })
    await gateway.daemon.printed(/an MCP server cannot be used.*web/)
    const { state, error } = (await statuses()).web ?? {}
    assert.equal(state, 'failing')
    assert.equal(error, 'upstream call failed: connection refused')
  })

  test('has the endpoint and the cause of a failed connection in the access log', async () => {
    using names = ownNames({})
    const targets = [httpTarget('far', 'http://no-such-host.invalid:81/mcp')]
    await using gateway = await startMcpRoutes({ far: { targets } }, {}, names.options)
    assert.equal((await gateway.client('far').open()).status, 200)
    const [line] = await gateway.daemon.printed(/\trequest .*code=upstream_dns/)
    assert.match(line, / endpoint=no-such-host\.invalid:81 /)
    assert.match(line, / cause="\S+ E[A-Z_]+ no-such-host\.invalid \(E[A-Z_]+\)" /)
  })
})
