import { randomUUID } from 'node:crypto'
import { Fault } from '../../../../model/fault.ts'
import type { Closable } from '../../../../upstream/leaving.ts'
import type { HeldCall } from './held-call.ts'

/** Calls that wait for their clients to come again with answers. One that waits too long is given up. */
export class HeldCalls implements Closable {
  readonly #byKey = new Map<string, { readonly call: HeldCall; readonly timer: NodeJS.Timeout }>()
  /** How long a client may take to come again, in milliseconds. */
  readonly ttlMs: number

  constructor(ttlMs = TTL_MS) {
    this.ttlMs = ttlMs
  }

  get size(): number {
    return this.#byKey.size
  }

  /** @throws Fault `mcp_too_many_held`. */
  add(call: HeldCall, key: string = randomUUID()): string {
    if (this.#byKey.size >= HELD_LIMIT) {
      call.cancel()
      throw new Fault('mcp_too_many_held', `mcp: more than ${HELD_LIMIT} calls wait for their clients`, {
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

  /** Takes a call out: an answer is good once. */
  take(key: string): HeldCall | undefined {
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

/** How long a person may take to answer. */
const TTL_MS = 300_000
const HELD_LIMIT = 1_000
