import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLinear } from '../../../src/protocols/pattern/is-linear.ts'
import { pattern } from '../../../src/protocols/pattern/pattern.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'

test('pattern', async (t) => {
  await t.test('matches whole texts only', () => {
    const isUser = pattern('/users/[^/]+')
    assert.deepEqual(['/users/7', '/users/7/x', 'x/users/7'].map(isUser), [true, false, false])
  })

  await t.test('treats alternatives as one pattern', () => {
    const either = pattern('/a|/b')
    assert.deepEqual(['/a', '/b', '/ab', '/a|/b'].map(either), [true, true, false, false])
  })

  await t.test('proves the usual route patterns linear', () => {
    for (const text of [
      '/api/v[0-9]+/users/[^/]+',
      '/files/.*',
      '.*\\.php',
      '/(v1|v2)/items/\\d+',
      '[a-z]{2,5}-x',
    ])
      assert.equal(isLinear(text), true, text)
  })

  await t.test('does not accept patterns that can backtrack as linear', () => {
    for (const text of [
      '(a+)+',
      '(a|a)*b',
      '.*.*=.*',
      '\\w+\\d+x.*y',
      '(?:x+)*',
      '(a)\\1',
      '(?i)abc',
      'a{1000}',
      '[a-z]+[a-z]+[a-z]+!',
    ])
      assert.equal(isLinear(text), false, text)
  })

  await t.test('matches hostile texts quickly', () => {
    const hostile = `${'a'.repeat(50_000)}!`
    const began = cpuTimeMs()
    for (const text of ['(a+)+', '(a|aa)+', '.*a.*a.*b', '([a-zA-Z]+)*x'])
      assert.equal(pattern(text)(hostile), false, text)
    assert.ok(cpuTimeMs() - began < 2_000)
  })

  await t.test('explains the error in a pattern', () => {
    assert.throws(() => pattern('/a('), /missing closing|parenthesis/)
  })
})
