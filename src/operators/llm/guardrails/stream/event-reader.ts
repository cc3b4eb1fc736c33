import { cleanEvent } from './clean-event.ts'
import { EventTemplate, type TemplateOptions } from './event-template.ts'
import { PendingEvent, type PendingText, pendingTexts } from './pending-event.ts'
import { repeatsNames } from '../../../../protocols/json/duplicate-keys.ts'
import { type JsonObject, jsonObjectIn } from '../../../../protocols/json/json-object.ts'
import { textNameProblem } from '../../../../protocols/llm/members/read-members.ts'
import type { EventTexts, StreamTexts, TextSlot } from '../../../../protocols/llm/texts/text-slot.ts'
import { EventParser, type ReceivedEvent } from '../../../../protocols/sse/event-parser.ts'
import { endOfEvent } from '../../../../protocols/sse/event-splitter.ts'

/**
 * Replaces the data of a server-sent event; everything else stays.
 *
 * @example
 * withData(Buffer.from('event: a\ndata: 1\nid: 7\n\n'), '2').toString() // 'event: a\ndata: 2\nid: 7\n\n'
 */
export const withData = (event: Buffer, data: string): Buffer => {
  let text = ''
  let isWritten = false
  for (const line of event.toString('utf8').split(lineEnds)) {
    const end = /[\r\n]+$/.exec(line)?.[0] ?? ''
    if (!isData(line, end)) text += line
    else if (!isWritten) {
      isWritten = true
      text += data
        .split(/\r\n|\r|\n/)
        .map((part) => `data: ${part}${end || '\n'}`)
        .join('')
      if (end === '') text = text.slice(0, -1)
    }
  }
  return Buffer.from(text)
}

const isData = (line: string, end: string): boolean => {
  // The first line of a stream may begin with a byte order mark.
  const content = line.startsWith('\uFEFF') ? line.slice(1) : line
  return content.startsWith('data:') || content.slice(0, content.length - end.length) === 'data'
}

const lineEnds = /(?<=\n|\r(?!\n))/

/** An event with its texts. */
export interface ReadEvent {
  readonly event: PendingEvent
  readonly texts: readonly PendingText[]
  /** Channels that end with this event. */
  readonly closes: EventTexts['closes']
}

/**
 * Reads events one by one. Data that is not JSON is checked as a text, so that unreadable data does not bypass the
 * guards; `[DONE]` has no text. Parts of an event that are not read are not passed on: comments, ids and other
 * fields.
 */
export class EventReader {
  readonly #texts: StreamTexts
  readonly #templateOptions: TemplateOptions
  readonly #parser: EventParser
  #received: ReceivedEvent | undefined = undefined
  #template: EventTemplate | undefined = undefined
  #attempts = ATTEMPTS

  /**
   * @param limitBytes Longest event.
   * @param joins Similar events may be joined if they were received together.
   */
  constructor(texts: StreamTexts, limitBytes: number, joins: boolean) {
    this.#templateOptions = { joins, limitBytes }
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

  /**
   * All events of bytes that end at an event boundary; undefined in place of one that is too long. Some may be
   * joined.
   */
  *readAll(bytes: Buffer): Generator<ReadEvent | undefined> {
    let raw: string | undefined
    for (let from = 0; from < bytes.length;) {
      const match = this.#template?.match(
        bytes,
        (raw ??= bytes.toString('latin1')),
        from,
        this.#templateOptions,
      )
      if (match) {
        this.#attempts = ATTEMPTS
        from = match.end
        yield { event: match.event, texts: [match.text], closes: none }
        continue
      }
      const end = endOfEvent(bytes, from)
      const event = bytes.subarray(from, end)
      from = end
      yield event.length > this.#templateOptions.limitBytes ? undefined : this.read(event)
    }
  }

  /** @param isLast The event may lack its blank line. */
  read(came: Buffer, isLast = false): ReadEvent {
    const received = this.#receive(came) ?? (isLast ? this.#receive(blankLine) : undefined)
    if (!received)
      return {
        event: new PendingEvent(cleanEvent(came, received, undefined, this.#texts.eventNames)),
        texts: none,
        closes: none,
      }
    const { event: name, data } = received
    const json = objectIn(data)
    if (json) refuseAmbiguous(json, data)
    const bytes = cleanEvent(came, received, json?.type, this.#texts.eventNames)
    const { pieces, wholes, closes } = this.#texts.read(name, json)
    if (!json && data !== '' && data !== '[DONE]') return unread(bytes, data, closes)
    const size = pieces.length + wholes.length
    if (!json || size === 0) return { event: new PendingEvent(bytes), texts: none, closes }
    const [piece] = pieces
    // Tool arguments are checked without their JSON escapes, and two events may share an escape: none may be skipped.
    const isPlain =
      piece !== undefined &&
      bytes === came &&
      size === 1 &&
      closes.length === 0 &&
      piece.scope !== 'toolInput'
    if (isPlain && this.#attempts > 0) {
      this.#attempts--
      this.#template = EventTemplate.of(bytes, data, json, piece)
    }
    const event = new PendingEvent(bytes, () => withData(bytes, JSON.stringify(json)))
    event.await(size)
    return { event, texts: pendingTexts(event, { pieces, wholes }), closes }
  }

  #receive(bytes: Buffer): ReceivedEvent | undefined {
    this.#received = undefined
    this.#parser.push(bytes)
    return this.#received
  }
}

const unread = (bytes: Buffer, data: string, closes: EventTexts['closes']): ReadEvent => {
  let current = data
  const slot: TextSlot = {
    role: 'assistant',
    scope: 'messages',
    text: data,
    set: (text) => {
      current = text
    },
  }
  const event = new PendingEvent(bytes, () => withData(bytes, current))
  event.await(1)
  return { event, texts: [{ event, slot, channel: undefined, text: data }], closes }
}

/** Guards would check one value, and the client might read the other: the error blocks the stream. */
const refuseAmbiguous = (event: JsonObject, data: string): void => {
  const problem = repeatsNames(data) ? 'it has two members of one name' : textNameProblem(event)
  if (problem !== undefined) throw new Error(`an event of the answer cannot be guarded: ${problem}`)
}

const objectIn = (data: string): JsonObject | undefined => {
  if (data === '[DONE]') return undefined
  try {
    return jsonObjectIn(JSON.parse(data))
  } catch {
    return undefined
  }
}

/** After so many consecutive events without a repetition, no more templates are created. */
const ATTEMPTS = 8

const none: readonly never[] = []
const blankLine = Buffer.from('\n\n')
