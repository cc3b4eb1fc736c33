import type { JsonObject } from '../../protocols/json/json-object.ts'
import type { TextPiece } from '../../protocols/llm/texts/text-slot.ts'
import { HeldEvent } from './held-event.ts'
import type { HeldText } from './held-text.ts'

/** An event that was recognized, and the one piece of a text that it holds. */
export interface Recognized {
  readonly event: HeldEvent
  readonly text: HeldText
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

  /** Undefined if it looks otherwise. */
  recognize(bytes: Buffer): Recognized | undefined {
    const raw = bytes.toString('latin1')
    const [before, after] = [this.#before, this.#after]
    const end = raw.length - after.length
    if (end <= before.length || !raw.startsWith(before) || !raw.endsWith(after)) return undefined
    const written = raw.slice(before.length, end)
    if (needsEscape.test(written)) return undefined
    const { role, scope, channel } = this.#like
    const said = isAscii.test(written) ? written : bytes.toString('utf8', before.length, end)
    let now = said
    const event = new HeldEvent(bytes, () =>
      Buffer.concat([
        bytes.subarray(0, before.length),
        Buffer.from(JSON.stringify(now).slice(1, -1)),
        bytes.subarray(end),
      ]),
    )
    event.await(1)
    const set = (text: string) => (now = text)
    return { event, text: { event, slot: { role, scope, text: said, set }, channel, text: said } }
  }
}

/** Nobody says that. */
const mark = '7f3c9a51e0d24b68'
const needsEscape = /["\\\x00-\x1f]/
const isAscii = /^[\x00-\x7f]*$/
