import { readJsonObject } from '../../protocols/json/read-json.ts'
import { EventParser, type ReceivedEvent } from '../../protocols/sse/event-parser.ts'
import { CompletionsStreamValidator } from './completions.ts'
import { GenerateContentStreamValidator } from './generate-content.ts'
import { MessagesStreamValidator } from './messages.ts'
import { type LlmFormatValidator, LlmStreamReport, type LlmStreamViolation } from './report.ts'
import { ResponsesStreamValidator } from './responses.ts'

/** A stream format of language models: OpenAI's two, Anthropic's, Gemini's. */
export type LlmStreamFormat = 'completions' | 'messages' | 'responses' | 'generateContent'

/**
 * Validates the server-sent events of a language model's response incrementally.
 *
 * A response that ends with the format's own error is valid; one that stops without an end is not.
 *
 * @example
 * const body = response.body as AsyncIterable<Uint8Array>
 * const validator = new LlmStreamValidator('completions')
 * for await (const chunk of body) validator.push(chunk)
 * assert.deepEqual(validator.end(), [])
 */
export class LlmStreamValidator {
  readonly #report = new LlmStreamReport()
  readonly #format: LlmFormatValidator
  readonly #parser: EventParser
  /** The last bytes, to check that the last event was terminated. */
  #tail = ''
  #ended = false

  constructor(format: LlmStreamFormat) {
    this.#format = new validators[format](this.#report)
    const sink = {
      event: (event: ReceivedEvent) => {
        this.#event(event)
        this.#report.event++
      },
      overflow: () => {
        this.#report.add('framing', 'an event is longer than 64 MiB')
      },
    }
    this.#parser = new EventParser(sink, LIMIT_BYTES)
  }

  /** Takes the next piece of the stream, which may be cut anywhere. */
  push(chunk: string | Uint8Array): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    this.#parser.push(bytes)
    this.#tail = (this.#tail + Buffer.from(bytes.subarray(-4)).toString('latin1')).slice(-4)
  }

  /** Ends the stream. Returns its violations, in order; empty if it is valid. */
  end(): readonly LlmStreamViolation[] {
    if (this.#ended) return this.#report.violations
    this.#ended = true
    this.#parser.end()
    if (this.#tail !== '' && !/(\n\n|\r\r|\r\n\r\n)$/.test(this.#tail))
      this.#report.add('framing', 'the stream ends in the middle of an event')
    this.#format.end()
    return this.#report.violations.sort((one, other) => one.event - other.event)
  }

  #event({ event: name, data }: ReceivedEvent): void {
    if (data === '[DONE]' && this.#format.done) {
      this.#format.done()
      return
    }
    const parsed = readJsonObject(data)
    if (parsed) this.#format.event(name, parsed)
    else this.#report.add('framing', `an event is no JSON object: ${data.slice(0, 80)}`)
  }
}

/**
 * The violations of a stream; empty if it is valid.
 *
 * @param stream All of it: as one text, or in pieces that may be cut anywhere.
 * @example
 * assert.deepEqual(llmStreamViolations('messages', await response.text()), [])
 */
export const llmStreamViolations = (
  format: LlmStreamFormat,
  stream: string | Uint8Array | Iterable<string | Uint8Array>,
): readonly LlmStreamViolation[] => {
  const validator = new LlmStreamValidator(format)
  const chunks = typeof stream === 'string' || stream instanceof Uint8Array ? [stream] : stream
  for (const chunk of chunks) validator.push(chunk)
  return validator.end()
}

const validators = {
  completions: CompletionsStreamValidator,
  messages: MessagesStreamValidator,
  responses: ResponsesStreamValidator,
  generateContent: GenerateContentStreamValidator,
} as const

const LIMIT_BYTES = 64 * 1024 * 1024
