import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ResponseHead, readResponseHead } from '../../../src/protocols/http/response-head.ts'

const accepted = (...given: Parameters<typeof readResponseHead>): ResponseHead => {
  const head = readResponseHead(...given)
  if ('refused' in head) assert.fail(head.refused)
  return head
}
const verdict = (status: number, raw: readonly string[]) => {
  const head = readResponseHead(status, raw)
  return 'refused' in head ? head.refused : 'ok'
}
const bytes = (raw: readonly string[]) => raw.map((part) => Buffer.from(part, 'latin1'))

test('readResponseHead', async (t) => {
  const raw = [
    ...[
      'X-B',
      '1',
      'Content-Type',
      'text/plain',
      'Set-Cookie',
      'a=1',
      'CONNECTION',
      'keep-alive, x-gone',
      'X-Gone',
      '1',
    ],
    ...[
      'Set-Cookie',
      'b=2',
      'Keep-Alive',
      'timeout=5',
      'Transfer-Encoding',
      'chunked',
      'Trailer',
      'X-Sum, Digest',
    ],
    ...[
      'Proxy-Authenticate',
      'Basic',
      'Proxy-Connection',
      'close',
      'Upgrade',
      'h2c',
      'TE',
      'trailers',
      'X-Latin',
      '\u00e9',
    ],
  ]
  const expected = [
    'x-b',
    '1',
    'content-type',
    'text/plain',
    'set-cookie',
    'a=1',
    'set-cookie',
    'b=2',
    'x-latin',
    '\u00e9',
  ]

  await t.test('keeps end-to-end fields in wire order, from texts and from bytes', () => {
    for (const form of [raw, bytes(raw)]) {
      const head = accepted(200, form)
      assert.deepEqual(head.headers, expected)
      assert.deepEqual([head.chunked, head.contentLength, head.upgrade], [true, undefined, undefined])
      assert.deepEqual(head.trailerNames, ['x-sum', 'digest'])
    }
  })

  await t.test('reads the object of an HTTP/2 client', () => {
    const head = accepted(200, {
      ':status': '200',
      'x-b': '1',
      'set-cookie': ['a=1', 'b=2'],
      connection: 'close',
      gone: undefined,
    })
    assert.deepEqual(head.headers, ['x-b', '1', 'set-cookie', 'a=1', 'set-cookie', 'b=2'])
  })

  await t.test('uses parsed headers only if they keep the order', () => {
    const parsed = { 'x-a': 'parsed', 'x-b': '2' }
    assert.deepEqual(accepted(200, bytes(['X-A', '1', 'X-B', '2']), parsed).headers, [
      'x-a',
      'parsed',
      'x-b',
      '2',
    ])
    const repeated = ['X-A', '1', 'X-B', '2', 'X-A', '3']
    assert.deepEqual(accepted(200, bytes(repeated), { 'x-a': ['1', '3'], 'x-b': '2' }).headers, [
      'x-a',
      '1',
      'x-b',
      '2',
      'x-a',
      '3',
    ])
    const numbered = ['X-A', '1', '7', '2']
    assert.deepEqual(accepted(200, bytes(numbered), { '7': '2', 'x-a': '1' }).headers, ['x-a', '1', '7', '2'])
  })

  await t.test('keeps fields for the final recipient although Connection lists them', () => {
    const head = accepted(200, [
      'Connection',
      'close, Content-Type, X-Gone, a b',
      'Connection',
      'set-cookie, x-gone',
      'Content-Type',
      'a/b',
      'Set-Cookie',
      'a=1',
      'X-Gone',
      '1',
    ])
    assert.deepEqual(head.headers, ['content-type', 'a/b', 'set-cookie', 'a=1'])
  })

  await t.test('reads the length, except of responses without a body', () => {
    assert.deepEqual(accepted(200, ['Content-Length', '12']).contentLength, 12)
    assert.deepEqual(accepted(304, ['Content-Length', '12']).headers, ['content-length', '12'])
    for (const status of [100, 103, 204]) {
      const head = accepted(status, ['Content-Length', '12', 'Link', '</a>'])
      assert.deepEqual([head.contentLength, head.headers], [undefined, ['link', '</a>']])
    }
  })

  await t.test('reads the protocol of an upgrade', () => {
    const head = accepted(101, ['Connection', 'Upgrade', 'Upgrade', 'WebSocket', 'Sec-WebSocket-Accept', 'x'])
    assert.deepEqual([head.upgrade, head.headers], ['websocket', ['sec-websocket-accept', 'x']])
  })

  await t.test('refuses ambiguous framing', () => {
    const table: [string, number, ...string[]][] = [
      ['malformed_status', 99],
      ['malformed_status', 600],
      ['malformed_status', 1000],
      ['malformed_status', Number.NaN],
      ['malformed_status', 200.5],
      ['unsupported_transfer_encoding', 200, 'Transfer-Encoding', 'gzip'],
      ['unsupported_transfer_encoding', 200, 'Transfer-Encoding', 'gzip, chunked'],
      ['unsupported_transfer_encoding', 200, 'Transfer-Encoding', 'identity'],
      ['ambiguous_framing', 200, 'Transfer-Encoding', 'chunked', 'Content-Length', '5'],
      ['ambiguous_framing', 200, 'Content-Length', '5', 'Transfer-Encoding', 'chunked'],
      ['ambiguous_framing', 200, 'Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked'],
      ['ambiguous_framing', 200, 'Content-Length', '5', 'Content-Length', '5'],
      ['ambiguous_framing', 200, 'content_length', '5'],
      ['malformed_content_length', 200, 'Content-Length', '-1'],
      ['malformed_content_length', 200, 'Content-Length', '5, 5'],
      ['malformed_content_length', 200, 'Content-Length', ''],
      ['malformed_field_name', 200, 'a b', 'c'],
      ['malformed_field_name', 200, '', 'c'],
      ['malformed_field_name', 200, 'caf\u00e9', 'c'],
      ['malformed_field_value', 200, 'a', 'b\u0000'],
      ['malformed_field_value', 200, 'a', 'b\r\nset-cookie: x'],
      ['malformed_field_value', 200, 'a', '\u007f'],
    ]
    assert.deepEqual(
      table.map(([, status, ...given]) => verdict(status, given)),
      table.map(([code]) => code),
    )
  })

  await t.test('reads bytes and texts alike, and never throws', () => {
    const part = fc.oneof(
      fc.constantFrom(
        'Connection',
        'content-length',
        'Transfer-Encoding',
        'chunked',
        '5',
        'X-A',
        'x-a',
        'close, x-a',
        'ETag',
        'a',
      ),
      fc.uint8Array({ maxLength: 5 }).map((list) => Buffer.from(list).toString('latin1')),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(part, part), { maxLength: 6 }), (pairs) => {
        const flat = pairs.flat()
        assert.deepEqual(readResponseHead(200, bytes(flat)), readResponseHead(200, flat))
      }),
      { numRuns: 2000 },
    )
  })
})
