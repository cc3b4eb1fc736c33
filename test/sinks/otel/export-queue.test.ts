import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OtlpRequest, OtlpResponse } from '../../../src/model/tracing/otlp-transport.ts'
import { type ExportEvents, ExportQueue } from '../../../src/sinks/otel/export-queue.ts'

const success: OtlpResponse = { ok: true, partialSuccess: undefined }
const busy: OtlpResponse = { ok: false, reason: 'unavailable', error: 'status 503', mayRetry: true }
const limits = { maxQueueSize: 8, maxExportBatchSize: 4, scheduleDelayMs: 5 }

/** A queue of numbers, and everything that it reports. */
const queueOf = (
  respond: (attempt: number, request: OtlpRequest) => OtlpResponse | Promise<OtlpResponse>,
) => {
  const log: string[] = []
  const sent: number[][] = []
  let wake: () => void = () => undefined
  const record = (text: string): void => {
    log.push(text)
    wake()
  }
  const events: ExportEvents = {
    exported: (count) => record(`exported ${count}`),
    dropped: (count, reason) => record(`dropped ${count} ${reason}`),
    failed: (count, reason) => record(`failed ${count} ${reason}`),
    partlyRejected: (count, message) => record(`rejected ${count} ${message}`),
    encodingFailed: (error) => record(`not encoded: ${String(error)}`),
    reachabilityChanged: (error) => record(error ?? 'reachable'),
  }
  const queue = new ExportQueue<number>({
    limits,
    events,
    load: () => Promise.resolve((records) => Uint8Array.from(records)),
    random: () => 0.5,
    firstRetryMs: 1,
  })
  const send = (request: OtlpRequest): Promise<OtlpResponse> => {
    sent.push(request.messages.flatMap((message) => [...message]))
    return Promise.resolve(respond(sent.length, request))
  }
  queue.collector = send
  const until = async (text: string): Promise<void> => {
    while (!log.includes(text)) await new Promise<void>((resolve) => (wake = resolve))
  }
  return { queue, log, sent, until }
}

test('a queue of records', async (t) => {
  await t.test('is sent when a batch is full, and after a delay', async () => {
    const { queue, sent, until } = queueOf(() => success)
    for (const record of [1, 2, 3, 4]) queue.push(record)
    await until('exported 4')
    queue.push(5)
    await until('exported 1')
    assert.deepEqual(sent, [[1, 2, 3, 4], [5]])
  })

  await t.test('repeats what may succeed later, with what it is', async () => {
    const { queue, log, sent, until } = queueOf((attempt) => (attempt < 3 ? busy : success))
    queue.push(1)
    await until('exported 1')
    assert.deepEqual(sent, [[1], [1], [1]])
    assert.deepEqual(log, ['status 503', 'reachable', 'exported 1'])
  })

  await t.test('gives up after five attempts', async () => {
    const { queue, sent, until } = queueOf(() => busy)
    queue.push(1)
    await until('failed 1 unavailable')
    assert.equal(sent.length, 5)
  })

  await t.test('does not repeat what was rejected', async () => {
    const { queue, sent, until } = queueOf(() => ({
      ok: false,
      reason: 'rejected',
      error: 'status 400',
      mayRetry: false,
    }))
    queue.push(1)
    await until('failed 1 rejected')
    assert.equal(sent.length, 1)
  })

  await t.test('drops records beyond its size, whatever the collector does', async () => {
    const { promise, resolve } = Promise.withResolvers<OtlpResponse>()
    const { queue, log, until } = queueOf((attempt) => (attempt === 1 ? promise : success))
    for (let record = 0; record < 4; record++) queue.push(record)
    await new Promise((done) => setImmediate(() => setImmediate(done)))
    for (let record = 4; record < 15; record++) queue.push(record)
    assert.equal(queue.length, 8)
    assert.equal(log.filter((text) => text === 'dropped 1 queue_full').length, 3)
    resolve(success)
    await until('exported 4')
    await queue.close(1_000)
    assert.equal(log.filter((text) => text === 'exported 4').length, 3)
  })

  await t.test('sends the rest when it closes, and nothing after its deadline', async () => {
    const { queue, sent, log } = queueOf(() => success)
    for (const record of [1, 2, 3]) queue.push(record)
    await queue.close(1_000)
    queue.push(4)
    assert.deepEqual([sent, log], [[[1, 2, 3]], ['exported 3', 'dropped 1 shutdown']])
    const aborted: OtlpResponse = { ok: false, reason: 'unreachable', error: 'aborted', mayRetry: false }
    const dead = queueOf(
      (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(aborted))
        }),
    )
    for (let record = 0; record < 6; record++) dead.queue.push(record)
    while (dead.sent.length === 0) await new Promise(setImmediate)
    await dead.queue.close(20)
    assert.deepEqual(dead.log, ['aborted', 'failed 4 unreachable', 'dropped 2 shutdown'])
  })

  await t.test('goes to the next collector after a reload', async () => {
    const { queue, sent, log, until } = queueOf(() => busy)
    const other: number[][] = []
    queue.push(1)
    await until('status 503')
    queue.collector = ({ messages }) => {
      other.push(messages.flatMap((message) => [...message]))
      return Promise.resolve(success)
    }
    await until('exported 1')
    assert.deepEqual(other, [[1]])
    assert.ok(sent.length < 5 && !log.includes('failed 1 unavailable'))
  })

  await t.test('drops batches that cannot be encoded, and reports the reason once', async () => {
    const log: string[] = []
    const events = new Proxy({} as ExportEvents, {
      get: (_, name) => (what: unknown) => log.push(`${String(name)} ${String(what)}`),
    })
    const queue = new ExportQueue<number>({
      limits,
      events,
      load: () => Promise.reject(new Error('no module')),
    })
    queue.collector = () => Promise.resolve(success)
    for (let record = 0; record < 5; record++) queue.push(record)
    await queue.close(1_000)
    assert.deepEqual(log, ['encodingFailed Error: no module', 'dropped 4', 'dropped 1'])
  })
})
