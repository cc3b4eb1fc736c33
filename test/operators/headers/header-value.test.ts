import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '../../../src/cel/compile.ts'
import { sampleContext } from '../../cel/sample-context.ts'
import { evaluatedText, writtenText } from '../../../src/operators/headers/header-value.ts'

const valueOf = (expression: string) => ({ value: compile(expression).evaluate(sampleContext()).value })

test('addresses in headers are formatted as text', () => {
  assert.equal(evaluatedText(valueOf('ip("2001:DB8::0001")')), '2001:db8::1')
  assert.equal(evaluatedText(valueOf('cidr("10.1.2.3/8").masked()')), '10.0.0.0/8')
})

test('values that are not text leave a header out, and invalid header text is an error', () => {
  assert.equal(writtenText('x-a', valueOf('1')), undefined)
  assert.equal(writtenText('x-a', { error: 'no such key' }), undefined)
  assert.throws(() => writtenText('x-a', valueOf('"a\\nb"')), { code: 'unwritable_header', status: 400 })
  assert.throws(() => writtenText('x-a', valueOf('b"a\\x00b"')), { code: 'unwritable_header', status: 400 })
})
