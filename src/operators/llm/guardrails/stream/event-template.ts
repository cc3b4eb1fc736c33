import type { JsonObject } from '../../protocols/json/json-object.ts'
import type { TextPiece } from '../../protocols/llm/texts/text-slot.ts'
import { HeldEvent } from './held-event.ts'
import type { HeldText } from './held-text.ts'
import { replaceAcross } from './replace-across.ts'

/** How events are recognized. */
export interface Recognizing {
  /** Several may become one; if not, one is all. */
  readonly joins: boolean
  /** Of one event; longer ones are not recognized. */
  readonly limitBytes: number
}

/** Events that were recognized, side by side, as one event; their texts are one piece. */
export interface Recognized {
  readonly event: HeldEvent
  readonly text: HeldText
  /** Where they end. */
  readonly end: number
}

/**
 * What most events of a stream look like but for the words: to the byte, before and behind them. To recognize another
 * such event takes a fifteenth of the time of parsing it and looking for its texts.
 */
export class EventShape {
  readonly #before: string
  readonly #after: string
  readonly #like: TextPiece

  private constructor(before: string, after: string, like: TextPiece) {
    this.#before = before
    this.#after = after
    this.#like = like
  }

  /**
   * Learns from an event that holds one piece and nothing else of interest; undefined if it is not certain where in the
   * bytes that piece stands.
   *
   * @param data The bytes' JSON, as text and parsed.
   */
  static of(bytes: Buffer, data: string, json: JsonObject, piece: TextPiece): EventShape | undefined {
    const { text } = piece
    if (text === mark || needsEscape.test(text)) return undefined
    const raw = bytes.toString('latin1')
    const written = `"${Buffer.from(text).toString('latin1')}"`
    const at = raw.indexOf(written)
    if (at < 0 || raw.lastIndexOf(written) !== at) return undefined
    // It must be that very string, and no name or other text that is spelled like it.
    let found = 0
    const marked = JSON.stringify(json, (_, value: unknown) => (value === text ? (found++, mark) : value))
    const replaced = JSON.stringify(JSON.parse(data.replace(`"${text}"`, `"${mark}"`)))
    if (found !== 1 || marked !== replaced) return undefined
    return new EventShape(raw.slice(0, at + 1), raw.slice(at + written.length - 1), piece)
  }

  /**
   * As many events as look so, though not so many that a guard would have to wait for them; undefined if there are none.
   *
   * @param raw The bytes as Latin-1: every byte is a character, so that places are the same.
   */
  recognize(
    bytes: Buffer,
    raw: string,
    from: number,
    { joins, limitBytes }: Recognizing,
  ): Recognized | undefined {
    const [before, after] = [this.#before, this.#after]
    const written: string[] = []
    let length = 0
    let end = from
    while (length < (joins ? LETTERS : 1) && raw.startsWith(before, end)) {
      const start = end + before.length
      // Nothing is escaped in these texts: the first quotation mark is the last.
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
    const said = pieces === written ? joined : pieces.join('')
    let now = said
    const taken = end - from === bytes.length ? bytes : bytes.subarray(from, end)
    const event = new HeldEvent(taken, () => this.#written(replaceAcross(pieces, now)))
    event.await(1)
    const { role, scope, channel } = this.#like
    const set = (text: string) => (now = text)
    return { event, end, text: { event, slot: { role, scope, text: said, set }, channel, text: said } }
  }

  #written(texts: readonly string[]): Buffer {
    const [before, after] = [Buffer.from(this.#before, 'latin1'), Buffer.from(this.#after, 'latin1')]
    return Buffer.concat(
      texts.flatMap((text) => [before, Buffer.from(JSON.stringify(text).slice(1, -1)), after]),
    )
  }
}

const decoded = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8')

/** So much text is enough for one piece. */
const LETTERS = 128
/** Nobody says that. */
const mark = '7f3c9a51e0d24b68'
const needsEscape = /["\\\x00-\x1f]/
const isAscii = /^[\x00-\x7f]*$/
