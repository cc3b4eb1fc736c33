import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers } from '../../../src/model/headers.ts'
import { fieldsOf } from '../../../src/upstream/mcp/http-fields.ts'

test('a server gets the fields of its wire and those of the client that say nothing of another session or hop', () => {
  const client = [
    ...['x-team', 'red', 'mcp-session-id', 'of the client', 'last-event-id', '7'],
    ...['agentgateway-passed-on', 'sealed', 'mcp-param-a', '1', 'authorization', 'Bearer ann'],
  ]
  assert.deepEqual(fieldsOf(['accept', 'application/json'], new Headers(client)).raw, [
    ...['accept', 'application/json', 'x-team', 'red', 'authorization', 'Bearer ann'],
  ])
})
