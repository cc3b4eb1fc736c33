import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers } from '../../../../src/model/exchange/headers.ts'
import { headerFieldsOf } from '../../../../src/upstream/mcp/http/headers.ts'

test('a server gets the fields of its transport and those of the client that do not belong to another session or hop', () => {
  const client = [
    ...['x-team', 'red', 'mcp-session-id', 'of the client', 'last-event-id', '7'],
    ...['mcp_session_id', 'of the client', 'mcp-session_id', 'again', 'mcp_param_a', '2'],
    ...['agentgateway-passed-on', 'sealed', 'mcp-param-a', '1', 'authorization', 'Bearer ann'],
  ]
  assert.deepEqual(headerFieldsOf(['accept', 'application/json'], new Headers(client)).raw, [
    ...['accept', 'application/json', 'x-team', 'red', 'authorization', 'Bearer ann'],
  ])
})
