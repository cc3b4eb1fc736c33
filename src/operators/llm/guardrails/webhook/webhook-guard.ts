import type { Exchange } from '../../../../model/exchange/exchange.ts'
import { Fault } from '../../../../model/exchange/fault.ts'
import { Headers } from '../../../../model/exchange/headers.ts'
import { Uncallable } from '../../../callout/uncallable.ts'
import { ConcurrencyLimit } from '../../../concurrency-limit.ts'
import {
  type Checking,
  type Guard,
  type GuardedText,
  GuardFailure,
  type GuardPhase,
  type GuardVerdict,
} from '../guard.ts'
import type { GuardRejection, TextScope } from '../schema/normal-form.ts'
import { addForwarded, type HeaderSelector, traceParents } from './forwarded-headers.ts'
import {
  type FieldExpressions,
  type WebhookRequestHead,
  evaluateHeaders,
  type HeaderExpressions,
  evaluateReplyHeaders,
  withHeaders,
} from './header-expressions.ts'
import { verdictOf } from './verdict.ts'
import type { CalloutResponse, HttpCallout, CalloutRequest } from '../../../../upstream/http-callout.ts'

/** The body of the callout: the texts to check, and nothing else of the conversation. */
export const webhookBody = (phase: GuardPhase, texts: readonly GuardedText[]): Buffer => {
  const messages = texts.map(({ role, text }) => ({ role, content: text }))
  const body = phase === 'request' ? { messages } : { choices: messages.map((message) => ({ message })) }
  return Buffer.from(JSON.stringify({ body }))
}

/** How a webhook is called. */
export interface WebhookGuardOptions {
  readonly callout: HttpCallout
  /** From the call, including the time to connect, to the last byte of the response. */
  readonly timeoutMs: number
  /** Limit of concurrent callouts; undefined is unlimited. */
  readonly maxConnections: number | undefined
  readonly headers: FieldExpressions
  /** Of the client's request, or of the provider's response. */
  readonly forwardHeaders: readonly HeaderSelector[]
  readonly opensOnFailure: boolean
  readonly rejectionHeaders: GuardRejection['headers']
  readonly scopes: ReadonlySet<TextScope>
}

/** Callouts that may be pending beyond the limit. */
const WAITING_LIMIT = 1_024

/**
 * Checks texts with a webhook of the operator: POST `/request` for requests of clients, POST `/response` for
 * responses of models.
 *
 * Redirects are not followed. A response that is not a clear verdict is a `GuardFailure`; a disconnected client is
 * the fault `abandoned`.
 */
export const webhookGuard = (options: WebhookGuardOptions): Guard => {
  const { callout, timeoutMs, maxConnections, headers, forwardHeaders, rejectionHeaders } = options
  const concurrency = new ConcurrencyLimit(
    maxConnections === undefined ? Infinity : maxConnections + WAITING_LIMIT,
  )

  const check = async (
    x: Exchange,
    texts: readonly GuardedText[],
    { phase, kept, reply, signal }: Checking,
  ): Promise<GuardVerdict> => {
    const fields = new Headers(['content-type', 'application/json'])
    const head: WebhookRequestHead = {
      method: 'POST',
      target: `/${phase}`,
      headers: fields,
      authority: undefined,
    }
    const body = webhookBody(phase, texts)
    const common = { body, timeoutMs, limitBytes: limitFor(body), about: x, signal }
    if (phase === 'request') {
      addForwarded(fields, x.request.headers, forwardHeaders)
      return verdictFor({ ...withHeaders(head, evaluateHeaders(headers, x)), ...common })
    }
    const { values, traces } = (kept as SavedRequest | undefined) ?? keep(x)
    if (reply) addForwarded(fields, reply.headers, forwardHeaders)
    if (traces.length) fields.delete('traceparent')
    for (const trace of traces) fields.append('traceparent', trace)
    return verdictFor({ ...withHeaders(head, values), ...common })

    async function verdictFor(request: CalloutRequest): Promise<GuardVerdict> {
      return verdictOf(await respond(request), { phase, texts, rejectionHeaders })
    }
  }

  const keep = (x: Exchange): SavedRequest => ({
    values: evaluateReplyHeaders(headers, x),
    traces: traceParents(x),
  })

  const respond = async (request: CalloutRequest): Promise<CalloutResponse> => {
    try {
      const response = concurrency.run(() => callout(request))
      if (response) return await response
    } catch (error) {
      throw failureOf(error, request)
    }
    throw new GuardFailure(
      `${String(maxConnections)} calls are under way and ${WAITING_LIMIT} wait: GUARDRAIL_WEBHOOK_MAX_CONNECTIONS is the limit`,
    )
  }

  return { name: 'webhook', scopes: options.scopes, opensOnFailure: options.opensOnFailure, keep, check }
}

/** What the response phase needs of the client's request. */
interface SavedRequest {
  readonly values: HeaderExpressions
  readonly traces: readonly string[]
}

const LEAST_LIMIT_BYTES = 1_048_576
/** A byte of text may be escaped to three: é becomes \u00e9. */
const LIMIT_FACTOR = 3

/** Longest response to a callout: it may repeat all of the texts. */
const limitFor = ({ length }: Buffer): number => LEAST_LIMIT_BYTES + LIMIT_FACTOR * length

const failureOf = (error: unknown, { timeoutMs, limitBytes }: CalloutRequest): unknown => {
  // The client has disconnected: no verdict is needed.
  if (!(error instanceof Fault) || error.code === 'abandoned') return error
  // Clients could cause that: no guard fails open for it.
  if (error instanceof Uncallable) return error
  if (error.code === 'upstream_timeout') return new GuardFailure(`gave no answer within ${timeoutMs} ms`)
  if (error.code === 'body_too_large')
    return new GuardFailure(`gave an answer of more than ${limitBytes} bytes`)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return new GuardFailure(`could not be asked: ${error.message}${cause}`)
}
