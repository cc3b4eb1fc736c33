import assert from 'node:assert/strict'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { after, before, beforeEach, suite, test } from 'node:test'
import type { BodySink } from '../../../src/model/exchange/body.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { Reply } from '../../../src/model/exchange/reply.ts'
import { extProc } from '../../../src/operators/ext-proc/ext-proc.ts'
import type { BodyMode } from '../../../src/operators/ext-proc/processing-mode.ts'
import type { ProcessingRequest } from '../../../src/protocols/grpc/ext-proc.gen.ts'
import { exchange, ManualBody, runAsync } from '../../../src/testing/index.ts'
import type { GrpcService } from '../../../src/upstream/grpc/grpc-client.ts'
import type { Registry } from '../../../src/upstream/registry.ts'
import {
  respondingTo,
  asItIs,
  type Processor,
  serviceAt,
  startProcessor,
  type ProcessorStream,
  unchanged,
} from '../../support/processor.ts'
import { until } from '../../support/stream-body.ts'

const PIECE = Buffer.alloc(65_536, 'a')

/** Reads nothing until it may. */
class Stuck implements BodySink {
  takenBytes = 0
  ended = false
  fault: unknown = undefined
  isStuck = true
  #resume: (() => void) | undefined = undefined

  write(chunk: Uint8Array): boolean {
    this.takenBytes += chunk.length
    return !this.isStuck
  }

  end(): void {
    this.ended = true
  }

  fail(fault: unknown): void {
    this.fault = fault
  }

  onDrain(resume: () => void): void {
    if (this.isStuck) this.#resume = resume
    else resume()
  }

  flow(): void {
    this.isStuck = false
    this.#resume?.()
  }
}

/** Sends until the consumer of the body pauses. */
const fill = async (body: ManualBody): Promise<number> => {
  for (let pieces = 0; pieces < 1_000; pieces++) {
    if (body.paused) return pieces
    body.send(PIECE)
    await setImmediate()
  }
  return assert.fail('nobody held up 64 MB')
}

suite('a body that streams through a processor', () => {
  let processor: Processor
  let registry: Registry
  let service: GrpcService
  before(async () => {
    processor = await startProcessor()
    ;({ service, registry } = serviceAt(processor.port))
  })
  after(async () => {
    await registry.close(0)
    await processor[Symbol.asyncDispose]()
  })
  beforeEach(() => processor.idle())

  const stages = (request: BodyMode, reply: BodyMode) =>
    extProc({
      service,
      messageTimeoutMs: undefined,
      failsOpen: false,
      modes: {
        request: { headers: true, body: request, trailers: true },
        reply: { headers: true, body: reply, trailers: true },
      },
      allowsOverride: false,
      metadataContext: [],
      requestAttributes: [],
      responseAttributes: [],
      resultHeaders: [],
      bufferLimitBytes: 1_000_000,
      limitMs: undefined,
      tracedAs: 'ext proc',
    })

  const upstream = (body: ManualBody) => new Reply(200, new Headers(), body, 'Upstream')

  test('is paused while the processor does not read', async () => {
    const { promise: begun, resolve } = Promise.withResolvers<ProcessorStream>()
    processor.onStream = (talk) => {
      talk.pause()
      resolve(talk)
    }
    const body = new ManualBody()
    const x = exchange({ method: 'POST', body })
    const running = runAsync(stages('fullDuplexStreamed', 'none').request, x)
    const talk = await begun
    const pieces = await fill(body)
    assert.ok(pieces * PIECE.length < 8_000_000, `${pieces} pieces`)
    respondingTo(() => asItIs)(talk)
    talk.resume()
    await running
    const sink = new Stuck()
    sink.flow()
    x.request.body.pipe(sink)
    body.end()
    await until(() => sink.ended, 'the end')
    assert.equal(sink.takenBytes, pieces * PIECE.length)
    x.cancel()
  })

  test('is paused while the client does not read', async () => {
    processor.onStream = respondingTo(() => asItIs)
    const { request, reply } = stages('none', 'fullDuplexStreamed')
    const x = await runAsync(request, exchange())
    const body = new ManualBody()
    x.reply = upstream(body)
    await runAsync(reply, x)
    const sink = new Stuck()
    x.reply.body.pipe(sink)
    const pieces = await fill(body)
    assert.ok(pieces * PIECE.length < 8_000_000, `${pieces} pieces`)
    sink.flow()
    body.end()
    await until(() => sink.ended, 'the end')
    assert.equal(sink.takenBytes, pieces * PIECE.length)
  })

  test('pauses a processor that sends more than it received, while the client does not read', async () => {
    let sentBytes = 0
    let isEnough = false
    processor.onStream = (talk) => {
      const pump = () => {
        let goesOn = true
        while (goesOn) {
          sentBytes += PIECE.length
          const value = { body: PIECE, endOfStream: isEnough }
          const bodyMutation = { mutation: { case: 'streamedResponse' as const, value } }
          goesOn = talk.write({ response: { case: 'responseBody', value: { response: { bodyMutation } } } })
          if (isEnough) return
        }
        talk.once('drain', pump)
      }
      talk.on('data', (message: ProcessingRequest) => {
        if (message.request.case === 'responseBody') pump()
        else talk.write(unchanged(message))
      })
      talk.on('end', () => talk.end())
    }
    const { request, reply } = stages('none', 'fullDuplexStreamed')
    const x = await runAsync(request, exchange())
    const body = new ManualBody()
    x.reply = upstream(body)
    await runAsync(reply, x)
    const sink = new Stuck()
    x.reply.body.pipe(sink)
    body.send('a')
    // Stalled means: no progress for the time in which more than the limit would have been sent.
    for (let still = 0; still < 20;) {
      const before = sentBytes
      await setTimeout(5)
      still = sentBytes === before ? still + 1 : 0
      assert.ok(sentBytes < 16_000_000, 'it is not held up')
    }
    isEnough = true
    sink.flow()
    await until(() => sink.ended, 'the end')
    assert.equal(sink.takenBytes, sentBytes)
    x.cancel()
  })

  test('does not delay the reply to a request that is not read to its end', async () => {
    processor.onStream = respondingTo(() => asItIs)
    const { request, reply } = stages('fullDuplexStreamed', 'none')
    const body = new ManualBody()
    const x = await runAsync(request, exchange({ method: 'POST', body }))
    const sink = new Stuck()
    x.request.body.pipe(sink)
    await fill(body)
    x.reply = upstream(new ManualBody())
    await runAsync(reply, x)
    assert.equal(x.reply.status, 200)
    assert.equal(sink.fault, undefined)
    x.cancel()
  })

  test('is aborted when its source is, and the processor is notified', async () => {
    processor.onStream = respondingTo(() => asItIs)
    const { request, reply } = stages('none', 'fullDuplexStreamed')
    const x = await runAsync(request, exchange())
    const body = new ManualBody()
    x.reply = upstream(body)
    await runAsync(reply, x)
    const sink = new Stuck()
    x.reply.body.pipe(sink)
    body.send('a').fail(new Error('on purpose'))
    await until(() => sink.fault !== undefined, 'the fault')
    assert.equal(sink.ended, false)
    x.cancel()
  })
})
