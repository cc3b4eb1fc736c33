import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLogDirective } from '../../../src/model/log/log-directive.ts'

const parsed = (text: string) => {
  const result = parseLogDirective(text)
  return 'problem' in result ? result.problem : [result.level, Object.fromEntries(result.modules)]
}

test('a directive has a default level, levels of modules, or both', () => {
  assert.deepEqual(parsed('debug'), ['debug', {}])
  assert.deepEqual(parsed('off'), ['off', {}])
  assert.deepEqual(parsed('mcp=trace'), [undefined, { mcp: 'trace' }])
  assert.deepEqual(parsed(' mcp = trace , info ,http:debug'), ['info', { mcp: 'trace', http: 'debug' }])
})

test('anything else is refused, with the reason', () => {
  const known = 'gateway, http, upstream, config, cel, auth, mcp, llm, guard, trace, admin, request, payload'
  const levels = 'off, error, warn, info, debug, trace'
  for (const [text, problem] of [
    ['', `unknown level: ; known are ${levels}`],
    ['INFO', `unknown level: INFO; known are ${levels}`],
    ['mcp', `unknown level: mcp; known are ${levels}`],
    ['info,', `unknown level: ; known are ${levels}`],
    ['mcp=', `unknown level: ; known are ${levels}`],
    ['mcp=loud', `unknown level: loud; known are ${levels}`],
    ['mcp=debug=trace', `unknown level: debug=trace; known are ${levels}`],
    ['=debug', `unknown module: ; known are ${known}`],
    ['Mcp=debug', `unknown module: Mcp; known are ${known}`],
    ['agentgateway::proxy=debug', `unknown module: agentgateway::proxy; known are ${known}`],
    ['__proto__=debug', `unknown module: __proto__; known are ${known}`],
    ['info,debug', 'several default levels'],
    ['mcp=debug,mcp=debug', 'module given twice: mcp'],
    ['x'.repeat(1_025), 'longer than 1024 characters'],
  ] as const)
    assert.equal(parsed(text), problem)
})
