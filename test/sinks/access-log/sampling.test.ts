import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyBody } from '../../../src/model/exchange/body.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { Reply } from '../../../src/model/exchange/reply.ts'
import { exchangeFailed, sampler } from '../../../src/sinks/access-log/sampling.ts'
import { exchange } from '../../../src/testing/exchange.ts'

/** Which of a hundred subjects are written; the random numbers are 0, 0.01, 0.02 … */
const written = (share: number | string, keepErrors = true, values: Record<string, unknown> = {}) => {
  let n = -1
  const sample = sampler<number>(
    { share, keepErrors },
    (expression) => () => values[expression],
    (x) => x === 99,
    () => ++n / 100,
  )
  return Array.from({ length: 100 }, (_, i) => i).filter((i) => sample(i))
}

test('a share is written, and failures besides', () => {
  assert.equal(written(0.25, false).length, 25)
  assert.deepEqual(written(0), [99])
  assert.deepEqual(written(0, false), [])
  assert.equal(written(1, false).length, 100)
})

test('an expression returns a share or a boolean', () => {
  const values = { fifth: 0.2, all: 1n, yes: true, no: false }
  assert.equal(written('fifth', false, values).length, 20)
  assert.equal(written('all', false, values).length, 100)
  assert.equal(written('yes', false, values).length, 100)
  assert.deepEqual(written('no', true, values), [99])
})

test('what cannot be evaluated is written', () => {
  assert.equal(written('fails', false).length, 100)
})

test('server errors and incomplete responses are failures', () => {
  const failed = (status: number, grpcStatus?: string, truncatedBy?: string) => {
    const fields = grpcStatus === undefined ? [] : ['grpc-status', grpcStatus]
    const x = exchange({ reply: new Reply(status, new Headers(fields), emptyBody, 'Upstream') })
    x.downstream.truncatedBy = truncatedBy
    return exchangeFailed(x)
  }
  assert.deepEqual(
    [failed(200), failed(404), failed(500), failed(503), failed(200, undefined, 'client left')],
    [false, false, true, true, true],
  )
  assert.deepEqual(
    ['0', '5', '14', '13'].map((status) => failed(200, status)),
    [false, false, true, true],
  )
})
