import type { BatchSettings } from '../../model/resources/process-settings.ts'
import type { Snapshot } from '../../model/resources/snapshot.ts'
import type { Collector } from '../../model/tracing/otlp-transport.ts'
import type { SpanAttributes } from '../../model/tracing/span.ts'
import type { SpanOrigin } from './encode-spans.ts'
import { type EncodeRecords, type ExportEvents, ExportQueue } from './export-queue.ts'

/** What the queues of one signal are made of. */
export interface CollectorQueuesOptions<T> extends Pick<SpanOrigin, 'clock' | 'version'> {
  readonly limits: BatchSettings
  readonly events: () => ExportEvents
  /** Loads the encoder. */
  readonly load: (origin: SpanOrigin) => Promise<EncodeRecords<T>>
  readonly resourceOf: (collector: Collector, snapshot: Snapshot) => SpanAttributes
}

/**
 * The queues of one signal: one for the policy of the process, one for each attached policy. Each is kept while there is
 * a policy with its key; nothing is loaded before the first.
 */
export class CollectorQueues<T> {
  readonly #signal: Collector['signal']
  readonly #options: CollectorQueuesOptions<T>
  #byKey = new Map<string, CollectorQueue<T>>()
  /** Exchanges find their queue by the policy under which they began, after it was replaced too. */
  readonly #byPolicy = new WeakMap<object, ExportQueue<T>>()
  /** Without a policy, with records that still wait. */
  #retired: readonly ExportQueue<T>[] = []

  /** The policy looked up last, which most exchanges share. */
  #last: object | undefined = undefined
  #ofLast: ExportQueue<T> | undefined = undefined

  constructor(signal: Collector['signal'], options: CollectorQueuesOptions<T>) {
    this.#signal = signal
    this.#options = options
  }

  /** Sends to the collectors of a configuration from now on. What waits is sent there as well. */
  apply(snapshot: Snapshot): void {
    const next = new Map<string, CollectorQueue<T>>()
    for (const collector of snapshot.collectors ?? []) {
      if (collector.signal !== this.#signal) continue
      const { key, policy, send } = collector
      const one = next.get(key) ?? this.#byKey.get(key) ?? this.#newQueue()
      one.resource = this.#options.resourceOf(collector, snapshot)
      one.queue.collector = send
      next.set(key, one)
      this.#byPolicy.set(policy, one.queue)
    }
    const left = [...this.#byKey].filter(([key]) => !next.has(key)).map(([, { queue }]) => queue)
    for (const queue of left) queue.collector = undefined
    this.#retired = [...this.#retired, ...left].filter(({ length }) => length > 0)
    this.#byKey = next
    this.#last = undefined
  }

  /** The queue of a policy. */
  of(policy: object): ExportQueue<T> | undefined {
    if (policy !== this.#last) {
      this.#last = policy
      this.#ofLast = this.#byPolicy.get(policy)
    }
    return this.#ofLast
  }

  /** Exports what waits, and drops what is not exported by the deadline. */
  async close(deadlineMs: number): Promise<void> {
    const queues = [...[...this.#byKey.values()].map(({ queue }) => queue), ...this.#retired]
    await Promise.all(queues.map((queue) => queue.close(deadlineMs)))
  }

  #newQueue(): CollectorQueue<T> {
    const { limits, events, load, clock, version } = this.#options
    const origin = { clock, version, resource: (): SpanAttributes => made.resource }
    const queue = new ExportQueue<T>({ limits, events: events(), load: once(() => load(origin)) })
    const made: CollectorQueue<T> = { resource: {}, queue }
    return made
  }
}

/** A queue, and the resource that its records are of. */
interface CollectorQueue<T> {
  resource: SpanAttributes
  readonly queue: ExportQueue<T>
}

/** Loads until it succeeds, once. */
const once = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loaded: Promise<T> | undefined
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw error
    }))
}
