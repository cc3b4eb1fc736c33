import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js'
import type { Fault } from '../../model/exchange/fault.ts'

/** Events of a stream of messages. */
export interface GrpcEvents<M> {
  message(message: M): void
  /** The last event. Without a fault the service has ended the stream in order. */
  ended(fault?: Fault): void
}

/** The sending side of a bidirectional stream. */
export interface MessageStream<I> {
  /** False means: stop until `onDrain` calls back. */
  send(message: I): boolean
  /** At most one callback is pending at a time. */
  onDrain(resume: () => void): void
  /** Ends the sending side. */
  finish(): void
  /** Stops messages until `resume`. */
  pause(): void
  resume(): void
  /** The stream is no longer needed: `ended` follows. */
  cancel(): void
}

/** One bidirectional stream, seen from the gateway's side. */
export class GrpcStream<I, O> implements MessageStream<I> {
  readonly #call: ClientDuplexStream<I, O>

  /** @param ended Called last, with a fault unless the service ended the stream in order. */
  constructor(
    call: ClientDuplexStream<I, O>,
    message: (message: O) => void,
    ended: (error: ServiceError | undefined) => void,
  ) {
    this.#call = call
    let over = false
    const end = (error?: ServiceError) => {
      if (over) return
      over = true
      ended(error)
    }
    call.on('data', (one: O) => {
      if (!over) message(one)
    })
    call.on('error', (error: ServiceError) => end(error))
    // An error has been reported by then.
    call.on('end', () => end())
  }

  send(message: I): boolean {
    return this.#call.write(message)
  }

  onDrain(resume: () => void): void {
    this.#call.once('drain', resume)
  }

  finish(): void {
    this.#call.end()
  }

  pause(): void {
    this.#call.pause()
  }

  resume(): void {
    this.#call.resume()
  }

  cancel(): void {
    this.#call.cancel()
  }
}
