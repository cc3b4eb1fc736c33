import type { Body } from '../../../model/body.ts'
import type { ReplyFacts } from '../../../protocols/llm/chat/codec.ts'
import type { ChatEvent, StreamDecoder, StreamEncoder, Tell } from '../../../protocols/llm/chat/events.ts'
import { mergeUsage } from '../../../protocols/llm/usage.ts'
import { faultError } from './fault-error.ts'
import type { StreamWatch } from './stream-watch.ts'
import { WatchedStream } from './watched-stream.ts'

/** Takes the bytes of a stream apart: server-sent events, or the frames of AWS. */
export interface EventSource {
  /** @throws never: what cannot be read is told as `broken`. */
  push(chunk: Uint8Array): void
  end(): void
}

/** Who is told what an {@link EventSource} finds. */
export interface EventTaker {
  event(name: string | undefined, data: string): void
  broken(problem: string): void
}

/** What a stream is translated with. */
export interface TranslatedStreamOptions {
  readonly decoder: StreamDecoder
  readonly encoder: StreamEncoder
  readonly watch: StreamWatch
  readonly events: (taker: EventTaker) => EventSource
  /** Hears all that happens. */
  readonly hear?: Tell | undefined
}

/** A provider's stream in the format of the client. What a chunk brings is written at once, in one piece. */
export class TranslatedStream extends WatchedStream implements EventTaker {
  readonly #options: TranslatedStreamOptions
  readonly #events: EventSource
  /** What the chunk at hand has become so far. */
  #text = ''
  #facts: ReplyFacts = {}
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
    this.#options.decoder.end(this.#tell)
    this.#flush()
    this.#close()
  }

  fail(fault: unknown): void {
    if (this.isOver) return
    this.#tell({ type: 'error', error: faultError(fault) })
    this.#flush()
  }

  event(name: string | undefined, data: string): void {
    if (!this.#hasEnded) this.#options.decoder.push(name, data, this.#tell)
  }

  broken(problem: string): void {
    this.#tell({ type: 'error', error: { status: 502, message: problem } })
  }

  readonly #tell = (event: ChatEvent): void => {
    if (this.#hasEnded) return
    switch (event.type) {
      case 'start':
        this.#facts = { ...this.#facts, model: event.model, serviceTier: event.serviceTier }
        break
      case 'usage':
        this.#facts = { ...this.#facts, usage: mergeUsage(this.#facts.usage, event.usage) }
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
    this.#options.hear?.(event)
    this.#text += this.#options.encoder.encode(event)
  }

  /** Writes what there is; a stream that is over by what it says is over, whatever bytes may follow. */
  #flush(): boolean {
    let goOn = true
    if (this.#text !== '') {
      this.moved()
      goOn = this.to?.write(Buffer.from(this.#text)) ?? true
      this.#text = ''
    }
    if (this.#hasEnded) this.#close()
    return goOn
  }

  #close(): void {
    if (this.isOver) return
    this.finish(this.problem === undefined ? 'answered' : 'cut')
    this.to?.end()
  }

  protected override factsSoFar(): ReplyFacts {
    return this.#facts
  }
}
