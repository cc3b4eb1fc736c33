import type { Exchange } from '../../../model/exchange.ts'
import type { LlmOutcome } from '../../../model/llm-usage-record.ts'
import { Reply } from '../../../model/reply.ts'
import type { ReplyFacts } from '../../../protocols/llm/chat/codec.ts'
import { isChatFormat, isFormat } from '../../../protocols/llm/format.ts'
import { takeDown } from './account.ts'
import { adaptOpaque } from './adapt-opaque.ts'
import { adaptReply, type ReplyLimits } from './adapt-reply.ts'
import type { Answering, Ask } from './ask.ts'
import type { Option } from './candidate.ts'
import { firstEvent } from './first-event.ts'
import type { Heard } from './heard.ts'
import { prepareChat } from './prepare-chat.ts'
import { prepareOther } from './prepare-other.ts'
import { prepareOpaque } from './prepare-opaque.ts'
import { tellDropped } from './tell-dropped.ts'
import { tellRequest } from './tell-trace.ts'
import type { AttemptWatch } from './stream-watch.ts'

/** What became of one attempt. */
export interface Attempted {
  readonly facts: ReplyFacts
  readonly startedAt: number
  /** `performance.now()` when the first token came; undefined if none did, or the answer was no stream. */
  readonly beganAt: number | undefined
  readonly endedAt: number
  readonly outcome: LlmOutcome
  /** What went wrong, where something did. */
  readonly problem: string | undefined
}

/** Is told of each attempt once it is over, after what it said was taken down. */
export type Settle = (x: Exchange, option: Option, attempted: Attempted) => void

/** How providers are asked what a client asks. */
export const askFor = (heard: Heard, limits: ReplyLimits, settle: Settle): Ask => ({
  prepare: (x, option) => {
    if (x.llm) x.llm.provider = option.candidate.provider.telemetryName
    // What another option would have lost does not count.
    if (x.llm) x.llm.dropped = none
    const before = x.request.body
    const answering = prepared(x, heard, option, limits)
    if (answering instanceof Reply) return answering
    if (x.probe) tellRequest(x, before)
    return tellingDropped(x, answering)
  },
  settled: (x, option, { startedAt }) => new Watch(x, option, startedAt, settle),
})

/** Made out here: in there it would hold what was read of the request, which may be long. */
const tellingDropped = (x: Exchange, answering: Answering): Answering => ({
  ...answering,
  adapt: (reply, watch) => tellDropped(x, answering.adapt(reply, watch)),
})

const none: readonly string[] = []

const prepared = (x: Exchange, heard: Heard, option: Option, limits: ReplyLimits): Answering | Reply => {
  const { type, body } = heard
  if (!body || !isFormat(type)) return opaque(x, heard, option)
  if (!isChatFormat(type)) return prepareOther(x, { ...heard, body }, type, option, limits)
  const chat = prepareChat(x, { ...heard, body }, type, option)
  if (chat instanceof Reply) return chat
  if (x.llm && chat.dropped.length) x.llm.dropped = chat.dropped
  const beginWithinMs = chat.streaming ? option.candidate.provider.firstTokenTimeoutMs : undefined
  return {
    adapt: (reply, watch) => adaptReply(x, reply, chat, limits, watch),
    begin: chat.streaming
      ? (reply) => firstEvent(reply, chat.upstream, limits.eventBytes, beginWithinMs !== undefined)
      : undefined,
    beginWithinMs,
  }
}

const opaque = (x: Exchange, heard: Heard, option: Option): Answering | Reply =>
  prepareOpaque(x, heard, option) ?? {
    adapt: (reply, watch) => adaptOpaque(reply, heard, watch),
  }

class Watch implements AttemptWatch {
  readonly #x: Exchange
  readonly #option: Option
  readonly #startedAt: number
  readonly #settle: Settle
  #beganAt: number | undefined = undefined
  #isOver = false
  #afterEnd: (() => void) | undefined = undefined

  constructor(x: Exchange, option: Option, startedAt: number, settle: Settle) {
    this.#x = x
    this.#option = option
    this.#startedAt = startedAt
    this.#settle = settle
  }

  afterEnd(run: () => void): void {
    if (this.#isOver) run()
    else this.#afterEnd = run
  }

  began(): void {
    this.#beganAt = performance.now()
  }

  ended(facts: ReplyFacts, outcome: LlmOutcome, problem?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    const endedAt = performance.now()
    const { llm } = this.#x
    if (llm) {
      takeDown(llm, facts)
      if (this.#beganAt !== undefined) {
        llm.timeToFirstTokenMs = this.#beganAt - this.#startedAt
        const outputTokens = facts.usage?.outputTokens
        if (outputTokens !== undefined && outputTokens > 1)
          llm.timePerOutputTokenMs = (endedAt - this.#beganAt) / (outputTokens - 1)
      }
    }
    const [startedAt, beganAt] = [this.#startedAt, this.#beganAt]
    this.#settle(this.#x, this.#option, { facts, startedAt, beganAt, endedAt, outcome, problem })
    // Whoever has told it is about to end what he writes.
    if (this.#afterEnd) queueMicrotask(this.#afterEnd)
  }
}
