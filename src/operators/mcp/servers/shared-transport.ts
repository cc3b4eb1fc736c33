import type { Transport } from '../../../upstream/mcp/transport.ts'
import type { Era } from './protocol-era.ts'

/** Makes transports to one server. */
export interface TransportFactory {
  /** A new transport. Nothing is connected before its first use. */
  createTransport(era: Era): Transport
}

/** The transport to a server without sessions, which all clients share. A program is ended after an idle time. */
export class SharedTransport {
  readonly #idleMs: number
  #transport: Transport | undefined = undefined
  #usedAtMs = 0
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(idleMs: number) {
    this.#idleMs = Math.max(idleMs, SHORTEST_IDLE_MS)
  }

  /**
   * The transport for one use, begun at once. A closed one is replaced here only: an earlier user may notice the
   * failure after the next transport began.
   */
  get(target: TransportFactory): Transport {
    if (this.#transport?.closed) this.drop()
    this.#usedAtMs = Date.now()
    const transport = (this.#transport ??= target.createTransport('modern'))
    if (transport.isIdle !== undefined && !this.#timer) this.#startTimer(this.#idleMs)
    return transport
  }

  /** The transport, which is no longer shared. */
  take(): Transport | undefined {
    const transport = this.#transport
    this.#transport = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
    return transport
  }

  /** Closes it. */
  drop(): void {
    this.take()?.close(undefined)
  }

  #startTimer(ms: number): void {
    if (ms > LONGEST_TIMER_MS) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#dropIfUnused()
    }, ms).unref()
  }

  #dropIfUnused(): void {
    const restMs = this.#usedAtMs + this.#idleMs - Date.now()
    if (restMs > 0) this.#startTimer(restMs)
    else if (this.#transport?.isIdle === false) this.#startTimer(this.#idleMs)
    else this.drop()
  }
}

/** Guards may run between the choice of the transport and the call. */
const SHORTEST_IDLE_MS = 10_000

/** Longer timers would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
