import { performance } from 'node:perf_hooks'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Reply } from '../../../model/exchange/reply.ts'
import type { LlmOutcome } from '../../../model/llm/usage-record.ts'
import { guardRealtime, refuseUnguardableSession } from '../guardrails/realtime-stage.ts'
import { guardReplies } from '../guardrails/reply-stage.ts'
import {
  withRequestGuards,
  refuseUnreadable,
  guardsStreams,
  refuseUnguardableStream,
} from '../guardrails/request-stage.ts'
import { planChat, prepareChat, type Prepared } from '../provider-request/chat-request.ts'
import { type ParsedJsonRequest, isParsedJsonRequest } from '../provider-request/mutated-request.ts'
import { isTokenizedInput, planOther, prepareOther } from '../provider-request/other-request.ts'
import { prepareOpaque } from '../provider-request/passthrough-request.ts'
import { adaptPassthrough } from '../reply/adapt-passthrough.ts'
import { adaptReply } from '../reply/adapt-reply.ts'
import type { ReplyLimits } from '../reply/provider-reply.ts'
import type { AttemptObserver, StreamObserver } from '../reply/stream-observer.ts'
import type { ClientRequest } from '../request/client-request.ts'
import { firstEvent } from './await-first-event.ts'
import type { Option } from './provider-target.ts'
import { takeDown } from '../usage/record-usage.ts'
import { traceLlmRequest } from '../usage/trace-llm.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import type { ReplyAttributes } from '../../../protocols/llm/chat/codec.ts'
import { type ChatFormat, isChatFormat, isFormat, type OtherFormat } from '../../../protocols/llm/format.ts'

/** Makes the request for a provider, and later the client's answer of what it says. */
export interface ProviderCalls {
  /** Puts the provider's request in place of the client's; a refusal if it cannot be made. */
  prepare(x: Exchange, option: Option): PreparedCall | Reply
  /** Told when all is over, with the option that answered. */
  settled(x: Exchange, option: Option, attempt: AttemptTimes): AttemptObserver
}

/** How a provider's answer is dealt with. */
export interface PreparedCall {
  /** What has to be done first, where the request is not the provider's yet. */
  first?: First | undefined
  /** Makes the client's answer of it. */
  readonly adapt: (reply: Reply, watch: StreamObserver) => Reply | Promise<Reply>
  /** Of a stream: waits for its beginning, and says what is wrong if that is an error. */
  begin?: ((reply: Reply) => Promise<string | undefined>) | undefined
  /**
   * How long it may take from the beginning of the attempt until the answer has begun, whether or not there is somebody
   * else to ask then; undefined: for ever.
   */
  beginWithinMs?: number | undefined
}

/** The stage that asks guards, and then puts the provider's request in place of the client's. */
export interface First {
  /** @param sent Called when the request is the provider's, and about to be sent. */
  stage(sent: () => void): Operator
  /** Why the request did not get that far, if it did not. */
  readonly refusal: GuardRefusal | undefined
}

/** What the client gets in place of an answer. */
export interface GuardRefusal {
  readonly reply: Reply
  /** Nobody else is to be asked. */
  readonly isFinal: boolean
}

/** `performance.now()` when an attempt began, or when its provider was asked once guards had been. */
export interface AttemptTimes {
  startedAt: number
}

/** What became of one attempt. */
export interface Attempted {
  readonly facts: ReplyAttributes
  readonly startedAt: number
  /** `performance.now()` when the first token came; undefined if none did, or the answer was no stream. */
  readonly beganAt: number | undefined
  readonly endedAt: number
  readonly outcome: LlmOutcome
  /** What went wrong, where something did. */
  readonly problem: string | undefined
}

/** Is told of each attempt once it is over, after what it said was taken down. */
export type OnAttemptEnd = (x: Exchange, option: Option, attempted: Attempted) => void

/** How providers are asked what a client asks. */
export const providerCalls = (
  heard: ClientRequest,
  limits: ReplyLimits,
  settle: OnAttemptEnd,
): ProviderCalls => ({
  prepare: (x, option) => {
    if (x.protocol.llm) x.protocol.llm.provider = option.candidate.provider.telemetryName
    // What another option would have lost does not count.
    if (x.protocol.llm) x.protocol.llm.dropped = none
    return prepared(x, heard, option, limits)
  },
  settled: (x, option, times) => new Watch(x, option, times, settle),
})

const none: readonly string[] = []

const prepared = (
  x: Exchange,
  heard: ClientRequest,
  option: Option,
  limits: ReplyLimits,
): PreparedCall | Reply => {
  const { type } = heard
  if (!isParsedJsonRequest(heard) || !isFormat(type)) return opaque(x, heard, option, limits)
  return isChatFormat(type) ? chat(x, heard, type, option, limits) : other(x, heard, type, option, limits)
}

const chat = (
  x: Exchange,
  heard: ParsedJsonRequest,
  format: ChatFormat,
  option: Option,
  limits: ReplyLimits,
): PreparedCall | Reply => {
  const { guards, provider } = option.candidate
  const plan = planChat(x, heard, format, option)
  if (plan instanceof Reply) return plan
  const { streaming } = heard.facts
  const { upstream } = plan
  if (format === 'converse' && streaming && guards && guardsStreams(guards)) return refuseUnguardableStream()
  const kept = guards?.response.map((guard) => guard.keep?.(x))
  const answering = withRequestGuards(x, guards, { format, draft: plan.draft }, () => {
    const before = x.request.body
    const made = prepareChat(x, heard, format, option, plan)
    if (made instanceof Reply) return made
    if (x.protocol.llm && made.dropped.length) x.protocol.llm.dropped = made.dropped
    if (x.probe) traceLlmRequest(x, before)
    return { adapt: adapting(x, made, limits) }
  })
  if (answering instanceof Reply || (!guards && !streaming)) return answering
  const beginWithinMs = streaming ? provider.firstTokenTimeoutMs : undefined
  return {
    ...answering,
    adapt: guards && kept ? guardReplies(x, answering, { guards, kept, format, limits }) : answering.adapt,
    begin: streaming ? beginning(upstream, limits, beginWithinMs !== undefined) : undefined,
    beginWithinMs,
  }
}

/** Made out here, as the next one: in there they would hold what was read of the request, which may be long. */
const adapting =
  (x: Exchange, made: Prepared, limits: ReplyLimits): PreparedCall['adapt'] =>
  (reply, watch) =>
    adaptReply({ x, reply, prepared: made, limits, watch })

const beginning =
  (upstream: ChatFormat, { eventBytes }: ReplyLimits, awaitsToken: boolean): PreparedCall['begin'] =>
  (reply) =>
    firstEvent(reply, upstream, eventBytes, awaitsToken)

const other = (
  x: Exchange,
  heard: ParsedJsonRequest,
  format: OtherFormat,
  option: Option,
  limits: ReplyLimits,
): PreparedCall | Reply => {
  const draft = planOther(x, heard, format, option)
  if (draft instanceof Reply) return draft
  // Who only wants a count gets no answer of the model.
  const guards = format === 'embeddings' || format === 'rerank' ? option.candidate.guards : undefined
  if (format === 'embeddings' && guards?.request.length && isTokenizedInput(heard.body.json))
    return refuseUnreadable()
  return withRequestGuards(x, guards, { format, draft }, () => {
    const before = x.request.body
    const made = prepareOther(x, heard, format, option, draft, limits)
    if (!(made instanceof Reply) && x.probe) traceLlmRequest(x, before)
    return made
  })
}

const opaque = (
  x: Exchange,
  heard: ClientRequest,
  option: Option,
  limits: ReplyLimits,
): PreparedCall | Reply => {
  const { guards, provider } = option.candidate
  // What a model says about it counts once that has been chosen.
  const type = heard.type === 'passthrough' && provider.passthrough === 'detect' ? 'detect' : heard.type
  const unguarded =
    guards && (heard.type === 'realtime' ? refuseUnguardableSession(x, guards) : refuseUnreadable())
  if (unguarded) return unguarded
  const guard = guards && guardRealtime(x, guards, limits)
  const before = x.request.body
  const refusal = prepareOpaque(x, { ...heard, type }, option)
  if (refusal) return refusal
  if (x.probe) traceLlmRequest(x, before)
  return {
    adapt: (reply, watch) => {
      const adapted = adaptPassthrough(reply, type, watch, limits)
      return guard ? guard(adapted) : adapted
    },
  }
}

class Watch implements AttemptObserver {
  readonly #x: Exchange
  readonly #option: Option
  readonly #times: AttemptTimes
  readonly #settle: OnAttemptEnd
  #beganAt: number | undefined = undefined
  #isOver = false
  #afterEnd: (() => void) | undefined = undefined

  constructor(x: Exchange, option: Option, times: AttemptTimes, settle: OnAttemptEnd) {
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

  ended(facts: ReplyAttributes, outcome: LlmOutcome, problem?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    const endedAt = performance.now()
    const { startedAt } = this.#times
    const { llm } = this.#x.protocol
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
