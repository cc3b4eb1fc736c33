import { Readable } from 'node:stream'
import { Fault } from '../model/exchange/fault.ts'

/** Plain words for errors of sockets and libraries: their own texts go to the log only. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EADDRNOTAVAIL: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  ENOENT: 'no such socket',
  ENDPOINT_REMOVED: 'endpoint removed',
  EACCES: 'permission denied',
  EMFILE: 'too many open connections',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  PROXY_MALFORMED: 'malformed answer of the proxy',
  PROXY_CLOSED: 'connection closed by the proxy',
  PROXY_UNREACHABLE: 'proxy unreachable',
  PROXY_USELESS: 'not reachable through a proxy',
  UND_ERR_SOCKET: 'connection closed before the answer was complete',
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'the request does not have the length it announced',
  UND_ERR_INVALID_ARG: 'the request cannot be written',
  UND_ERR_CLOSED: 'the gateway is shutting down',
  UND_ERR_DESTROYED: 'the gateway is shutting down',
}

/** Codes of malformed responses: the upstream is reachable, but breaks the protocol. */
const MALFORMED = /^HPE_|^ERR_HTTP2_ERROR$|^UND_ERR_RES_CONTENT_LENGTH|^UND_ERR_HEADERS_OVERFLOW/

/** Messages of clients about responses without a request, such as a 101, and about malformed frames. */
const NONSENSE = /^bad (response|upgrade)$|NGHTTP2_(PROTOCOL|COMPRESSION|FRAME_SIZE|FLOW_CONTROL)_ERROR/

/** The fault for an error of an HTTP client or of a socket towards an upstream, once the request was on its way. */
export const upstreamFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error
  const code = codeOf(error)
  const malformed = MALFORMED.test(code) || (error instanceof Error && isNonsense(error))
  return malformed
    ? malformedResponse(error)
    : failed('upstream_failed', WORDS[code] ?? wordOfTls(code), error)
}

/** The fault for an error before anything of the request was sent: another address may be tried without a risk. */
export const connectFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error
  const code = codeOf(error)
  // The request itself is what cannot be sent, and no other address would take it.
  if (code.startsWith('UND_ERR_') && code !== 'UND_ERR_CONNECT_TIMEOUT' && code !== 'UND_ERR_SOCKET')
    return failed('upstream_failed', WORDS[code] ?? 'the request cannot be written', error)
  return failed('upstream_connect', WORDS[code] ?? wordOfTls(code), error)
}

/** The fault of a proxy's refusal. Its response body may quote the credential, and is not shown. */
export const refusedByProxy = (status: number): Fault =>
  failed('upstream_connect', `refused by the proxy with ${status}`, undefined)

/** The fault of a response that cannot be passed on. */
export const malformedResponse = (cause: unknown): Fault =>
  new Fault('upstream_malformed', 'upstream call failed: malformed answer', {
    status: 502,
    reason: 'UpstreamFailure',
    cause,
  })

/** The fault of a name that has no addresses. */
export const dnsFault = (cause: unknown): Fault =>
  new Fault('upstream_dns', 'backends required DNS resolution which failed', {
    status: 503,
    reason: 'UpstreamFailure',
    cause,
  })

/** The fault of a service without endpoints. */
export const noEndpoint = (): Fault =>
  new Fault('no_endpoint', 'no healthy backends', { status: 503, reason: 'NoHealthyBackend' })

/** The fault of a request body that broke off; the part sent upstream has been cut. */
export const requestBodyBroken = (cause: unknown): Fault =>
  new Fault('request_body_broken', 'the request body ended early', {
    status: 400,
    reason: 'InvalidRequest',
    cause,
  })

/** Whether it is the request's own body that broke: it carries the error, or was destroyed before its end. */
export const brokeRequestBody = (body: unknown, error: Error): boolean =>
  body instanceof Readable && (body.errored === error || codeOf(error) === 'UND_ERR_ABORTED')

/** Why a call was abandoned when its caller was gone. It reaches no client. */
export const abandoned = new Fault('abandoned', 'nobody waits for this answer')

/** Whether a fault is the upstream's, and neither the request's nor the gateway's own. */
export const blamesUpstream = ({ reason, cause }: Fault): boolean =>
  reason === 'UpstreamFailure' && !OF_OUR_SIDE.has(codeOf(cause))

const OF_OUR_SIDE: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENDPOINT_REMOVED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
])

/** The code of an error, or that of the first of several that are reported as one. */
export const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length) return codeOf(error.errors[0])
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** undici always sets a name on its parser's errors, but not always a code. */
const isNonsense = ({ name, message }: Error): boolean => name === 'HTTPParserError' || NONSENSE.test(message)

const failed = (code: string, words: string, cause: unknown): Fault =>
  new Fault(code, `upstream call failed: ${words}`, { status: 503, reason: 'UpstreamFailure', cause })

const wordOfTls = (code: string): string =>
  /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/.test(code) ? 'TLS handshake failed' : 'connection failed'
