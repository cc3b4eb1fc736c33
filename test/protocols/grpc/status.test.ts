import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeGrpcMessage, grpcStatus, isGrpc } from '../../../src/protocols/grpc/status.ts'

test('isGrpc recognizes the content types of gRPC in any case', () => {
  for (const type of [
    'application/grpc',
    'application/grpc+proto',
    'Application/GRPC; charset=utf-8',
    'application/grpc-web',
  ])
    assert.ok(isGrpc(type), type)
  for (const type of [undefined, '', 'application/json', 'text/application/grpc', 'application/grp'])
    assert.ok(!isGrpc(type), type)
})

test('grpcStatus maps every HTTP status', () => {
  const table = {
    400: 13,
    401: 16,
    403: 7,
    404: 12,
    407: 16,
    429: 14,
    502: 14,
    503: 14,
    504: 14,
    500: 2,
    405: 2,
    413: 2,
    418: 2,
  }
  assert.deepEqual(
    Object.fromEntries(Object.keys(table).map((status) => [status, grpcStatus(Number(status))])),
    table,
  )
})

test('encodeGrpcMessage', async (t) => {
  await t.test('encodes what a field value cannot contain', () => {
    assert.equal(encodeGrpcMessage('no healthy backends: ~!'), 'no healthy backends: ~!')
    assert.equal(encodeGrpcMessage('50 %\r\n größer\u0000'), '50 %25%0D%0A gr%C3%B6%C3%9Fer%00')
  })

  await t.test('is undone by percent-decoding', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const encoded = encodeGrpcMessage(text)
        assert.match(encoded, /^[\x20-\x7e]*$/)
        assert.equal(decodeURIComponent(encoded), text)
      }),
    )
  })
})
