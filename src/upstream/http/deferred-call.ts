import type { UpstreamCall } from './call.ts'

/** A call that cannot begin yet. */
export class WaitingCall implements UpstreamCall {
  #call: UpstreamCall | undefined = undefined
  #aborted = false

  /** Begins, unless nobody waits any more. */
  go(begin: () => UpstreamCall): void {
    if (this.#aborted) return
    const call = begin()
    this.#call = call
    // An answer that came at once may have made the waiter leave meanwhile.
    if (this.#left()) call.abort()
  }

  abort(): void {
    this.#aborted = true
    this.#call?.abort()
  }
  #left(): boolean {
    return this.#aborted
  }
}
