import { randomUUID } from 'node:crypto'
import { Fault } from '../../../model/exchange/fault.ts'
import type { Closable } from '../../../upstream/draining.ts'
import type { SuspendedCall } from './suspended-call.ts'

/** Calls that are suspended until the next request of their clients. They are cancelled after `ttlMs`. */
export class SuspendedCalls implements Closable {
  readonly #byKey = new Map<string, { readonly call: SuspendedCall; readonly timer: NodeJS.Timeout }>()
  /** How long a call stays suspended, in milliseconds. */
  readonly ttlMs: number

  constructor(ttlMs = TTL_MS) {
    this.ttlMs = ttlMs
  }

  get size(): number {
    return this.#byKey.size
  }

  /** @throws Fault `mcp_too_many_held`. */
  add(call: SuspendedCall, key: string = randomUUID()): string {
    if (this.#byKey.size >= SUSPENDED_LIMIT) {
      call.cancel()
      throw new Fault('mcp_too_many_held', `mcp: more than ${SUSPENDED_LIMIT} calls wait for their clients`, {
        status: 503,
        reason: 'MCP',
      })
    }
    const timer = setTimeout(() => {
      this.remove(key)
      call.cancel()
    }, this.ttlMs).unref()
    this.#byKey.set(key, { call, timer })
    return key
  }

  /** Removes and returns a call: a request state is good once. */
  take(key: string): SuspendedCall | undefined {
    const call = this.#byKey.get(key)?.call
    this.remove(key)
    return call
  }

  remove(key: string): void {
    clearTimeout(this.#byKey.get(key)?.timer)
    this.#byKey.delete(key)
  }

  close(): Promise<void> {
    return this.destroy()
  }

  destroy(): Promise<void> {
    for (const [key, { call }] of this.#byKey) {
      this.remove(key)
      call.cancel()
    }
    return Promise.resolve()
  }
}

/** Time for a person to respond. */
const TTL_MS = 300_000
const SUSPENDED_LIMIT = 1_000
