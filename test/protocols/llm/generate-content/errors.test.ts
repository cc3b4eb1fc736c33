import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateContent } from '../../../../src/protocols/llm/generate-content/codec.ts'
import { plain } from '../goldens.ts'

const read = (status: number, body: unknown): unknown => plain(generateContent.decodeError(status, body))

test('decodes Google errors, in a list or not', () => {
  const error = {
    error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details: [] },
  }
  const expected = {
    status: 400,
    message: 'API key not valid.',
    type: 'invalid_request_error',
    code: 'INVALID_ARGUMENT',
  }
  assert.deepEqual(read(400, error), expected)
  assert.deepEqual(read(400, [error]), expected)
})

test('maps each kind to the common error types', () => {
  const kinds = [
    ['FAILED_PRECONDITION', 400, 'invalid_request_error'],
    ['NOT_FOUND', 404, 'not_found_error'],
    ['PERMISSION_DENIED', 403, 'authentication_error'],
    ['UNAUTHENTICATED', 401, 'authentication_error'],
    ['RESOURCE_EXHAUSTED', 429, 'rate_limit_error'],
    ['INTERNAL', 500, 'api_error'],
    ['UNAVAILABLE', 503, 'api_error'],
  ] as const
  for (const [status, code, type] of kinds)
    assert.deepEqual(read(code, { error: { message: 'm', status } }), {
      status: code,
      message: 'm',
      type,
      code: status,
    })
})

test('creates an error for an invalid one', () => {
  for (const body of [undefined, null, 'x', 7, [], {}, { error: 'x' }, { error: null }])
    assert.deepEqual(read(503, body), { status: 503, message: 'the provider answered with status 503' })
  assert.deepEqual(read(429, { error: { message: 1, status: {} } }), {
    status: 429,
    message: 'the provider answered with status 429',
    type: 'rate_limit_error',
  })
})

test('encodes errors with their own status name, or that of the HTTP status', () => {
  const words = [
    [400, 'INVALID_ARGUMENT'],
    [401, 'UNAUTHENTICATED'],
    [403, 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND'],
    [408, 'DEADLINE_EXCEEDED'],
    [413, 'INVALID_ARGUMENT'],
    [429, 'RESOURCE_EXHAUSTED'],
    [500, 'INTERNAL'],
    [502, 'UNAVAILABLE'],
    [503, 'UNAVAILABLE'],
    [504, 'DEADLINE_EXCEEDED'],
    [529, 'UNAVAILABLE'],
  ] as const
  for (const [code, status] of words)
    assert.deepEqual(generateContent.encodeError({ status: code, message: 'm', code: 'other' }), {
      error: { code, message: 'm', status },
    })
  assert.deepEqual(generateContent.encodeError({ status: 400, message: 'm', code: 'FAILED_PRECONDITION' }), {
    error: { code: 400, message: 'm', status: 'FAILED_PRECONDITION' },
  })
})
