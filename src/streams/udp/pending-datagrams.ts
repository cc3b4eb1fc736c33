/** Bytes that all sessions of a port together keep. */
export class PendingBudget {
  leftBytes = 1_048_576
}

/** Datagrams that one session keeps at most. */
const MAX_DATAGRAMS = 16

/** Datagrams of a session that came before it has an upstream: few, and little of all sessions together. */
export class PendingDatagrams {
  readonly #budget: PendingBudget
  #datagrams: Buffer[] = []

  constructor(budget: PendingBudget) {
    this.#budget = budget
  }

  /** @returns Whether there is room for it. */
  add(datagram: Buffer): boolean {
    if (this.#datagrams.length >= MAX_DATAGRAMS || datagram.length > this.#budget.leftBytes) return false
    this.#budget.leftBytes -= datagram.length
    this.#datagrams.push(datagram)
    return true
  }

  /** Takes all of them. */
  drain(): readonly Buffer[] {
    const taken = this.#datagrams
    this.#datagrams = []
    for (const { length } of taken) this.#budget.leftBytes += length
    return taken
  }
}
