import type { Exchange } from '../../model/exchange.ts'
import { Fault } from '../../model/fault.ts'
import type { Headers } from '../../model/headers.ts'
import type { FieldChange } from '../field-change.ts'

/** What a deciding service said of a request. It may be remembered, so nothing in it changes. */
export type Judgement = Allowed | Denied

interface Judged {
  /** What expressions read as `extauthz`. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  /** False for answers that only say that the service is not well. */
  readonly mayBeRemembered: boolean
}

/** The request may pass, changed. */
export interface Allowed extends Judged {
  readonly allowed: true
  /** Fields of the request that go, before others are set. Lower-case. */
  readonly removed: readonly string[]
  readonly fields: readonly FieldChange[]
  readonly query: {
    readonly set: readonly (readonly [name: string, value: string])[]
    readonly removed: readonly string[]
  }
  /** For the answer, whoever gives it. */
  readonly replyFields: readonly FieldChange[]
}

/** The request is answered like this. */
export interface Denied extends Judged {
  readonly allowed: false
  readonly status: number
  readonly headers: Headers
  /** Undefined leaves the words to us. */
  readonly body: Buffer | undefined
}

/** As much of a body as the service may see. */
export interface ShownBody {
  readonly bytes: Buffer
  readonly isPartial: boolean
}

/** Asks a service about a request. Rejects if it cannot tell. */
export type Decider = (x: Exchange, body: ShownBody | undefined) => Promise<Judgement>

/** Tells a service whether what it sees of a body is all of it. */
export const PARTIAL_BODY = 'x-envoy-auth-partial-body'

/** The fault of a decider that cannot tell, as the trace shows it; the client reads nothing of it. */
export const undecided = (why: string): Fault =>
  new Fault('ext_authz_failed', why, { status: 403, reason: 'ExtAuth' })

/**
 * The fault of a question that cannot be put, because of what is in the request or missing from it. Whoever makes such
 * requests must not get past a decider that nobody could ask: they are refused whatever holds for one that is away.
 */
export const unaskable = (why: string): Fault =>
  new Fault('ext_authz_unaskable', why, { status: 403, reason: 'ExtAuth' })
