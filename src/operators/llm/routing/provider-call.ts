import { performance } from 'node:perf_hooks'
import type { Exchange } from '../../../model/exchange.ts'
import type { LlmOutcome } from '../../../model/llm-usage-record.ts'
import { Reply } from '../../../model/reply.ts'
import type { ReplyFacts } from '../../../protocols/llm/chat/codec.ts'
import { type ChatFormat, isChatFormat, isFormat, type OtherFormat } from '../../../protocols/llm/format.ts'
import { takeDown } from './account.ts'
import { adaptOpaque } from './adapt-opaque.ts'
import { adaptReply } from './adapt-reply.ts'
import type { Answering, Ask, AttemptTimes } from './ask.ts'
import type { Option } from './candidate.ts'
import { firstEvent } from './first-event.ts'
import type { Heard } from './heard.ts'
import { type HeardJson, isHeardJson } from './client-draft.ts'
import { guardedFirst, guardedUnseen, mustSeeStreams, unguardableStream } from './guarded-first.ts'
import { guardingRealtime, unguardableConversation } from './guarded-realtime.ts'
import { guarding } from './guarding.ts'
import { planChat, prepareChat, type Prepared } from './prepare-chat.ts'
import { prepareOpaque } from './prepare-opaque.ts'
import { planOther, prepareOther } from './prepare-other.ts'
import type { ReplyLimits } from './reply-limits.ts'
import { tellRequest } from './tell-trace.ts'
import type { AttemptWatch } from './stream-watch.ts'
import { isToldInTokens } from './told-in-tokens.ts'

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
    return prepared(x, heard, option, limits)
  },
  settled: (x, option, times) => new Watch(x, option, times, settle),
})

const none: readonly string[] = []

const prepared = (x: Exchange, heard: Heard, option: Option, limits: ReplyLimits): Answering | Reply => {
  const { type } = heard
  if (!isHeardJson(heard) || !isFormat(type)) return opaque(x, heard, option, limits)
  return isChatFormat(type) ? chat(x, heard, type, option, limits) : other(x, heard, type, option, limits)
}

const chat = (
  x: Exchange,
  heard: HeardJson,
  format: ChatFormat,
  option: Option,
  limits: ReplyLimits,
): Answering | Reply => {
  const { guards, provider } = option.candidate
  const plan = planChat(x, heard, format, option)
  if (plan instanceof Reply) return plan
  const { streaming } = heard.facts
  const { upstream } = plan
  if (format === 'converse' && streaming && guards && mustSeeStreams(guards)) return unguardableStream()
  const kept = guards?.response.map((guard) => guard.keep?.(x))
  const answering = guardedFirst(x, guards, { format, draft: plan.draft }, () => {
    const before = x.request.body
    const made = prepareChat(x, heard, format, option, plan)
    if (made instanceof Reply) return made
    if (x.llm && made.dropped.length) x.llm.dropped = made.dropped
    if (x.probe) tellRequest(x, before)
    return { adapt: adapting(x, made, limits) }
  })
  if (answering instanceof Reply || (!guards && !streaming)) return answering
  const beginWithinMs = streaming ? provider.firstTokenTimeoutMs : undefined
  return {
    ...answering,
    adapt: guards && kept ? guarding(x, answering, { guards, kept, format, limits }) : answering.adapt,
    begin: streaming ? beginning(upstream, limits, beginWithinMs !== undefined) : undefined,
    beginWithinMs,
  }
}

/** Made out here, as the next one: in there they would hold what was read of the request, which may be long. */
const adapting =
  (x: Exchange, made: Prepared, limits: ReplyLimits): Answering['adapt'] =>
  (reply, watch) =>
    adaptReply({ x, reply, prepared: made, limits, watch })

const beginning =
  (upstream: ChatFormat, { eventBytes }: ReplyLimits, awaitsToken: boolean): Answering['begin'] =>
  (reply) =>
    firstEvent(reply, upstream, eventBytes, awaitsToken)

const other = (
  x: Exchange,
  heard: HeardJson,
  format: OtherFormat,
  option: Option,
  limits: ReplyLimits,
): Answering | Reply => {
  const draft = planOther(x, heard, format, option)
  if (draft instanceof Reply) return draft
  // Who only wants a count gets no answer of the model.
  const guards = format === 'embeddings' || format === 'rerank' ? option.candidate.guards : undefined
  if (format === 'embeddings' && guards?.request.length && isToldInTokens(heard.body.json))
    return guardedUnseen()
  return guardedFirst(x, guards, { format, draft }, () => {
    const before = x.request.body
    const made = prepareOther(x, heard, format, option, draft, limits)
    if (!(made instanceof Reply) && x.probe) tellRequest(x, before)
    return made
  })
}

const opaque = (x: Exchange, heard: Heard, option: Option, limits: ReplyLimits): Answering | Reply => {
  const { guards, provider } = option.candidate
  // What a model says about it counts once that has been chosen.
  const type = heard.type === 'passthrough' && provider.passthrough === 'detect' ? 'detect' : heard.type
  const unguarded =
    guards && (heard.type === 'realtime' ? unguardableConversation(x, guards) : guardedUnseen())
  if (unguarded) return unguarded
  const guard = guards && guardingRealtime(x, guards, limits)
  const before = x.request.body
  const refusal = prepareOpaque(x, { ...heard, type }, option)
  if (refusal) return refusal
  if (x.probe) tellRequest(x, before)
  return {
    adapt: (reply, watch) => {
      const adapted = adaptOpaque(reply, type, watch, limits)
      return guard ? guard(adapted) : adapted
    },
  }
}

class Watch implements AttemptWatch {
  readonly #x: Exchange
  readonly #option: Option
  readonly #times: AttemptTimes
  readonly #settle: Settle
  #beganAt: number | undefined = undefined
  #isOver = false
  #afterEnd: (() => void) | undefined = undefined

  constructor(x: Exchange, option: Option, times: AttemptTimes, settle: Settle) {
    this.#x = x
    this.#option = option
    this.#times = times
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
    const { startedAt } = this.#times
    const { llm } = this.#x
    if (llm) {
      takeDown(this.#x, llm, facts)
      if (this.#beganAt !== undefined) {
        llm.timeToFirstTokenMs = this.#beganAt - startedAt
        const outputTokens = facts.usage?.outputTokens
        if (outputTokens !== undefined && outputTokens > 1)
          llm.timePerOutputTokenMs = (endedAt - this.#beganAt) / (outputTokens - 1)
      }
    }
    const beganAt = this.#beganAt
    this.#settle(this.#x, this.#option, { facts, startedAt, beganAt, endedAt, outcome, problem })
    // Whoever has told it is about to end what he writes.
    if (this.#afterEnd) queueMicrotask(this.#afterEnd)
  }
}
