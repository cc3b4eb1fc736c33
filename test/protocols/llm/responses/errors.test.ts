import assert from 'node:assert/strict'
import { test } from 'node:test'
import { responses } from '../../../../src/protocols/llm/responses/codec.ts'

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('errors of the Responses format', async (t) => {
  await t.test('are decoded in every known shape', () => {
    const message = 'Boom.'
    const read = (body: unknown): unknown => plain(responses.decodeError(400, body))
    assert.deepEqual(
      read({
        error: { message, type: 'invalid_request_error', param: 'input', code: 'missing_required_parameter' },
      }),
      {
        status: 400,
        message,
        type: 'invalid_request_error',
        param: 'input',
        code: 'missing_required_parameter',
      },
    )
    assert.deepEqual(read({ error: { message, type: null, param: null, code: null } }), {
      status: 400,
      message,
    })
    assert.deepEqual(read([{ error: { message } }]), { status: 400, message })
    assert.deepEqual(read({ error: message }), { status: 400, message })
    assert.deepEqual(read({ message }), { status: 400, message })
    assert.deepEqual(read({ detail: message }), { status: 400, message })
    for (const body of [undefined, null, 7, 'x', [], {}, { error: {} }, { error: [] }, { message: 7 }])
      assert.deepEqual(read(body), { status: 400, message: 'the provider answered with status 400' })
  })

  await t.test(
    "are encoded with the type of their status, or with the provider's own if it is of this format",
    () => {
      const type = (status: number, own?: string): unknown =>
        (responses.encodeError({ status, message: 'm', type: own }).error as { type: string }).type
      const byStatus = [400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529].map((status) =>
        type(status),
      )
      assert.deepEqual(byStatus, [
        'invalid_request_error',
        'authentication_error',
        'permission_error',
        'not_found_error',
        'invalid_request_error',
        'invalid_request_error',
        'invalid_request_error',
        'rate_limit_error',
        'server_error',
        'server_error',
        'server_error',
        'server_error',
      ])
      assert.equal(type(429, 'insufficient_quota'), 'insufficient_quota')
      assert.equal(type(529, 'overloaded_error'), 'server_error')
      assert.deepEqual(responses.encodeError({ status: 400, message: 'm', param: 'p', code: 'c' }), {
        error: { message: 'm', type: 'invalid_request_error', param: 'p', code: 'c' },
      })
      assert.deepEqual(responses.encodeError({ status: 500, message: 'm' }), {
        error: { message: 'm', type: 'server_error', param: null, code: null },
      })
    },
  )
})
