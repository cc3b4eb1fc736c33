import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, type BodySink, emptyBody, type Loan } from '../../src/model/body.ts'
import { overhear } from '../../src/operators/a2a/overheard-body.ts'
import { OneModelBody } from '../../src/operators/backend/llm/one-model-body.ts'
import { PassedWhole } from '../../src/operators/backend/llm/passed-whole.ts'
import { dropTrailers } from '../../src/operators/body/without-trailers.ts'
import { ReplacedBeginning } from '../../src/operators/ext-proc/replaced-beginning.ts'
import { watchBody } from '../../src/pipeline/watch-body.ts'
import { exchange } from '../../src/testing/exchange.ts'
import { TraceRecorder } from '../../src/testing/trace-recorder.ts'

const chunk = Buffer.from('borrowed')

/** A body of one chunk whose memory is wanted back. */
const lent = (loan: Loan): Body => ({
  ...emptyBody,
  lengthBytes: undefined,
  pipe: (to) => {
    to.write(chunk, loan)
    to.end()
  },
})

/** Uses what it is given at once. */
const frugal: BodySink = {
  write: (bytes, loan) => {
    loan?.giveBack(bytes)
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
  'that somebody listens to': (body) => overhear(body, { heard: () => undefined, ended: () => undefined }),
  'that loses its trailers': withoutTrailers,
  'that a trace shows': (body) => watchBody(body, new TraceRecorder(), 'response'),
  'that may name one model': (body) => new OneModelBody(body, 'multipart/form-data; boundary=b'),
  'that tells what it says of itself': (body) => new PassedWhole(body, () => undefined),
  'with another beginning': (body) => new ReplacedBeginning(body, 0, new Uint8Array(0)),
}

test('the memory of a chunk comes back through a body', async (t) => {
  for (const [which, wrap] of Object.entries(wrappers))
    await t.test(which, () => {
      const back: Uint8Array[] = []
      wrap(lent({ giveBack: (bytes) => back.push(bytes) })).pipe(frugal)
      assert.deepEqual(back, [chunk])
    })
})
