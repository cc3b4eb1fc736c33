import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ambiguousItem,
  headerMismatch,
  invalidParams,
  type McpError,
  methodNotFound,
  methodNotFoundInSession,
  missingClientCapability,
  unknownItem,
  unsupportedVersion,
} from '../../../src/protocols/mcp/errors.ts'

test('MCP errors have the wire format', () => {
  const said = ({ status, error }: McpError) => [status, error.code, error.message]
  assert.deepEqual(
    [
      unknownItem({ kind: 'tool', name: 'X' }),
      unknownItem({ kind: 'prompt', name: 'X' }),
      unknownItem({ kind: 'resource', name: 'X' }),
      unknownItem({ kind: 'task', name: 'X' }),
      invalidParams('p'),
      ambiguousItem({ kind: 'tool', name: 'X' }),
      ambiguousItem({ kind: 'resource', name: 'X' }),
      methodNotFound('m'),
      methodNotFoundInSession('m'),
      headerMismatch('Mcp-Name header/body mismatch'),
    ].map(said),
    [
      [400, -32602, 'Unknown tool: X'],
      [400, -32602, 'Unknown prompt: X'],
      [400, -32602, 'Unknown resource: X'],
      [400, -32602, 'Unknown task: X'],
      [400, -32602, 'invalid request parameters: p'],
      [400, -32602, 'invalid request parameters: tool X is served by multiple targets'],
      [400, -32602, 'invalid request parameters: resource X is served by multiple targets'],
      [404, -32601, 'method not found: m'],
      [200, -32601, 'method not found: m'],
      [400, -32020, 'Mcp-Name header/body mismatch'],
    ],
  )
  assert.deepEqual(unsupportedVersion('1900-01-01'), {
    status: 400,
    error: {
      code: -32022,
      message: 'unsupported MCP protocol version: 1900-01-01',
      data: {
        supported: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
        requested: '1900-01-01',
      },
    },
  })
  assert.deepEqual(missingClientCapability({ elicitation: { form: {} } }), {
    status: 400,
    error: {
      code: -32021,
      message: 'missing required client capability: elicitation',
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    },
  })
})
