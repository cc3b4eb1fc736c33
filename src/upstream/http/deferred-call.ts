import type { UpstreamCall } from '../call.ts'

/** A call that starts later. */
export class DeferredCall implements UpstreamCall {
  #call: UpstreamCall | undefined = undefined
  #aborted = false

  /** Starts the call, unless it has been aborted. */
  start(begin: () => UpstreamCall): void {
    if (this.#aborted) return
    const call = begin()
    this.#call = call
    // A response that came at once may have aborted the call meanwhile.
    if (this.#wasAborted()) call.abort()
  }

  abort(): void {
    this.#aborted = true
    this.#call?.abort()
  }
  #wasAborted(): boolean {
    return this.#aborted
  }
}
