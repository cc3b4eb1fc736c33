import { Observable } from 'rxjs'
import type { Exchange } from '../model/exchange/exchange.ts'
import type { TraceSource as TraceModel } from '../model/trace/probe.ts'
import { Redaction } from '../model/trace/redact.ts'
import type { TraceEvent } from '../model/trace/trace-event.ts'
import { ExchangeProbe } from './probe.ts'
import { type Watch, Watcher } from './trace-subscriber.ts'

export type { Watch } from './trace-subscriber.ts'

/**
 * Who watches exchanges. Whether anybody does is settled when an exchange is admitted: every watcher whose filter fits
 * sees all of it or nothing, and without watchers it is one comparison.
 *
 * @example
 * const trace = new Trace()
 * trace.events$.subscribe((event) => console.log(event.requestId, event.message.type))
 */
export class Trace implements TraceModel {
  /**
   * Events of every exchange that begins while subscribed, bodies not included. Credentials are taken out. They come in
   * batches, some milliseconds after they happened, and never on the stack of a request.
   */
  readonly events$: Observable<TraceEvent>
  readonly #redaction: Redaction
  /** Replaced, never changed: probes keep the one they were made with. */
  #watchers: readonly Watcher[] = []
  #touched: ExchangeProbe[] = []
  #timer: NodeJS.Timeout | undefined = undefined
  /** Those that still get events, be they open to new exchanges or not. */
  readonly #live = new Set<Watcher>()

  /** @param redaction What to take out; the default knows the usual names. */
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

  /** Begins to watch. Returns what ends it. */
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

  /** How many watchers still take new exchanges. */
  get watching(): number {
    return this.#watchers.length
  }

  /** To be called with every exchange that ended. */
  ended(x: Exchange): void {
    if (x.probe instanceof ExchangeProbe) x.probe.finish()
  }

  /** Hands over at once what watchers would get within milliseconds. */
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

  /** Ends every watch: nobody gets anything any more. */
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

/** Long enough for a busy gateway to encode and write once for many requests, too short for a person to notice. */
const flushAfterMs = 10
