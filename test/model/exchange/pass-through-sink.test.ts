import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, type BodySink, emptyBody, type BufferLease } from '../../../src/model/exchange/body.ts'
import { tapEvents } from '../../../src/operators/a2a/tapped-body.ts'
import { SingleModelForm } from '../../../src/operators/llm/request/single-model-form.ts'
import { PassthroughBody } from '../../../src/operators/llm/reply/passthrough-body.ts'
import { dropTrailers } from '../../../src/operators/body/strip-trailers.ts'
import { ReplacedPrefixBody } from '../../../src/operators/ext-proc/replaced-prefix-body.ts'
import { watchBody } from '../../../src/pipeline/tap-body.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { TraceRecorder } from '../../../src/testing/trace-recorder.ts'

const chunk = Buffer.from('borrowed')

/** A body of one chunk with memory to release. */
const lent = (loan: BufferLease): Body => ({
  ...emptyBody,
  lengthBytes: undefined,
  pipe: (to) => {
    to.write(chunk, loan)
    to.end()
  },
})

/** Consumes chunks at once. */
const frugal: BodySink = {
  write: (bytes, loan) => {
    loan?.release(bytes)
    return true
  },
  end: () => undefined,
  fail: () => undefined,
  onDrain: () => undefined,
}

const withoutTrailers = (body: Body): Body => {
  const { request } = exchange({ method: 'POST', body })
  dropTrailers(request, () => true)
  return request.body
}

const wrappers: Readonly<Record<string, (body: Body) => Body>> = {
  'that is observed': (body) => tapEvents(body, { onChunk: () => undefined, onEnd: () => undefined }),
  'that loses its trailers': withoutTrailers,
  'that a trace shows': (body) => watchBody(body, new TraceRecorder(), 'response'),
  'that may name one model': (body) => new SingleModelForm(body, 'multipart/form-data; boundary=b'),
  'that is inspected for attributes': (body) => new PassthroughBody(body, () => undefined),
  'with another beginning': (body) => new ReplacedPrefixBody(body, 0, new Uint8Array(0)),
}

test('the memory of a chunk is released through a body', async (t) => {
  for (const [which, wrap] of Object.entries(wrappers))
    await t.test(which, () => {
      const back: Uint8Array[] = []
      wrap(lent({ release: (bytes) => back.push(bytes) })).pipe(frugal)
      assert.deepEqual(back, [chunk])
    })
})
