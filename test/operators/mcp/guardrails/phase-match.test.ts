import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eitherPhase, phaseOf } from '../../../../src/operators/mcp/guardrails/phase-match.ts'

const phase = phaseOf([
  ['*', 'request'],
  ['*/list', 'response'],
  ['*/templates/list', 'off'],
  ['tools/*', 'full'],
  ['tools/internal/*', 'off'],
  ['tools/call', 'request'],
  ['notifications/*', 'off'],
])

const cases: readonly (readonly [method: string, phase: string, why: string])[] = [
  ['tools/call', 'request', 'an exact method is the most specific'],
  ['tools/list', 'full', 'a prefix is more specific than a suffix'],
  ['tools/internal/x', 'off', 'a longer prefix is more specific'],
  ['prompts/list', 'response', 'a suffix is more specific than a star'],
  ['resources/templates/list', 'off', 'a longer suffix is more specific'],
  ['notifications/tools/list_changed', 'off', 'a star stands for slashes as well'],
  ['initialize', 'request', 'the star alone is for the rest'],
  ['tools', 'request', 'what ends before the pattern does not fit it'],
]

for (const [method, expected, why] of cases)
  test(`${why}: ${method} is ${expected}`, () => {
    assert.equal(phase(method), expected)
  })

test('a method without a match is off', () => {
  assert.deepEqual([phaseOf([])('x'), phaseOf([['tools/call', 'full']])('tools/list')], ['off', 'off'])
})

test('two phases are combined by union', () => {
  const either = (one: string, other: string) => eitherPhase(one as 'off', other as 'off')
  assert.deepEqual(
    [
      either('off', 'request'),
      either('response', 'off'),
      either('request', 'request'),
      either('request', 'response'),
      either('full', 'off'),
      either('request', 'full'),
    ],
    ['request', 'response', 'request', 'full', 'full', 'full'],
  )
})
