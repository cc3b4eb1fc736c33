import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messages } from '../../../../src/protocols/llm/messages/codec.ts'

test('errors of Messages', async (t) => {
  await t.test('have the type of their status', () => {
    const types: [number, string][] = [
      [400, 'invalid_request_error'],
      [401, 'authentication_error'],
      [402, 'billing_error'],
      [403, 'permission_error'],
      [404, 'not_found_error'],
      [408, 'timeout_error'],
      [409, 'conflict_error'],
      [413, 'request_too_large'],
      [415, 'invalid_request_error'],
      [422, 'invalid_request_error'],
      [429, 'rate_limit_error'],
      [500, 'api_error'],
      [502, 'api_error'],
      [503, 'overloaded_error'],
      [504, 'timeout_error'],
      [529, 'overloaded_error'],
    ]
    for (const [status, type] of types)
      // OpenAI's name for an invalid key, which has another meaning here.
      assert.deepEqual(messages.encodeError({ status, message: 'm', type: 'invalid_request_error' }), {
        type: 'error',
        error: { type, message: 'm' },
      })
  })

  await t.test('are decoded with their type and their code', () => {
    const body = {
      type: 'error',
      error: {
        type: 'not_found_error',
        message: 'no such model',
        details: { error_code: 'thread_not_found' },
      },
      request_id: 'req_1',
    }
    assert.deepEqual(messages.decodeError(404, body), {
      status: 404,
      message: 'no such model',
      type: 'not_found_error',
      code: 'thread_not_found',
    })
  })

  await t.test('have a message with their status if there is nothing else', () => {
    for (const body of [undefined, null, 'oops', 5, [], {}, { error: {} }, { error: { message: 5 } }])
      assert.deepEqual(messages.decodeError(502, body), {
        status: 502,
        message: 'the provider answered with status 502',
      })
  })

  await t.test('are decoded from similar shapes', () => {
    for (const body of [{ error: 'm' }, { message: 'm' }, [{ error: { message: 'm' } }]])
      assert.equal(messages.decodeError(500, body).message, 'm')
  })

  await t.test('inside of a stream have the status of their type', () => {
    const statusOf = (type: string): unknown => {
      let status: unknown
      messages
        .decodeStream()
        .push('error', JSON.stringify({ type: 'error', error: { type, message: 'm' } }), (event) => {
          status = event.type === 'error' && event.error.status
        })
      return status
    }
    const types = [
      'invalid_request_error',
      'rate_limit_error',
      'overloaded_error',
      'timeout_error',
      'api_error',
      'x',
    ]
    assert.deepEqual(types.map(statusOf), [400, 429, 529, 504, 500, 500])
  })
})
