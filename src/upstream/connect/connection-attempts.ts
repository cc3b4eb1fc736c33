import type { Socket } from 'node:net'
import { type CancelDial, dial, type DialAddress, type Dialled, type DialOptions } from './dial.ts'

/**
 * The connections to an address that are being opened. They fail at once when the services that had the address have
 * it no more: a host that has gone does not answer, and each of them would last until its timeout.
 */
export class ConnectionAttempts {
  /** Made for the first connection: there may be ten thousand addresses. */
  #cancels: Set<CancelDial> | undefined = undefined
  /** Services that have the address. */
  #services = 0
  #isRemoved = false

  /** Services had the address, and none has it now: no connection is opened. */
  get isRemoved(): boolean {
    return this.#isRemoved
  }

  /** Opens a connection, as `dial` does. */
  open(
    address: DialAddress,
    options: DialOptions,
    alpn: readonly string[],
    dialled: Dialled,
    raw?: Socket,
  ): () => void {
    if (this.#isRemoved) return refuse(dialled)
    const cancels = (this.#cancels ??= new Set())
    const onEnd: Dialled = (error, socket) => {
      cancels.delete(cancel)
      dialled(error, socket)
    }
    const cancel = dial(address, options, alpn, onEnd, raw)
    cancels.add(cancel)
    return () => {
      cancels.delete(cancel)
      cancel()
    }
  }

  /** One more service has the address. */
  allow(): void {
    this.#services++
    this.#isRemoved = false
  }

  /** A service has it no more. */
  disallow(): void {
    this.#services--
  }

  /** To be called after a change of services: ends the attempts if none has the address. */
  endIfRemoved(): void {
    if (this.#services > 0) return
    this.#isRemoved = true
    for (const cancel of [...(this.#cancels ?? [])]) cancel(removedError())
  }
}

/** Fails as a connection does: not before the caller goes on. */
const refuse = (dialled: Dialled): (() => void) => {
  let isCancelled = false
  queueMicrotask(() => {
    if (!isCancelled) dialled(removedError(), null)
  })
  return () => {
    isCancelled = true
  }
}

const removedError = (): Error =>
  Object.assign(new Error('the endpoint was removed'), { code: 'ENDPOINT_REMOVED' })
