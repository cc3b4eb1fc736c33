import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completions } from '../../../../src/protocols/llm/completions/codec.ts'

test('errors of Chat Completions', async (t) => {
  await t.test('are read in every shape that providers use', () => {
    const cases: [number, unknown, unknown][] = [
      [
        401,
        { error: { message: 'no', type: 'invalid_request_error', param: null, code: 'invalid_api_key' } },
        { status: 401, message: 'no', type: 'invalid_request_error', code: 'invalid_api_key' },
      ],
      [
        400,
        [{ error: { code: 400, message: 'bad', status: 'INVALID_ARGUMENT' } }],
        { status: 400, message: 'bad', type: 'invalid_request_error', code: 'INVALID_ARGUMENT' },
      ],
      [
        403,
        { error: { code: 403, message: 'no', status: 'PERMISSION_DENIED' } },
        { status: 403, message: 'no', type: 'authentication_error', code: 'PERMISSION_DENIED' },
      ],
      [
        429,
        { error: { message: 'later', status: 'RESOURCE_EXHAUSTED' } },
        { status: 429, message: 'later', type: 'rate_limit_error', code: 'RESOURCE_EXHAUSTED' },
      ],
      [
        503,
        { error: { message: 'busy', status: 'UNAVAILABLE' } },
        { status: 503, message: 'busy', type: 'api_error', code: 'UNAVAILABLE' },
      ],
      [
        404,
        { object: 'error', message: 'no such model', type: 'NotFoundError', code: 404 },
        { status: 404, message: 'no such model', type: 'NotFoundError' },
      ],
      [
        422,
        { detail: [{ loc: ['body'], msg: 'Field required' }] },
        { status: 422, message: 'Field required' },
      ],
      [404, { detail: 'Not Found' }, { status: 404, message: 'Not Found' }],
      [500, { error: 'out of memory' }, { status: 500, message: 'out of memory' }],
      [502, undefined, { status: 502, message: 'the provider answered with status 502' }],
      [502, 'Bad gateway', { status: 502, message: 'the provider answered with status 502' }],
      [500, {}, { status: 500, message: 'the provider did not say what went wrong' }],
      [500, { error: { message: 7 } }, { status: 500, message: 'the provider did not say what went wrong' }],
    ]
    for (const [status, body, error] of cases) assert.deepEqual(completions.decodeError(status, body), error)
  })

  await t.test('are encoded with a type for their status', () => {
    const types = [400, 401, 403, 404, 409, 413, 422, 429, 500, 503, 529].map((status) => {
      const { error } = completions.encodeError({ status, message: 'a', type: 'overloaded_error' })
      return (error as { type: string }).type
    })
    assert.deepEqual(types, [
      'invalid_request_error',
      'authentication_error',
      'permission_error',
      'not_found_error',
      'invalid_request_error',
      'invalid_request_error',
      'invalid_request_error',
      'rate_limit_error',
      'api_error',
      'api_error',
      'api_error',
    ])
  })

  await t.test('keep a type of the format, their code and their field', () => {
    assert.deepEqual(
      completions.encodeError({
        status: 404,
        message: 'a',
        type: 'invalid_request_error',
        code: 'model_not_found',
        param: 'model',
      }),
      { error: { message: 'a', type: 'invalid_request_error', param: 'model', code: 'model_not_found' } },
    )
  })

  await t.test('end a stream without [DONE]', () => {
    const encoder = completions.encodeStream({ model: 'm', includeUsage: true })
    const said = encoder.encode({ type: 'error', error: { status: 503, message: 'busy\nnow' } })
    assert.equal(
      said,
      'data: {"error":{"message":"busy\\nnow","type":"api_error","param":null,"code":null}}\n\n',
    )
    assert.equal(encoder.encode({ type: 'end' }), '')
    assert.equal(completions.encodeStreamError({ status: 503, message: 'busy\nnow' }), said)
  })
})
