import type { LRUCache } from 'lru-cache'
import type { JsonObject } from '../../../../protocols/json/json-object.ts'
import { realtimeServerTexts } from '../../../../protocols/llm/texts/realtime.ts'
import type { EventTexts } from '../../../../protocols/llm/texts/text-slot.ts'
import { opcodes } from '../../../../protocols/websocket/frame-head.ts'
import { writeFrame, writeText } from '../../../../protocols/websocket/write-frame.ts'
import { blockedEvent, audioOmittedEvent, UNREADABLE } from './gateway-events.ts'
import { responseIdOf, isLastOfResponse, itemIdOf, readEvent, withoutAudioTexts } from './read-event.ts'
import { GuardedResponse, type GuardedResponseOptions } from './guarded-response.ts'
import { PendingMessage } from './pending-message.ts'
import { MessageQueue } from './message-queue.ts'
import { dropAudio, isAudio } from './drop-audio.ts'
import { boundedCache } from '../../../../model/introspection/bounded-cache.ts'

/** What checks the events of a provider. */
export interface ProviderEventsOptions extends Omit<GuardedResponseOptions, 'block' | 'later'> {
  /** Limit of all pending messages. Beyond it, the response that blocks the others is blocked. */
  readonly limitBytes: number
  /** Sends a frame to the client. */
  readonly send: (frame: Buffer) => void
  /** Cancels the provider's response with this id, or the only one. */
  readonly cancel: (response: string | undefined) => void
  /** Called after a late verdict. */
  readonly onProgress: () => void
  /** Called with an internal error. */
  readonly onError: (problem: unknown) => void
}

/**
 * Checks what a provider sends in a realtime session. Messages are sent in the order in which they were received,
 * each once its texts have been cleared. If a guard rejects, the client gets an error event, and of that response
 * nothing else but its end; the session continues.
 */
export class ProviderEvents {
  readonly #options: ProviderEventsOptions
  readonly #texts = realtimeServerTexts()
  readonly #queue = new MessageQueue()
  /** The active responses. */
  readonly #active = new Map<string, GuardedResponse>()
  /** Complete responses with pending checks. */
  readonly #undecided = new Set<GuardedResponse>()
  /** Events that belong to no response. */
  #others: GuardedResponse
  /** Ids of blocked responses and of their items. */
  #blocked: LRUCache<string, true> | undefined = undefined
  #hasReportedAudio = false
  #afterFlush: (() => void)[] = []

  constructor(options: ProviderEventsOptions) {
    this.#options = options
    this.#others = this.#guarded(undefined)
  }

  /** So much is pending for guards that the provider should be paused. */
  get isBehind(): boolean {
    return this.#all().some((response) => response.isBehind)
  }

  /** Reads a text message. */
  message(payload: Buffer): void {
    const event = readEvent(payload.toString('utf8'))
    if (!event) this.#sendEvent(blockedEvent(UNREADABLE))
    else if (isAudio(event)) this.#omitAudio()
    else {
      const hadAudio = dropAudio(event)
      if (hadAudio) this.#omitAudio()
      this.#take(
        event,
        hadAudio ? writeText('server', JSON.stringify(event)) : writeFrame('server', opcodes.text, payload),
      )
    }
    this.#flush()
  }

  /** Nothing else has been received yet. */
  rest(): void {
    for (const response of this.#all()) this.#safely(response, () => undefined)
    this.#flush()
  }

  /** The provider's side has ended. */
  end(): void {
    for (const response of [...this.#active.values()]) this.#end(response)
    this.#safely(this.#others, () => {
      this.#others.end()
    })
    this.#flush()
  }

  /** Calls back once everything received so far has been sent to the client, or withheld. */
  afterFlush(run: () => void): void {
    this.#afterFlush.push(run)
    this.#flush()
  }

  stop(): void {
    for (const response of this.#all()) response.stop()
    this.#queue.clear()
    this.#afterFlush = []
  }

  #all(): readonly GuardedResponse[] {
    return [...this.#active.values(), ...this.#undecided, this.#others]
  }

  #take(event: JsonObject, frame: Buffer): void {
    const texts = this.#texts.read(undefined, event)
    const id = responseIdOf(event)
    const item = itemIdOf(event)
    const isLast = isLastOfResponse(event)
    const remains = isLast
      ? () => writeText('server', JSON.stringify(withoutAudioTexts(event, texts)))
      : undefined
    if (this.#isBlocked(id) || this.#isBlocked(item)) {
      if (item !== undefined) this.#markBlocked(item)
      if (id !== undefined && isLast) this.#active.delete(id)
      if (remains) this.#queue.push(new PendingMessage(remains()))
      return
    }
    const response = id === undefined ? (hasTexts(texts) ? this.#others : undefined) : this.#responseFor(id)
    if (item !== undefined && id !== undefined) response?.items.add(item)
    const message = new PendingMessage(frame, { owner: response, item, json: event, remains })
    this.#queue.push(message)
    if (!response) return
    // It can no longer be cancelled.
    if (isLast && id !== undefined) this.#active.delete(id)
    this.#safely(
      response,
      () => {
        response.read(message, texts)
      },
      false,
    )
    if (isLast) this.#end(response)
  }

  #isBlocked(id: string | undefined): boolean {
    return id !== undefined && this.#blocked?.has(id) === true
  }

  #markBlocked(id: string): void {
    this.#blocked ??= boundedCache<string, true>('blocked_realtime_responses', { max: BLOCKED_IDS })
    this.#blocked.set(id, true)
  }

  /** The response is complete. */
  #end(response: GuardedResponse): void {
    if (response.id === undefined) return
    this.#active.delete(response.id)
    this.#undecided.add(response)
    this.#safely(response, () => {
      response.end()
    })
  }

  #responseFor(id: string): GuardedResponse {
    let response = this.#active.get(id)
    if (response) return response
    response = this.#guarded(id)
    this.#active.set(id, response)
    const { value: oldest } = this.#active.values().next()
    if (this.#active.size > AT_ONCE && oldest !== undefined) this.#end(oldest)
    return response
  }

  #guarded(id: string | undefined): GuardedResponse {
    return new GuardedResponse(id, { ...this.#options, block: this.#block, later: this.#late })
  }

  readonly #block = (response: GuardedResponse, why: string): void => {
    const { id, items } = response
    try {
      this.#queue.withhold(
        ({ owner, item }) => owner === response || (item !== undefined && items.has(item)),
        writeText('server', blockedEvent(why)),
      )
    } catch (problem) {
      this.#options.onError(problem)
    }
    if (response === this.#others) this.#others = this.#guarded(undefined)
    if (id === undefined) return
    this.#markBlocked(id)
    for (const item of items) this.#markBlocked(item)
    if (this.#active.has(id)) this.#options.cancel(this.#active.size > 1 ? id : undefined)
  }

  readonly #late = (response: GuardedResponse, run: () => void): void => {
    this.#safely(response, run)
    this.#flush()
    this.#options.onProgress()
  }

  /** An error blocks the response, and nothing else. */
  #safely(response: GuardedResponse, run: () => void, isAtRest = true): void {
    try {
      run()
      response.advance(isAtRest)
    } catch (problem) {
      this.#options.x.downstream.truncatedBy ??= problem instanceof Error ? problem.message : 'a guard broke'
      response.breakOff()
    }
    if (response.isDecided) this.#undecided.delete(response)
  }

  #omitAudio(): void {
    if (this.#hasReportedAudio) return
    this.#hasReportedAudio = true
    this.#sendEvent(audioOmittedEvent)
  }

  #sendEvent(event: string): void {
    this.#queue.push(new PendingMessage(writeText('server', event)))
  }

  #flush(): void {
    const { limitBytes, send, onError } = this.#options
    try {
      for (;;) {
        for (const frame of this.#queue.take()) send(frame)
        const { first } = this.#queue
        if (!first || this.#queue.pendingBytes <= limitBytes) break
        if (first.owner instanceof GuardedResponse) first.owner.breakOff()
        if (!first.isCleared) throw new Error('a message waits for nobody')
      }
    } catch (problem) {
      onError(problem)
      return
    }
    while (!this.#queue.first) {
      const run = this.#afterFlush.shift()
      if (!run) return
      run()
    }
  }
}

const hasTexts = ({ pieces, wholes }: EventTexts): boolean => pieces.length + wholes.length > 0

/** More responses than any session has active. Above it, the oldest counts as complete. */
const AT_ONCE = 64
/** Ids of blocked responses and of their items: more than events of a session still refer to. */
const BLOCKED_IDS = 1_024
