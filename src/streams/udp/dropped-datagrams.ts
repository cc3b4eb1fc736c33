import type { PortHooks } from '../http/port/port-hooks.ts'
import type { DatagramDropReason, DropLabels } from './datagram-drop.ts'

/** At most one line for a reason in this time: clients decide how many datagrams there are. */
const QUIET_MS = 10_000

/** Counts dropped datagrams in the metrics, and logs the first one of a kind at once, others as a sum. */
export class DroppedDatagrams {
  readonly #hooks: PortHooks
  readonly #pending = new Map<DatagramDropReason, number>()
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(hooks: PortHooks) {
    this.#hooks = hooks
  }

  record(
    reason: DatagramDropReason,
    labels: DropLabels,
    fields: Readonly<Record<string, unknown>> = {},
  ): void {
    this.#hooks.connections?.datagramDropped?.(labels, reason)
    const pending = this.#pending.get(reason)
    if (pending !== undefined) {
      this.#pending.set(reason, pending + 1)
      return
    }
    this.#pending.set(reason, 0)
    this.#log(reason, labels.bind, 1, fields)
    this.#timer ??= setInterval(() => this.#logPending(labels.bind), QUIET_MS).unref()
  }

  /** Logs what is left. */
  stop(bind: string): void {
    this.#logPending(bind)
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #logPending(bind: string): void {
    for (const [reason, count] of this.#pending) {
      if (count > 0) this.#log(reason, bind, count, {})
      // The next one after a quiet time is logged at once again.
      if (count > 0) this.#pending.set(reason, 0)
      else this.#pending.delete(reason)
    }
    if (this.#pending.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #log(
    reason: DatagramDropReason,
    bind: string,
    count: number,
    fields: Readonly<Record<string, unknown>>,
  ): void {
    this.#hooks.warn?.('datagrams are dropped', { bind, reason, count, ...fields })
  }
}
