import type { JsonObject } from '../../../../protocols/json/json-object.ts'
import type { TextPiece } from '../../../../protocols/llm/texts/text-slot.ts'
import { PendingEvent, type PendingText } from './pending-event.ts'
import { replaceAcross } from './replace-across-chunks.ts'

/** How events are matched. */
export interface TemplateOptions {
  /** Several events may be joined; otherwise one event is matched. */
  readonly joins: boolean
  /** Of one event; longer ones are not matched. */
  readonly limitBytes: number
}

/** Adjacent matching events, joined to one event; their texts are one piece. */
export interface TemplateMatch {
  readonly event: PendingEvent
  readonly text: PendingText
  /** Offset after the last of them. */
  readonly end: number
}

/**
 * The bytes before and after the text that most events of a stream share. A match takes a fifteenth of the time of
 * parsing the event and extracting its texts.
 */
export class EventTemplate {
  readonly #before: string
  readonly #after: string
  readonly #piece: TextPiece

  private constructor(before: string, after: string, like: TextPiece) {
    this.#before = before
    this.#after = after
    this.#piece = like
  }

  /**
   * Creates a template from an event with one piece and no other texts; undefined if the position of the piece in the
   * bytes is not certain.
   *
   * @param data The bytes' JSON, as text and parsed.
   */
  static of(bytes: Buffer, data: string, json: JsonObject, piece: TextPiece): EventTemplate | undefined {
    const { text } = piece
    if (text === MARKER || needsEscape.test(text)) return undefined
    const raw = bytes.toString('latin1')
    const written = `"${Buffer.from(text).toString('latin1')}"`
    const at = raw.indexOf(written)
    if (at < 0 || raw.lastIndexOf(written) !== at) return undefined
    // It must be that very string, not a name or another text that is spelled alike.
    let found = 0
    const marked = JSON.stringify(json, (_, value: unknown) => (value === text ? (found++, MARKER) : value))
    const replaced = JSON.stringify(JSON.parse(data.replace(`"${text}"`, `"${MARKER}"`)))
    if (found !== 1 || marked !== replaced) return undefined
    return new EventTemplate(raw.slice(0, at + 1), raw.slice(at + written.length - 1), piece)
  }

  /**
   * Matches as many adjacent events as possible, up to a size that does not delay a guard; undefined if there is
   * none.
   *
   * @param raw The bytes as Latin-1: every byte is a character, so that offsets are the same.
   */
  match(
    bytes: Buffer,
    raw: string,
    from: number,
    { joins, limitBytes }: TemplateOptions,
  ): TemplateMatch | undefined {
    const [before, after] = [this.#before, this.#after]
    const written: string[] = []
    let length = 0
    let end = from
    while (length < (joins ? JOINED_LENGTH : 1) && raw.startsWith(before, end)) {
      const start = end + before.length
      // These texts have no escapes: the next quotation mark is the end.
      const quote = raw.indexOf('"', start)
      if (quote <= start || !raw.startsWith(after, quote)) break
      if (quote + after.length - end > limitBytes) break
      const words = raw.slice(start, quote)
      if (needsEscape.test(words)) break
      written.push(words)
      length += words.length
      end = quote + after.length
    }
    if (end === from) return undefined
    const joined = written.join('')
    const pieces = isAscii.test(joined) ? written : written.map(decoded)
    const original = pieces === written ? joined : pieces.join('')
    let current = original
    const taken = end - from === bytes.length ? bytes : bytes.subarray(from, end)
    const event = new PendingEvent(taken, () => this.#written(replaceAcross(pieces, current)))
    event.await(1)
    const { role, scope, channel, stretch } = this.#piece
    const set = (text: string) => (current = text)
    const slot = { role, scope, text: original, set }
    return { event, end, text: { event, slot, channel, text: original, stretch } }
  }

  #written(texts: readonly string[]): Buffer {
    const [before, after] = [Buffer.from(this.#before, 'latin1'), Buffer.from(this.#after, 'latin1')]
    return Buffer.concat(
      texts.flatMap((text) => [before, Buffer.from(JSON.stringify(text).slice(1, -1)), after]),
    )
  }
}

const decoded = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8')

/** Enough text for one piece. */
const JOINED_LENGTH = 128
/** A marker that no text contains. */
const MARKER = '7f3c9a51e0d24b68'
const needsEscape = /["\\\x00-\x1f]/
const isAscii = /^[\x00-\x7f]*$/
