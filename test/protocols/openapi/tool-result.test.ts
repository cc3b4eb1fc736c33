import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { resultOf, tooLongResult } from '../../../src/protocols/openapi/tool-result.ts'

const result = (
  status: number,
  type: string | undefined,
  body: string | Buffer,
  more: Record<string, string> = {},
) => resultOf('t', status, Headers.of({ ...(type && { 'content-type': type }), ...more }), Buffer.from(body))

test('the tool result of a response', async (t) => {
  await t.test('is its JSON, as text and as structured content', () => {
    assert.deepEqual(result(200, 'application/json; charset=utf-8', '{"a": 1}\n'), {
      content: [{ type: 'text', text: '{"a": 1}' }],
      structuredContent: { a: 1 },
    })
    assert.deepEqual(result(200, 'application/vnd.api+json', '{}').structuredContent, {})
    assert.deepEqual(result(200, undefined, '{"a":1}').structuredContent, { a: 1 })
  })

  await t.test('has JSON that is not an object as `data`', () => {
    assert.deepEqual(result(200, 'application/json', '[1, 2]'), {
      content: [{ type: 'text', text: '{"data":[1, 2]}' }],
      structuredContent: { data: [1, 2] },
    })
    assert.deepEqual(result(200, 'application/json', 'null').structuredContent, { data: null })
  })

  await t.test('keeps digits beyond the precision of JavaScript', () => {
    const { content } = result(200, 'application/json', '{"id":12345678901234567890}')
    assert.deepEqual(content, [{ type: 'text', text: '{"id":12345678901234567890}' }])
  })

  await t.test('has other bodies as `code` and `message`', () => {
    assert.deepEqual(result(200, 'text/plain', 'hello'), {
      content: [{ type: 'text', text: '{"code":200,"message":"hello"}' }],
      structuredContent: { code: 200, message: 'hello' },
    })
    const messages = [
      result(200, 'application/json', '{"a":'),
      result(204, undefined, ''),
      result(200, 'text/plain', '{"a":1}'),
      result(200, 'text/plain; charset=iso-8859-1', Buffer.from([0xfc])),
      result(200, 'text/plain; charset=nonsense', 'ü'),
      result(200, 'image/svg+xml', '<svg/>'),
    ].map(({ structuredContent }) => structuredContent)
    assert.deepEqual(messages, [
      { code: 200, message: '{"a":' },
      { code: 204, message: '' },
      { code: 200, message: '{"a":1}' },
      { code: 200, message: 'ü' },
      { code: 200, message: 'ü' },
      { code: 200, message: '<svg/>' },
    ])
  })

  await t.test('is an image, audio, or bytes', () => {
    const bytes = Buffer.from([0, 255])
    assert.deepEqual(result(200, 'image/png', bytes), {
      content: [{ type: 'image', data: 'AP8=', mimeType: 'image/png' }],
    })
    assert.deepEqual(result(200, 'audio/mpeg', bytes).content, [
      { type: 'audio', data: 'AP8=', mimeType: 'audio/mpeg' },
    ])
    assert.deepEqual(result(200, 'application/pdf', bytes).content, [
      {
        type: 'resource',
        resource: { uri: 'openapi://t/answer', mimeType: 'application/pdf', blob: 'AP8=' },
      },
    ])
  })

  await t.test('is an error with a readable text for every status other than success', () => {
    assert.deepEqual(result(404, 'application/json', '{"error":"no pet"}'), {
      content: [
        { type: 'text', text: 'Upstream API call for tool t failed with status 404' },
        { type: 'text', text: '{"error":"no pet"}' },
      ],
      structuredContent: { error: 'no pet' },
      isError: true,
    })
    const { content, isError } = result(302, undefined, '', { location: '/login' })
    assert.equal(isError, true)
    assert.deepEqual(
      (content as { text: string }[])[0]?.text,
      'Upstream API call for tool t failed with status 302 and refers to /login',
    )
    assert.deepEqual(
      [result(201, undefined, '').isError, result(304, undefined, '').isError],
      [undefined, undefined],
    )
  })

  await t.test('does not contain JSON that cannot be encoded again', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    assert.deepEqual(result(200, 'application/json', deep).structuredContent, { code: 200, message: deep })
    const flat = `{"a":"${'['.repeat(1_000)}\\"${'{'.repeat(1_000)}"}`
    assert.ok((result(200, 'application/json', flat).structuredContent as { a?: string }).a)
  })

  await t.test('is an error if it is too long', () => {
    assert.deepEqual(tooLongResult('t', 5), {
      content: [{ type: 'text', text: 'Upstream API call for tool t was answered with more than 5 bytes' }],
      isError: true,
    })
  })
})
