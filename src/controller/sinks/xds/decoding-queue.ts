import { fromBinary } from '@bufbuild/protobuf'
import { nextTurn } from '../../../model/event-loop/next-turn.ts'
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
} from '../../../protocols/xds/discovery.gen.ts'

/** Where requests come from. */
interface PausableCall {
  pause(): unknown
  resume(): unknown
}

/**
 * Decodes the requests of a stream, in their order. Large ones have a turn of the event loop each, among all streams:
 * hundreds of proxies may come back in one moment, and each names all that it has.
 */
export class DecodingQueue {
  readonly #call: PausableCall
  readonly #onRequest: (request: DeltaDiscoveryRequest) => void
  readonly #onInvalid: () => void
  /** The first large request that is not decoded yet, and what came after it. */
  readonly #waiting: Uint8Array[] = []
  #hasEnded = false

  constructor(
    call: PausableCall,
    onRequest: (request: DeltaDiscoveryRequest) => void,
    onInvalid: () => void,
  ) {
    this.#call = call
    this.#onRequest = onRequest
    this.#onInvalid = onInvalid
  }

  add(bytes: Uint8Array): void {
    if (bytes.length < LARGE && this.#waiting.length === 0) {
      this.#decode(bytes)
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
      await nextTurn()
      this.#decode(bytes)
      this.#waiting.shift()
    }
    this.#call.resume()
  }

  #decode(bytes: Uint8Array): void {
    if (this.#hasEnded) return
    let request: DeltaDiscoveryRequest
    try {
      request = fromBinary(DeltaDiscoveryRequestSchema, bytes)
    } catch {
      this.#onInvalid()
      return
    }
    this.#onRequest(request)
  }
}

/** Bytes. */
const LARGE = 65_536
