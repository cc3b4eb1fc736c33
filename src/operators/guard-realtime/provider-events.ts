import type { JsonObject } from '../../protocols/json/json-object.ts'
import { realtimeServerTexts } from '../../protocols/llm/texts/realtime.ts'
import type { EventTexts } from '../../protocols/llm/texts/text-slot.ts'
import { opcodes } from '../../protocols/websocket/frame-head.ts'
import { writeFrame, writeText } from '../../protocols/websocket/write-frame.ts'
import { blockedEvent, soundLeftOut, UNREADABLE } from './conversation-events.ts'
import { answerIdOf, isLastOfAnswer, itemIdOf } from './event-places.ts'
import { GuardedAnswer, type GuardedAnswerOptions } from './guarded-answer.ts'
import { HeldMessage } from './held-message.ts'
import { MessageQueue } from './message-queue.ts'
import { readEvent } from './read-event.ts'
import { RecentIds } from './recent-ids.ts'
import { dropSound, isSound } from './without-sound.ts'
import { withoutTexts } from './without-texts.ts'

/** Who looks at what a provider says. */
export interface ProviderEventsOptions extends Omit<GuardedAnswerOptions, 'block' | 'later'> {
  /** Of the messages that wait. Beyond it, what keeps them waiting is blocked. */
  readonly limitBytes: number
  /** Sends a frame to the client. */
  readonly send: (frame: Buffer) => void
  /** Has the provider stop answering: the answer with this id, or the only one. */
  readonly cancel: (answer: string | undefined) => void
  /** Told after a late verdict. */
  readonly moved: () => void
  /** Told what went wrong that is nobody's fault but the gateway's. */
  readonly broke: (problem: unknown) => void
}

/**
 * Shows guards what a provider says in a realtime conversation. Messages leave in the order in which they came, each once
 * its texts have been cleared. If a guard rejects, the client is told so, and nothing more of that answer reaches it but
 * that it is over; the conversation goes on.
 */
export class ProviderEvents {
  readonly #options: ProviderEventsOptions
  readonly #texts = realtimeServerTexts()
  readonly #queue = new MessageQueue()
  /** Those under way. */
  readonly #answers = new Map<string, GuardedAnswer>()
  /** Those that are over, but for what their guards say of them. */
  readonly #undecided = new Set<GuardedAnswer>()
  /** What belongs to no answer. */
  #others: GuardedAnswer
  /** Answers that were blocked, and their items. */
  readonly #blocked = new RecentIds(REMEMBERED)
  #hasToldOfSound = false
  #through: (() => void)[] = []

  constructor(options: ProviderEventsOptions) {
    this.#options = options
    this.#others = this.#guarded(undefined)
  }

  /** More waits for guards than the provider should go on sending. */
  get isBehind(): boolean {
    return this.#all().some((answer) => answer.isBehind)
  }

  /** Takes a text message. */
  message(payload: Buffer): void {
    const event = readEvent(payload.toString('utf8'))
    if (!event) this.#tell(blockedEvent(UNREADABLE))
    else if (isSound(event)) this.#leaveOutSound()
    else {
      const isQuieter = dropSound(event)
      if (isQuieter) this.#leaveOutSound()
      this.#take(
        event,
        isQuieter ? writeText('server', JSON.stringify(event)) : writeFrame('server', opcodes.text, payload),
      )
    }
    this.#flush()
  }

  /** Nothing else has come yet. */
  rest(): void {
    for (const answer of this.#all()) this.#safely(answer, () => undefined)
    this.#flush()
  }

  /** Nothing follows. */
  end(): void {
    for (const answer of [...this.#answers.values()]) this.#end(answer)
    this.#safely(this.#others, () => {
      this.#others.end()
    })
    this.#flush()
  }

  /** Runs something once the client has got all that it gets of what has come. */
  whenThrough(run: () => void): void {
    this.#through.push(run)
    this.#flush()
  }

  stop(): void {
    for (const answer of this.#all()) answer.stop()
    this.#queue.clear()
    this.#through = []
  }

  #all(): readonly GuardedAnswer[] {
    return [...this.#answers.values(), ...this.#undecided, this.#others]
  }

  #take(event: JsonObject, frame: Buffer): void {
    const texts = this.#texts.read(undefined, event)
    const id = answerIdOf(event)
    const item = itemIdOf(event)
    const isLast = isLastOfAnswer(event)
    const remains = isLast ? () => writeText('server', JSON.stringify(withoutTexts(event, texts))) : undefined
    if (this.#blocked.has(id) || this.#blocked.has(item)) {
      if (item !== undefined) this.#blocked.add(item)
      if (id !== undefined && isLast) this.#answers.delete(id)
      if (remains) this.#queue.push(new HeldMessage(remains()))
      return
    }
    const answer = id === undefined ? (saysSomething(texts) ? this.#others : undefined) : this.#answer(id)
    if (item !== undefined && id !== undefined) answer?.items.add(item)
    const message = new HeldMessage(frame, { owner: answer, item, json: event, remains })
    this.#queue.push(message)
    if (!answer) return
    // It cannot be cancelled any more.
    if (isLast && id !== undefined) this.#answers.delete(id)
    this.#safely(
      answer,
      () => {
        answer.read(message, texts)
      },
      false,
    )
    if (isLast) this.#end(answer)
  }

  /** Nothing of an answer follows. */
  #end(answer: GuardedAnswer): void {
    if (answer.id === undefined) return
    this.#answers.delete(answer.id)
    this.#undecided.add(answer)
    this.#safely(answer, () => {
      answer.end()
    })
  }

  #answer(id: string): GuardedAnswer {
    let answer = this.#answers.get(id)
    if (answer) return answer
    answer = this.#guarded(id)
    this.#answers.set(id, answer)
    const { value: oldest } = this.#answers.values().next()
    if (this.#answers.size > AT_ONCE && oldest !== undefined) this.#end(oldest)
    return answer
  }

  #guarded(id: string | undefined): GuardedAnswer {
    return new GuardedAnswer(id, { ...this.#options, block: this.#block, later: this.#late })
  }

  readonly #block = (answer: GuardedAnswer, why: string): void => {
    const { id, items } = answer
    try {
      this.#queue.withhold(
        ({ owner, item }) => owner === answer || (item !== undefined && items.has(item)),
        writeText('server', blockedEvent(why)),
      )
    } catch (problem) {
      this.#options.broke(problem)
    }
    if (answer === this.#others) this.#others = this.#guarded(undefined)
    if (id === undefined) return
    this.#blocked.add(id)
    for (const item of items) this.#blocked.add(item)
    if (this.#answers.has(id)) this.#options.cancel(this.#answers.size > 1 ? id : undefined)
  }

  readonly #late = (answer: GuardedAnswer, run: () => void): void => {
    this.#safely(answer, run)
    this.#flush()
    this.#options.moved()
  }

  /** What breaks blocks the answer, and nothing else. */
  #safely(answer: GuardedAnswer, run: () => void, isAtRest = true): void {
    try {
      run()
      answer.advance(isAtRest)
    } catch (problem) {
      this.#options.x.cutShort ??= problem instanceof Error ? problem.message : 'a guard broke'
      answer.breakOff()
    }
    if (answer.isDecided) this.#undecided.delete(answer)
  }

  #leaveOutSound(): void {
    if (this.#hasToldOfSound) return
    this.#hasToldOfSound = true
    this.#tell(soundLeftOut)
  }

  #tell(event: string): void {
    this.#queue.push(new HeldMessage(writeText('server', event)))
  }

  #flush(): void {
    const { limitBytes, send, broke } = this.#options
    try {
      for (;;) {
        for (const frame of this.#queue.take()) send(frame)
        const { first } = this.#queue
        if (!first || this.#queue.heldBytes <= limitBytes) break
        if (first.owner instanceof GuardedAnswer) first.owner.breakOff()
        if (!first.isCleared) throw new Error('a message waits for nobody')
      }
    } catch (problem) {
      broke(problem)
      return
    }
    while (!this.#queue.first) {
      const run = this.#through.shift()
      if (!run) return
      run()
    }
  }
}

const saysSomething = ({ pieces, wholes }: EventTexts): boolean => pieces.length + wholes.length > 0

/** More answers than any conversation has under way. Older ones are taken to be over. */
const AT_ONCE = 64
const REMEMBERED = 1_024
