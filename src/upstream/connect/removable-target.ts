import type { Socket } from 'node:net'
import { type CancelDial, dial, type DialAddress, type Dialled, type DialOptions } from './dial.ts'

/**
 * An address that services may remove. Connections to it that are being opened fail at once when no service has it any
 * more: a host that has gone does not answer, and each of them would last until its timeout.
 */
export class RemovableTarget {
  readonly address: DialAddress
  /** Made for the first connection. */
  #attempts: Set<Attempt> | undefined = undefined
  /** How often services in force list it, or `REMOVED`. One number: there may be ten thousand addresses. */
  #listings = 0

  constructor(address: DialAddress) {
    this.address = address
  }

  /** Services listed it, and none does now: no connection is opened. */
  get isRemoved(): boolean {
    return this.#listings === REMOVED
  }

  /** Opens a connection, as `dial` does. */
  connect(options: DialOptions, alpn: readonly string[], dialled: Dialled, raw?: Socket): () => void {
    if (this.isRemoved) return refuse(dialled)
    const attempts = (this.#attempts ??= new Set())
    const attempt: Attempt = { cancel: undefined }
    attempts.add(attempt)
    const onEnd: Dialled = (error, socket) => {
      attempts.delete(attempt)
      dialled(error, socket)
    }
    const cancel = dial(this.address, options, alpn, onEnd, raw)
    attempt.cancel = cancel
    return () => {
      attempts.delete(attempt)
      cancel()
    }
  }

  /** A service lists it, perhaps once more. */
  listed(): void {
    this.#listings = this.isRemoved ? 1 : this.#listings + 1
  }

  /** A service that listed it is no longer in force. */
  unlisted(): void {
    this.#listings--
  }

  /** A service lists it one time less. If none lists it by the end of this turn, its attempts end. */
  removed(): void {
    this.unlisted()
    if (this.#listings > 0) return
    this.#listings = REMOVED
    // Another part of the configuration may list it, and calls that fail go on at once: all of it has to be in force.
    if (this.#attempts?.size) queueMicrotask(() => this.#end())
  }

  #end(): void {
    if (this.isRemoved) for (const { cancel } of [...(this.#attempts ?? [])]) cancel?.(removedError())
  }
}

const REMOVED = -1

/** A connection that is being opened. */
interface Attempt {
  cancel: CancelDial | undefined
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
