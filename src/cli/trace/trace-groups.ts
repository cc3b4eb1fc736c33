import type { TraceEvent } from '../../model/trace/trace-event.ts'

/** Bounds what a stream may keep in memory. */
export interface TraceGroupLimits {
  /** Requests; the oldest is forgotten first. Default 1,000. */
  readonly maxRequests?: number
  /** Events of a request. Default 10,000. */
  readonly maxEvents?: number
}

/** The events of one request, in their order. */
export interface TraceGroup {
  /** From 1, in the order in which requests arrived. */
  readonly number: number
  readonly events: readonly TraceEvent[]
  readonly isFinished: boolean
}

/** Groups the events of a stream by request. */
export class TraceGroups {
  readonly #maxRequests: number
  readonly #maxEvents: number
  readonly #groups = new Map<string, { number: number; events: TraceEvent[]; isFinished: boolean }>()
  #count = 0
  /** Events that the stream lost. */
  lost = 0

  constructor({ maxRequests = 1000, maxEvents = 10_000 }: TraceGroupLimits = {}) {
    this.#maxRequests = maxRequests
    this.#maxEvents = maxEvents
  }

  /** All groups, the oldest first. */
  get all(): readonly TraceGroup[] {
    return [...this.#groups.values()]
  }

  /** Adds an event, and returns the group that it belongs to; undefined for one of no request. */
  add(event: TraceEvent): TraceGroup | undefined {
    const { message } = event
    if (message.type === 'dropped') {
      this.lost += message.count
      return undefined
    }
    const group = this.#groupOf(event)
    if (group.events.length < this.#maxEvents) group.events.push(event)
    else this.lost++
    if (message.type === 'requestFinished') group.isFinished = true
    return group
  }

  /** Streams of gateways without ids have one request after the other. */
  #groupOf({ requestId, message }: TraceEvent): {
    number: number
    events: TraceEvent[]
    isFinished: boolean
  } {
    const id = (requestId as string | undefined) ?? ''
    const known = this.#groups.get(id)
    if (known && !(message.type === 'requestStarted' && known.events.length > 0)) return known
    if (known) {
      // The same id again: another request of a stream without ids, or a gateway that was restarted.
      this.#groups.delete(id)
      this.#groups.set(`${id}#${String(known.number)}`, known)
    }
    const group = { number: ++this.#count, events: [], isFinished: false }
    this.#groups.set(id, group)
    const [oldest] = this.#groups.keys()
    if (this.#groups.size > this.#maxRequests && oldest !== undefined) this.#groups.delete(oldest)
    return group
  }
}
