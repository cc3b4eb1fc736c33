import type { Body } from '../../../model/exchange/body.ts'
import type { ReplyAttributes } from '../../../protocols/llm/chat/codec.ts'
import type {
  ChatEvent,
  StreamDecoder,
  StreamEncoder,
  EmitEvent,
} from '../../../protocols/llm/chat/events.ts'
import { mergeUsage } from '../../../protocols/llm/usage.ts'
import { faultError } from '../refusals.ts'
import type { StreamObserver } from './stream-observer.ts'
import { ObservedStream } from './observed-stream.ts'

/** Splits the bytes of a stream into events: server-sent events, or AWS frames. */
export interface EventSource {
  /** @throws never: unreadable input is reported with `broken`. */
  push(chunk: Uint8Array): void
  end(): void
}

/** Receives the events of an {@link EventSource}. */
export interface EventHandler {
  event(name: string | undefined, data: string): void
  broken(problem: string): void
}

/** How a stream is translated. */
export interface TranslatedStreamOptions {
  readonly decoder: StreamDecoder
  readonly encoder: StreamEncoder
  readonly watch: StreamObserver
  readonly events: (taker: EventHandler) => EventSource
  /** Receives all events. */
  readonly onEvent?: EmitEvent | undefined
}

/** A provider's stream in the client's format. The result of a chunk is sent at once, in one piece. */
export class TranslatedStream extends ObservedStream implements EventHandler {
  readonly #options: TranslatedStreamOptions
  readonly #events: EventSource
  /** The result of the current chunk so far. */
  #text = ''
  #attributes: ReplyAttributes = {}
  #hasEnded = false

  constructor(source: Body, options: TranslatedStreamOptions) {
    super(source, options.watch)
    this.#options = options
    this.#events = options.events(this)
  }

  write(chunk: Uint8Array): boolean {
    if (this.isOver) return true
    this.#events.push(chunk)
    return this.#flush()
  }

  end(): void {
    if (this.isOver) return
    this.#events.end()
    this.#options.decoder.end(this.#encode)
    this.#flush()
    this.#close()
  }

  fail(fault: unknown): void {
    if (this.isOver) return
    this.#encode({ type: 'error', error: faultError(fault) })
    this.#flush()
  }

  event(name: string | undefined, data: string): void {
    if (!this.#hasEnded) this.#options.decoder.push(name, data, this.#encode)
  }

  broken(problem: string): void {
    this.#encode({ type: 'error', error: { status: 502, message: problem } })
  }

  readonly #encode = (event: ChatEvent): void => {
    if (this.#hasEnded) return
    switch (event.type) {
      case 'start':
        this.#attributes = { ...this.#attributes, model: event.model, serviceTier: event.serviceTier }
        break
      case 'usage':
        this.#attributes = { ...this.#attributes, usage: mergeUsage(this.#attributes.usage, event.usage) }
        break
      case 'delta':
        this.begin()
        break
      case 'end':
        this.#hasEnded = true
        break
      case 'error':
        this.#hasEnded = true
        this.problem = event.error.message
        break
      default:
    }
    this.#options.onEvent?.(event)
    this.#text += this.#options.encoder.encode(event)
  }

  /** Sends the result. A stream that has its last event is over, whatever bytes follow. */
  #flush(): boolean {
    let mayContinue = true
    if (this.#text !== '') {
      this.onWrite()
      mayContinue = this.to?.write(Buffer.from(this.#text)) ?? true
      this.#text = ''
    }
    if (this.#hasEnded) this.#close()
    return mayContinue
  }

  #close(): void {
    if (this.isOver) return
    this.finish(this.problem === undefined ? 'answered' : 'cut')
    this.to?.end()
  }

  protected override attributesSoFar(): ReplyAttributes {
    return this.#attributes
  }
}
