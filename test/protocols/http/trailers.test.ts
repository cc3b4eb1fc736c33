import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldSpelling } from '../../../src/protocols/http/header-case.ts'
import { isForbiddenTrailer, readTrailers } from '../../../src/protocols/http/trailers.ts'

test('trailers', async (t) => {
  await t.test('are kept with lower-case names if they are plain fields', () => {
    const raw = ['X-Checksum', 'abc', 'grpc-status', '0', 'Server-Timing', 'a', 'X-Checksum', 'def']
    assert.deepEqual(readTrailers(raw), [
      'x-checksum',
      'abc',
      'grpc-status',
      '0',
      'server-timing',
      'a',
      'x-checksum',
      'def',
    ])
  })

  await t.test('are refused if one is for framing, routing, authentication or content', () => {
    const names = [
      ...[
        'Content-Length',
        'TRANSFER-ENCODING',
        'Host',
        'Trailer',
        'Connection',
        'Upgrade',
        'TE',
        'Expect',
        'Range',
      ],
      ...[
        'Authorization',
        'Proxy-Authorization',
        'Cookie',
        'Set-Cookie',
        'WWW-Authenticate',
        'Content-Type',
        'Content-Encoding',
      ],
      ...[
        'Content-Range',
        'If-Match',
        'Cache-Control',
        'Max-Forwards',
        'X-Forwarded-For',
        'Forwarded',
        ':path',
        'content_length',
      ],
    ]
    assert.deepEqual(names.filter(isForbiddenTrailer), names)
    for (const name of names.filter((one) => !one.startsWith(':')))
      assert.equal(
        (readTrailers(['X-A', '1', name, '1']) as { refused: string }).refused,
        'forbidden_trailer',
        name,
      )
  })

  await t.test('are refused if they are malformed', () => {
    assert.equal((readTrailers(['a b', '1']) as { refused: string }).refused, 'malformed_field_name')
    assert.equal((readTrailers([':path', '1']) as { refused: string }).refused, 'malformed_field_name')
    assert.equal((readTrailers(['a', '\u0000']) as { refused: string }).refused, 'malformed_field_value')
  })
})

test('fieldSpelling caches the first spelling of each name, from texts and bytes', () => {
  const raw = ['X-Api', '1', 'x-api', '2', 'HOST', 'a']
  const expected = new Map([
    ['x-api', 'X-Api'],
    ['host', 'HOST'],
  ])
  assert.deepEqual(fieldSpelling(raw), expected)
  assert.deepEqual(fieldSpelling(raw.map((part) => Buffer.from(part))), expected)
})
