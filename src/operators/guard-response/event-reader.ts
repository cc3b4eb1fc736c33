import { jsonObjectIn, type JsonObject } from '../../protocols/json/json-object.ts'
import type { EventTexts, StreamTexts, TextSlot } from '../../protocols/llm/texts/text-slot.ts'
import { endOfEvent } from '../../protocols/sse/event-cutter.ts'
import { EventParser, type ReceivedEvent } from '../../protocols/sse/event-parser.ts'
import { EventShape, type Recognizing } from './event-shape.ts'
import { HeldEvent } from './held-event.ts'
import type { HeldText } from './held-text.ts'
import { withData } from './with-data.ts'

/** An event, and what it says. */
export interface ReadEvent {
  readonly event: HeldEvent
  readonly texts: readonly HeldText[]
  /** Texts of which nothing follows after this event. */
  readonly closes: EventTexts['closes']
}

/**
 * Reads events one by one. Data that is no JSON counts as a text of its own, so that nothing gets by because it cannot be
 * read; `[DONE]` says nothing.
 */
export class EventReader {
  readonly #texts: StreamTexts
  readonly #recognizing: Recognizing
  readonly #parser: EventParser
  #received: ReceivedEvent | undefined = undefined
  #shape: EventShape | undefined = undefined
  #chances = CHANCES

  /**
   * @param limitBytes Longest event.
   * @param joins Events that are alike may be read as one, if they came together.
   */
  constructor(texts: StreamTexts, limitBytes: number, joins: boolean) {
    this.#recognizing = { joins, limitBytes }
    this.#texts = texts
    this.#parser = new EventParser(
      {
        event: (event) => {
          this.#received = event
        },
        overflow: () => undefined,
      },
      limitBytes + 1024,
    )
  }

  /** All events of bytes that end with one; undefined in place of one that is too long. Some may be read as one. */
  *readAll(bytes: Buffer): Generator<ReadEvent | undefined> {
    let raw: string | undefined
    for (let from = 0; from < bytes.length;) {
      const alike = this.#shape?.recognize(bytes, (raw ??= bytes.toString('latin1')), from, this.#recognizing)
      if (alike) {
        this.#chances = CHANCES
        from = alike.end
        yield { event: alike.event, texts: [alike.text], closes: none }
        continue
      }
      const end = endOfEvent(bytes, from)
      const event = bytes.subarray(from, end)
      from = end
      yield event.length > this.#recognizing.limitBytes ? undefined : this.read(event)
    }
  }

  /** @param isLast The event may lack its blank line. */
  read(bytes: Buffer, isLast = false): ReadEvent {
    const received = this.#receive(bytes) ?? (isLast ? this.#receive(blankLine) : undefined)
    if (!received) return { event: new HeldEvent(bytes), texts: none, closes: none }
    const { event: name, data } = received
    const json = objectIn(data)
    const { pieces, wholes, closes } = this.#texts.read(name, json)
    if (!json && data !== '' && data !== '[DONE]') return unread(bytes, data, closes)
    const size = pieces.length + wholes.length
    if (!json || size === 0) return { event: new HeldEvent(bytes), texts: none, closes }
    const [piece] = pieces
    // What tools are asked is shown without its escapes, of which two events may share one: none may be passed over.
    const isPlain = piece !== undefined && size === 1 && closes.length === 0 && piece.scope !== 'toolInput'
    if (isPlain && this.#chances > 0) {
      this.#chances--
      this.#shape = EventShape.of(bytes, data, json, piece)
    }
    const event = new HeldEvent(bytes, () => withData(bytes, JSON.stringify(json)))
    event.await(size)
    const texts: HeldText[] = []
    for (const slot of pieces) texts.push({ event, slot, channel: slot.channel, text: slot.text })
    for (const slot of wholes) texts.push({ event, slot, channel: undefined, text: slot.text })
    return { event, texts, closes }
  }

  #receive(bytes: Buffer): ReceivedEvent | undefined {
    this.#received = undefined
    this.#parser.push(bytes)
    return this.#received
  }
}

const unread = (bytes: Buffer, data: string, closes: EventTexts['closes']): ReadEvent => {
  let said = data
  const slot: TextSlot = {
    role: 'assistant',
    scope: 'messages',
    text: data,
    set: (text) => {
      said = text
    },
  }
  const event = new HeldEvent(bytes, () => withData(bytes, said))
  event.await(1)
  return { event, texts: [{ event, slot, channel: undefined, text: data }], closes }
}

const objectIn = (data: string): JsonObject | undefined => {
  if (data === '[DONE]') return undefined
  try {
    return jsonObjectIn(JSON.parse(data))
  } catch {
    return undefined
  }
}

/** So many events that nothing else looks like, one after another, and no more shapes are learned. */
const CHANCES = 8

const none: readonly never[] = []
const blankLine = Buffer.from('\n\n')
