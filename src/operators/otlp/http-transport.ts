import type { Exchange } from '../../model/exchange/exchange.ts'
import { Headers } from '../../model/exchange/headers.ts'
import type { OtlpResponse, SendOtlp } from '../../model/tracing/otlp-transport.ts'
import type { CalloutResponse, HttpCallout } from '../../upstream/http-callout.ts'
import { retryAfterMs } from '../../upstream/http/retry-after.ts'
import { callFailure } from './call-failure.ts'
import { embeddedMessage, partialSuccessIn } from './partial-success.ts'

/** How exports are sent over HTTP. */
export interface HttpTransportOptions {
  readonly callout: HttpCallout
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly timeoutMs: number
  /** The exchange that expressions and credentials of the service refer to. */
  readonly about: () => Exchange
}

/** Exports over HTTP, as protobuf. */
export const httpTransport =
  ({ callout, path, headers, timeoutMs, about }: HttpTransportOptions): SendOtlp =>
  async ({ messages, signal }) => {
    const fields = new Headers(['content-type', 'application/x-protobuf', 'user-agent', 'agentgateway'])
    for (const [name, value] of headers) fields.set(name, value)
    try {
      const response = await callout({
        method: 'POST',
        target: path,
        headers: fields,
        // Encoded messages of one type, one after the other, are a message with the fields of all.
        body: Buffer.concat(messages),
        timeoutMs,
        limitBytes: RESPONSE_LIMIT_BYTES,
        about: about(),
        signal,
      })
      return outcomeOf(response)
    } catch (fault) {
      return callFailure(fault)
    }
  }

const outcomeOf = ({ status, headers, body }: CalloutResponse): OtlpResponse => {
  if (status >= 200 && status < 300) {
    const partial = embeddedMessage(body)
    return { ok: true, partialSuccess: partial && partialSuccessIn(partial) }
  }
  const mayRetry = transient.has(status)
  return {
    ok: false,
    reason: status === 429 ? 'throttled' : mayRetry ? 'unavailable' : 'rejected',
    error: `the collector responded with status ${status}`,
    mayRetry,
    retryAfterMs: retryAfterMs(headers, Date.now()),
  }
}

/** The statuses that the specification of OTLP permits to retry. */
const transient: ReadonlySet<number> = new Set([429, 502, 503, 504])
const RESPONSE_LIMIT_BYTES = 65_536
