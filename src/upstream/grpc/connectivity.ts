import { type ChannelInterface, connectivityState } from '@grpc/grpc-js'

/** Tells when the channel of a gRPC client has a connection, with one watcher however many wait. */
export class GrpcReach {
  readonly #channel: ChannelInterface
  readonly #waiting = new Set<() => void>()
  #watching = false

  constructor(channel: ChannelInterface) {
    this.#channel = channel
  }

  /**
   * Calls back once there is a connection, at once if there is one; it does not make the channel look for one.
   *
   * @returns Stops waiting. Who has an answer without a connection must call it.
   */
  wait(then: () => void): () => void {
    if (this.#state() === connectivityState.READY) {
      then()
      return nothing
    }
    this.#waiting.add(then)
    this.#watch()
    return () => {
      this.#waiting.delete(then)
    }
  }

  #watch(): void {
    const state = this.#state()
    if (this.#watching || state === connectivityState.SHUTDOWN) return
    this.#watching = true
    this.#channel.watchConnectivityState(state, Infinity, () => {
      this.#watching = false
      if (this.#waiting.size === 0) return
      if (this.#state() === connectivityState.READY) this.#tell()
      else this.#watch()
    })
  }

  #tell(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const then of waiting) then()
  }

  #state(): connectivityState {
    return this.#channel.getConnectivityState(false)
  }
}

const nothing = (): void => undefined
