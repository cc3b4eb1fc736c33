import { create } from '@bufbuild/protobuf'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ExchangeModes, overriddenModes } from '../../../src/operators/ext-proc/processing-mode.ts'
import { ProcessingModeSchema } from '../../../src/protocols/grpc/processing-mode.gen.ts'

const before: ExchangeModes = {
  request: { headers: true, body: 'none', trailers: true },
  reply: { headers: true, body: 'none', trailers: true },
}
const override = (fields: object) => create(ProcessingModeSchema, fields)

test('the processing mode of a response', async (t) => {
  await t.test('to the request headers is about both directions', () => {
    const chosen = override({
      requestBodyMode: 2,
      responseBodyMode: 4,
      responseHeaderMode: 2,
      requestTrailerMode: 2,
    })
    assert.deepEqual(overriddenModes(before, chosen, 'request', false), {
      request: { headers: true, body: 'buffered', trailers: false },
      reply: { headers: false, body: 'fullDuplexStreamed', trailers: true },
    })
  })

  await t.test('to the response headers is about the response only', () => {
    const chosen = override({ requestBodyMode: 2, responseBodyMode: 3, responseHeaderMode: 2 })
    assert.deepEqual(overriddenModes(before, chosen, 'reply', false), {
      request: before.request,
      reply: { headers: true, body: 'bufferedPartial', trailers: true },
    })
  })

  await t.test('does not affect a body that is being streamed', () => {
    const chosen = override({ requestBodyMode: 2, requestTrailerMode: 2, responseBodyMode: 2 })
    assert.deepEqual(overriddenModes(before, chosen, 'request', true), {
      request: before.request,
      reply: { headers: true, body: 'buffered', trailers: true },
    })
    assert.equal(overriddenModes(before, chosen, 'reply', true), before)
  })

  await t.test('ignores unknown values', () => {
    const chosen = override({ requestBodyMode: 77, responseBodyMode: 77, responseHeaderMode: 77 })
    assert.deepEqual(overriddenModes(before, chosen, 'request', false), before)
  })
})
