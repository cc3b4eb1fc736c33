import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { BufferBody } from '../../../src/model/exchange/body.ts'
import { Reply } from '../../../src/model/exchange/reply.ts'
import { extProc, type ExtProcOptions } from '../../../src/operators/ext-proc/ext-proc.ts'
import { configuredModes } from '../../../src/operators/ext-proc/processing-mode.ts'
import type { GrpcService } from '../../../src/upstream/grpc/grpc-client.ts'
import type { Registry } from '../../../src/upstream/registry.ts'
import { exchange, operatorLaws, runAsync } from '../../../src/testing/index.ts'
import {
  respondingTo,
  asItIs,
  casesOf,
  type Processor,
  serviceAt,
  startProcessor,
} from '../../support/processor.ts'

suite('extProc', () => {
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
  beforeEach(async () => {
    await processor.idle()
    processor.received.length = 0
    processor.onStream = respondingTo(() => asItIs)
  })

  const stages = (options: Partial<ExtProcOptions> = {}, body: 'none' | 'buffered' = 'none') =>
    extProc({
      service,
      messageTimeoutMs: undefined,
      failsOpen: false,
      modes: configuredModes({
        requestBodyMode: body,
        responseBodyMode: body,
        requestHeaderMode: 'send',
        responseHeaderMode: 'send',
        requestTrailerMode: 'send',
        responseTrailerMode: 'send',
        allowModeOverride: false,
      }),
      allowsOverride: false,
      metadataContext: [],
      requestAttributes: [],
      responseAttributes: [],
      resultHeaders: [],
      bufferLimitBytes: 1_000,
      limitMs: undefined,
      tracedAs: 'ext proc',
      ...options,
    })

  test('obeys the laws of operators in its request stage', async () => {
    await operatorLaws(() => stages().request, { parks: true })
    // The exchanges of the laws do not report a disconnected client.
    processor.hangUp()
  })
  test('obeys the laws of operators in its reply stage', () => operatorLaws(() => stages().reply))

  test('sends the request and lets it pass', async () => {
    const { request, reply } = stages()
    const x = await runAsync(
      request,
      exchange({ path: '/a?b=1', headers: { 'x-a': '1', host: 'gateway.test' } }),
    )
    x.reply = new Reply(200, new Headers(['x-b', '2']), new BufferBody('hello'), 'Upstream')
    await runAsync(reply, x)
    assert.deepEqual(casesOf(processor.received), ['requestHeaders', 'responseHeaders'])
    await processor.idle()
  })
})
