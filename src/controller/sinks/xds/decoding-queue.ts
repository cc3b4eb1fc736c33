import { SerialSteps } from '../../../model/event-loop/serial-steps.ts'
import { runAtOnce, runInSlices } from '../../../model/event-loop/time-slicing.ts'
import { type ReceivedRequest, requestSteps } from './received-request.ts'

/** Where requests come from. */
interface PausableCall {
  pause(): unknown
  resume(): unknown
}

/**
 * Decodes the requests of a stream, in their order. Large ones are decoded in slices, one after the other among all streams:
 * hundreds of proxies may come back in one moment, and each names all that it has.
 */
export class DecodingQueue {
  readonly #call: PausableCall
  readonly #onRequest: (request: ReceivedRequest) => void
  readonly #onInvalid: () => void
  /** The first large request that is not decoded yet, and what came after it. */
  readonly #waiting: Uint8Array[] = []
  #hasEnded = false

  constructor(call: PausableCall, onRequest: (request: ReceivedRequest) => void, onInvalid: () => void) {
    this.#call = call
    this.#onRequest = onRequest
    this.#onInvalid = onInvalid
  }

  add(bytes: Uint8Array): void {
    if (bytes.length < LARGE && this.#waiting.length === 0) {
      runAtOnce(this.#receiveSteps(bytes))
      return
    }
    // What is not read is held back by the flow control of the stream.
    this.#call.pause()
    if (this.#waiting.push(bytes) === 1) void this.#decodeWaiting()
  }

  /** Decodes nothing more. */
  end(): void {
    this.#hasEnded = true
  }

  async #decodeWaiting(): Promise<void> {
    for (let [bytes] = this.#waiting; bytes; [bytes] = this.#waiting) {
      const steps = this.#receiveSteps(bytes)
      await largeRequests.run(() => steps)
      this.#waiting.shift()
    }
    this.#call.resume()
  }

  *#receiveSteps(bytes: Uint8Array): Generator<undefined, void> {
    const steps = requestSteps(bytes)
    while (!this.#hasEnded) {
      let step: IteratorResult<undefined, ReceivedRequest>
      try {
        step = steps.next()
      } catch {
        this.#onInvalid()
        return
      }
      if (step.done) {
        this.#onRequest(step.value)
        return
      }
      yield
    }
  }
}

const largeRequests = new SerialSteps(runInSlices)

/** Bytes. */
const LARGE = 65_536
