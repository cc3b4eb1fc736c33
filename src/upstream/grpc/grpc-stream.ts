import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js'
import type { Fault } from '../model/fault.ts'

/** What a stream of messages tells. */
export interface GrpcEvents<M> {
  message(message: M): void
  /** Nothing follows. Without a fault the service has ended the stream in order. */
  ended(fault?: Fault): void
}

/** Our side of a stream of messages both ways. */
export interface MessageStream<I> {
  /** False means: stop until `onDrain` calls back. */
  send(message: I): boolean
  /** At most one callback is pending at a time. */
  onDrain(resume: () => void): void
  /** No message follows from our side. */
  finish(): void
  /** No messages until `resume`. */
  pause(): void
  resume(): void
  /** Nobody needs the stream any more: `ended` follows. */
  cancel(): void
}

/** One stream of messages both ways, seen from our side. */
export class GrpcStream<I, O> implements MessageStream<I> {
  readonly #call: ClientDuplexStream<I, O>

  /** @param ended Told last, with what the service ended the stream with unless all was well. */
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
    // A bad end has told itself by then.
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
