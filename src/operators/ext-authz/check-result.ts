import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import type { FieldChange } from '../headers/header-mutation.ts'

/** The decision of an authorization service. It may be cached, so it is immutable. */
export type CheckResult = Allowed | Denied

interface CheckResultBase {
  /** The value of `extauthz` in expressions. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  /** False for responses that only report a failure of the service. */
  readonly isCacheable: boolean
}

/** The request is allowed, with changes. */
export interface Allowed extends CheckResultBase {
  readonly allowed: true
  /** Fields that are removed from the request before others are set. Lower-case. */
  readonly removed: readonly string[]
  readonly fields: readonly FieldChange[]
  readonly query: {
    readonly set: readonly (readonly [name: string, value: string])[]
    readonly removed: readonly string[]
  }
  /** Fields for the reply, wherever it comes from. */
  readonly replyFields: readonly FieldChange[]
}

/** The request is refused with this reply. */
export interface Denied extends CheckResultBase {
  readonly allowed: false
  readonly status: number
  readonly headers: Headers
  /** Undefined for the gateway's own text. */
  readonly body: Buffer | undefined
}

/** As much of a body as the service may see. */
export interface RequestBodyPart {
  readonly bytes: Buffer
  readonly isPartial: boolean
}

/** Checks a request with a service. Rejects if the service cannot decide. */
export type AuthzClient = (x: Exchange, body: RequestBodyPart | undefined) => Promise<CheckResult>

/** The header that states whether the service gets only a part of the body. */
export const PARTIAL_BODY = 'x-envoy-auth-partial-body'

/** The fault of a service that made no decision, as the trace shows it; the client reads nothing of it. */
export const undecided = (why: string): Fault =>
  new Fault('ext_authz_failed', why, { status: 403, reason: 'ExtAuth' })

/**
 * The fault of a check that cannot be made because of what the request contains or lacks. Clients must not be able to
 * bypass the service with such requests: they are refused even where `failureMode` allows requests while the service is
 * unavailable.
 */
export const checkNotPossible = (why: string): Fault =>
  new Fault('ext_authz_unaskable', why, { status: 403, reason: 'ExtAuth' })
