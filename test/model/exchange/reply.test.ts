import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyBody } from '../../../src/model/exchange/body.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { Reply } from '../../../src/model/exchange/reply.ts'

const grpcStatusOf = (headers: string[], trailers?: readonly string[]): number | undefined => {
  const reply = new Reply(200, new Headers(headers), emptyBody, 'Upstream')
  reply.trailers = trailers
  return reply.grpcStatus
}

test('the gRPC status of a reply', async (t) => {
  await t.test('is that of the head', () => {
    assert.equal(grpcStatusOf(['grpc-status', '7']), 7)
  })
  await t.test('is that of the trailers, once they have arrived', () => {
    assert.equal(grpcStatusOf([]), undefined)
    assert.equal(grpcStatusOf([], ['x-a', '1', 'grpc-status', '13', 'grpc-message', 'no']), 13)
  })
  await t.test('is that of the head if both have one', () => {
    assert.equal(grpcStatusOf(['grpc-status', '0'], ['grpc-status', '2']), 0)
  })
  await t.test('is absent if it is not a number', () => {
    assert.equal(grpcStatusOf(['grpc-status', 'ok'], ['grpc-status', '1']), undefined)
    assert.equal(grpcStatusOf([], ['grpc-status', '']), undefined)
    assert.equal(grpcStatusOf([], ['grpc-status', '-1']), undefined)
  })
})
