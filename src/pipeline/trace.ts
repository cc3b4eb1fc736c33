import { Observable } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { TraceSource as TraceModel } from '../model/trace/probe.ts'
import { Redaction } from '../model/trace/redact.ts'
import type { TraceEvent } from '../model/trace/trace-event.ts'
import { ExchangeProbe } from './probe.ts'
import { type Watch, Watcher } from './trace-subscriber.ts'

export type { Watch } from './trace-subscriber.ts'

/**
 * The trace of exchanges. Subscribers are chosen when an exchange is admitted: every subscriber whose filter matches
 * sees all of it or nothing. Without subscribers the cost is one comparison.
 *
 * @example
 * const trace = new Trace()
 * trace.events$.subscribe((event) => console.log(event.requestId, event.message.type))
 */
export class Trace implements TraceModel {
  /**
   * Events of every exchange that begins while subscribed, without bodies and with credentials redacted. They come in
   * batches, some milliseconds late, and never on the stack of a request.
   */
  readonly events$: Observable<TraceEvent>
  readonly #redaction: Redaction
  /** Replaced, never changed: probes keep the one they were made with. */
  #watchers: readonly Watcher[] = []
  #touched: ExchangeProbe[] = []
  #timer: NodeJS.Timeout | undefined = undefined
  /** All that still receive events, open to new exchanges or not. */
  readonly #live = new Set<Watcher>()

  /** @param redaction Redacts credentials; the default covers the usual names. */
  constructor(redaction: Redaction = new Redaction()) {
    this.#redaction = redaction
    this.events$ = new Observable((out) =>
      this.watch({
        count: Infinity,
        receive: (batches) => {
          for (const batch of batches) for (const event of batch.events(false)) out.next(event)
        },
        done: () => out.complete(),
      }),
    )
  }

  probe(x: Exchange): ExchangeProbe | undefined {
    return this.#watchers.length === 0 ? undefined : this.#admit(x)
  }

  /** Subscribes to the trace. Returns a function that ends it. */
  watch(watch: Watch): () => void {
    const watcher = new Watcher(watch)
    this.#live.add(watcher)
    this.#watchers = [...this.#watchers, watcher]
    return () => {
      watcher.stop()
      this.#live.delete(watcher)
      this.#watchers = this.#watchers.filter((one) => one !== watcher)
    }
  }

  /** Number of subscribers open to new exchanges. */
  get watching(): number {
    return this.#watchers.length
  }

  /** To be called once an exchange has ended. */
  ended(x: Exchange): void {
    if (x.probe instanceof ExchangeProbe) x.probe.finish()
  }

  /** Delivers pending events immediately. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const probes = this.#touched
    this.#touched = []
    const receivers = new Set<Watcher>()
    for (const probe of probes) {
      const batch = probe.take()
      for (const watcher of probe.audience) {
        watcher.enqueue(batch, probe.ended)
        receivers.add(watcher)
      }
    }
    for (const watcher of receivers) {
      watcher.deliver()
      if (watcher.isDone) this.#end(watcher)
    }
  }

  /** Ends every subscription. */
  close(): void {
    this.flush()
    this.#watchers = []
    for (const watcher of this.#live) this.#end(watcher)
  }

  #end(watcher: Watcher): void {
    this.#live.delete(watcher)
    watcher.end()
  }

  #admit(x: Exchange): ExchangeProbe | undefined {
    const audience = this.#watchers.filter((watcher) => watcher.matches(x))
    if (audience.length === 0) return undefined
    for (const watcher of audience) watcher.admit()
    if (audience.some((watcher) => !watcher.isOpen))
      this.#watchers = this.#watchers.filter((watcher) => watcher.isOpen)
    return new ExchangeProbe(x, audience, this.#redaction, this.#touch)
  }

  readonly #touch = (probe: ExchangeProbe): void => {
    this.#touched.push(probe)
    this.#timer ??= setTimeout(() => this.flush(), flushAfterMs)
  }
}

/** Long enough to encode and write once for many requests under load, too short to be noticed. */
const flushAfterMs = 10
