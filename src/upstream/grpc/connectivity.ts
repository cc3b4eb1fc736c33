import { type ChannelInterface, connectivityState } from '@grpc/grpc-js'

/** Reports when the channel of a gRPC client is connected, with one watcher for all waiters. */
export class GrpcConnectivity {
  readonly #channel: ChannelInterface
  readonly #waiting = new Set<() => void>()
  #watching = false

  constructor(channel: ChannelInterface) {
    this.#channel = channel
  }

  /** Whether the channel is connected. */
  get isConnected(): boolean {
    return this.#state() === connectivityState.READY
  }

  /**
   * Calls back once the channel is connected, at once if it is; it does not make the channel connect.
   *
   * @returns Stops waiting. Must be called by a waiter that got a result without a connection.
   */
  wait(then: () => void): () => void {
    if (this.isConnected) {
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
      if (this.#state() === connectivityState.READY) this.#notify()
      else this.#watch()
    })
  }

  #notify(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const then of waiting) then()
  }

  #state(): connectivityState {
    return this.#channel.getConnectivityState(false)
  }
}

const nothing = (): void => undefined
