import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchSettings } from '../../model/resources/process-settings.ts'
import type { OtlpFailure, OtlpResponse, SendOtlp } from '../../model/tracing/otlp-transport.ts'

/** Why records were not sent, as in metrics. */
export type DropReason = 'queue_full' | 'too_many' | 'not_encodable' | 'shutdown'

/** Callbacks for metrics and log. */
export interface ExportEvents {
  exported(count: number): void
  dropped(count: number, reason: DropReason): void
  /** An export was given up: these records are lost. */
  failed(count: number, reason: OtlpFailure): void
  /** The collector took some records only. */
  partlyRejected(count: number, message: string): void
  /** Records could not be encoded: the first failure, and the first after a success. */
  encodingFailed(error: unknown): void
  /** The first failure after a success, and the first success after failures. */
  reachabilityChanged(error: string | undefined): void
}

/** Encodes records, each message with those of one slice. */
export type EncodeRecords<T> = (records: readonly T[]) => Uint8Array

/** What a queue is made of. */
export interface ExportQueueOptions<T> {
  readonly limits: BatchSettings
  readonly events: ExportEvents
  /** Loads the encoder; called with the first batch. */
  readonly load: () => Promise<EncodeRecords<T>>
  /** Gives 0 ≤ number < 1, for delays between attempts. */
  readonly random?: () => number
  /** The delay before the second attempt; each later one is half as long again. */
  readonly firstRetryMs?: number
}

/**
 * A bounded queue of records for a collector. Adding one costs an array slot; everything else happens in batches, one
 * at a time, off the stack of any request. A collector that is slow or gone makes the queue full, and further records
 * are dropped and counted.
 */
export class ExportQueue<T> {
  readonly #options: ExportQueueOptions<T>
  #records: T[] = []
  #send: SendOtlp | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined
  #running: Promise<void> | undefined = undefined
  /** Ends the delay before the next attempt. */
  #wake: (() => void) | undefined = undefined
  #isFailing = false
  #isEncodingFailing = false
  #isClosing = false
  readonly #abort = new AbortController()

  constructor(options: ExportQueueOptions<T>) {
    this.#options = options
  }

  /** Records that wait, without those that are being sent. */
  get length(): number {
    return this.#records.length
  }

  /** The collector from the next attempt on; records that wait go there. Undefined: the one before gets the rest. */
  set collector(send: SendOtlp | undefined) {
    if (send) this.#send = send
    else if (this.#records.length > 0) this.#start()
  }

  /** Adds a record; of a full or closing queue, it is dropped and counted. */
  push(record: T): void {
    const { limits, events } = this.#options
    if (this.#isClosing) events.dropped(1, 'shutdown')
    else if (this.#records.length >= limits.maxQueueSize) events.dropped(1, 'queue_full')
    else if (this.#records.push(record) >= limits.maxExportBatchSize) this.#start()
    else this.#timer ??= setTimeout(() => this.#start(), limits.scheduleDelayMs).unref()
  }

  /** Counts records that were not even added. */
  drop(count: number, reason: DropReason): void {
    this.#options.events.dropped(count, reason)
  }

  /** Exports what waits, and ends. What is not exported by the deadline is dropped. */
  async close(deadlineMs: number): Promise<void> {
    this.#isClosing = true
    const deadline = setTimeout(() => this.#abort.abort(), deadlineMs)
    this.#wake?.()
    this.#start()
    await this.#running
    clearTimeout(deadline)
    if (this.#records.length > 0) this.#options.events.dropped(this.#records.length, 'shutdown')
    this.#records = []
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#records.length > 0 && !this.#isClosing)
        this.#timer ??= setTimeout(() => this.#start(), this.#options.limits.scheduleDelayMs).unref()
    })
  }

  async #run(): Promise<void> {
    const { maxExportBatchSize } = this.#options.limits
    // The record that filled a batch was added on the stack of a request.
    await nextTurn()
    let isFirst = true
    while (this.#records.length > 0 && !this.#abort.signal.aborted) {
      // Fewer than a batch may still grow.
      if (!isFirst && this.#records.length < maxExportBatchSize && !this.#isClosing) return
      isFirst = false
      await this.#export(this.#records.splice(0, maxExportBatchSize))
    }
  }

  async #export(batch: readonly T[]): Promise<void> {
    const { events } = this.#options
    const messages = await this.#encode(batch).catch((error: unknown) => this.#recordEncoding(error))
    if (!messages) {
      events.dropped(batch.length, 'not_encodable')
      return
    }
    this.#isEncodingFailing = false
    for (let attempt = 1; ; attempt++) {
      const response = await this.#attempt(messages)
      this.#recordReachability(response)
      if (response.ok) {
        const rejected = Math.min(batch.length, response.partialSuccess?.rejected ?? 0)
        events.exported(batch.length - rejected)
        if (response.partialSuccess) events.partlyRejected(rejected, response.partialSuccess.message)
        return
      }
      if (!response.mayRetry || attempt >= MAX_ATTEMPTS || this.#isClosing) {
        events.failed(batch.length, response.reason)
        return
      }
      await this.#delay(attempt, response.retryAfterMs)
    }
  }

  /** In slices, so that no turn of the event loop takes long. */
  async #encode(batch: readonly T[]): Promise<Uint8Array[]> {
    const encode = await this.#options.load()
    const messages: Uint8Array[] = []
    for (let i = 0; i < batch.length; i += SLICE) {
      if (i > 0) await nextTurn()
      messages.push(encode(batch.slice(i, i + SLICE)))
    }
    return messages
  }

  async #attempt(messages: readonly Uint8Array[]): Promise<OtlpResponse> {
    const { signal } = this.#abort
    return (
      (await this.#send?.({ messages, signal })) ?? {
        ok: false,
        reason: 'unreachable',
        error: 'no collector',
        mayRetry: false,
      }
    )
  }

  /** Every batch may fail for the same reason, which is reported once. */
  #recordEncoding(error: unknown): undefined {
    if (!this.#isEncodingFailing) this.#options.events.encodingFailed(error)
    this.#isEncodingFailing = true
  }

  #recordReachability(response: OtlpResponse): void {
    if (response.ok === !this.#isFailing) return
    this.#isFailing = !response.ok
    this.#options.events.reachabilityChanged(response.ok ? undefined : response.error)
  }

  async #delay(attempt: number, requestedMs: number | undefined): Promise<void> {
    const { random = Math.random, firstRetryMs = FIRST_RETRY_MS } = this.#options
    // Jitter, so that several gateways do not come back together.
    const usualMs = firstRetryMs * 1.5 ** (attempt - 1) * (0.8 + 0.4 * random())
    const delayMs = Math.min(MAX_DELAY_MS, requestedMs ?? usualMs)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs).unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
  }
}

const MAX_ATTEMPTS = 5
const FIRST_RETRY_MS = 1_000
const MAX_DELAY_MS = 30_000
/** Encoding takes some 15 µs a span. */
const SLICE = 64
