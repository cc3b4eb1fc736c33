import assert from 'node:assert/strict'
import { test } from 'node:test'
import { of, throwError } from 'rxjs'
import { Fault } from '../../../../src/model/exchange/fault.ts'
import {
  mcpAttributesAbout,
  mcpAttributesOf,
  recordRequest,
  recordResult,
} from '../../../../src/operators/mcp/federation/attributes.ts'
import { recordHealth } from '../../../../src/operators/mcp/federation/target-health.ts'
import { McpRefusal } from '../../../../src/operators/mcp/response/json-rpc-error.ts'
import type { Target } from '../../../../src/operators/mcp/servers/target.ts'
import { TargetState } from '../../../../src/operators/mcp/servers/target-state.ts'
import type { Outcome } from '../../../../src/protocols/json-rpc/message.ts'
import { Headers } from '../../../../src/model/exchange/headers.ts'
import { ServerRefused } from '../../../../src/upstream/mcp/http-status-error.ts'
import { exchange } from '../../../../src/testing/exchange.ts'

const targetOf = (state = new TargetState()): Target =>
  ({ name: 'files', isBound: false, state }) as unknown as Target
const target = targetOf()
const aboutTool = { kind: 'tool', name: 'files_read' } as const

test('the attributes of an MCP request', async (t) => {
  await t.test('are separate from those of other requests in a batch', () => {
    const x = exchange()
    x.protocol.mcp = { sessionId: 's', methodName: 'prompts/get', prompt: { name: 'p' }, kind: 'prompt' }
    assert.deepEqual(mcpAttributesOf({ x, method: 'tools/list' }), {
      sessionId: 's',
      methodName: 'tools/list',
    })
    const request = { x, method: 'tools/call', params: { arguments: { path: '/a' } } }
    assert.deepEqual(mcpAttributesAbout(request, aboutTool, { target, name: 'read' }), {
      sessionId: 's',
      methodName: 'tools/call',
      target: 'files',
      kind: 'tool',
      tool: { target: 'files', name: 'read', arguments: { path: '/a' } },
    })
  })

  await t.test('are those of the first message that expects a response', () => {
    const x = exchange()
    recordRequest(x, [
      { jsonrpc: '2.0', method: 'notifications/progress' },
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    ])
    assert.equal(x.protocol.mcp?.methodName, 'tools/list')
  })

  const attributes = { methodName: 'tools/call', target: 'files', tool: { target: 'files', name: 'read' } }
  const after = (outcome: Outcome | Fault) => {
    const x = exchange()
    const source = outcome instanceof Fault ? throwError(() => outcome) : of(outcome)
    source.pipe(recordResult(x, attributes)).subscribe({ error: () => undefined })
    return x.protocol.mcp
  }

  await t.test('have the result of a call, which confirms its name', () => {
    const result = { content: [] }
    assert.deepEqual(after({ result }), {
      ...attributes,
      isKnown: true,
      tool: { ...attributes.tool, result },
    })
  })

  await t.test('have the error of a call, of any kind, and do not confirm its name', () => {
    const error = { code: -1, message: 'no' }
    assert.deepEqual(after({ error }), { ...attributes, tool: { ...attributes.tool, error } })
    const broken = { code: -32603, message: 'gone' }
    assert.deepEqual(after(new Fault('upstream_failed', 'gone')), {
      ...attributes,
      tool: { ...attributes.tool, error: broken },
    })
    assert.equal(after({ result: { isError: true } })?.isKnown, false)
  })
})

test('the health of an MCP server', async (t) => {
  const changes: (string | undefined)[] = []
  const memory = new TargetState(({ state, error }) => changes.push(`${state} ${String(error)}`))
  const told = (outcome: Fault | 'an answer') => {
    const source = outcome instanceof Fault ? throwError(() => outcome) : of(outcome)
    source.pipe(recordHealth(targetOf(memory))).subscribe({ error: () => undefined })
    return memory.status.state
  }
  const refused = (status: number) => new ServerRefused('files', status, new Headers(), Buffer.alloc(0))

  await t.test('is unknown at first, and not affected by errors of one client', () => {
    assert.equal(memory.status.state, 'unknown')
    for (const status of [401, 403, 429]) assert.equal(told(refused(status)), 'unknown')
    assert.equal(
      told(new McpRefusal('mcp_refused', { status: 400, error: { code: -32602, message: 'no' } })),
      'unknown',
    )
    assert.equal(told(new Fault('mcp_session_closed', 'closed')), 'unknown')
  })

  await t.test('changes with responses and faults, and is reported then', () => {
    assert.equal(told('an answer'), 'well')
    assert.equal(told(new Fault('upstream_connect', 'refused')), 'failing')
    assert.equal(told(refused(500)), 'failing')
    assert.match(memory.status.error ?? '', /500/)
    assert.equal(told('an answer'), 'well')
    assert.equal(memory.status.error, undefined)
    assert.deepEqual(changes, ['failing refused', 'well undefined'])
  })
})
