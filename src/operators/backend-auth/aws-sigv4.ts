import { BufferBody, emptyBody } from '../../model/exchange/body.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { onRequest, type Operator, type Verdict } from '../../pipeline/stage.ts'
import {
  type AwsCredentialSource,
  type AwsSession,
  checkSession,
} from '../../upstream/credentials/aws/aws-credentials.ts'
import { signRequest } from '../../upstream/credentials/aws/sign-request.ts'
import { signingScope } from '../../upstream/credentials/aws/signing-scope.ts'
import { CredentialFault } from '../../upstream/credentials/credential-fault.ts'
import { bufferRequestBody } from '../body/buffer-body.ts'
import { applied } from '../trace-policy.ts'

/** The host names of an upstream. */
export interface UpstreamNames {
  /** The Host field that the exchange's request will have. */
  readonly sent: (x: Exchange) => string
  /** Its configured name; undefined if it has none and the client's Host is passed on. */
  readonly own: (x: Exchange) => string | undefined
}

/** How requests are signed. */
export interface SignForAwsOptions {
  readonly region?: string
  readonly serviceName?: string
  readonly credentials: AwsCredentialSource
  /** The session name for an assumed role, if one is assumed. */
  readonly sessionName: string | Evaluate | undefined
  readonly tags: readonly (readonly [key: string, value: string | Evaluate])[]
  readonly names: UpstreamNames
  /** Longest body that is read to be signed, in bytes; a longer one is refused with 413. */
  readonly bufferLimitBytes: number
}

/**
 * Signs requests with AWS Signature Version 4. Their bodies are read first, since the signature covers them. Only
 * bodies of requests to S3, which accepts unsigned payloads, are streamed.
 *
 * Belongs right before the call: every change of a request after it makes the signature invalid.
 *
 * @throws CredentialFault `backend_auth_failed`, through the error channel.
 */
export const signForAws = (options: SignForAwsOptions): Operator =>
  onRequest('backend-auth', awsSigner(options))

/** Signs one request. */
export const awsSigner =
  (options: SignForAwsOptions) =>
  async (x: Exchange): Promise<Verdict> => {
    const scope = signingScope(options, options.names.own(x) ?? '')
    const session = { name: sessionName(options, x), tags: options.tags.map((tag) => evaluatedTag(tag, x)) }
    checkSession(session)
    const credentials = await options.credentials(session)
    const streams = scope.service === 's3' && !isAtHand(x)
    const refusal = streams ? undefined : await bufferRequestBody(x, options.bufferLimitBytes)
    if (refusal) return refusal
    await signRequest(x.request, options.names.sent(x), streams ? undefined : bytesOf(x), credentials, scope)
    x.probe?.record(applied('backend_auth', `aws: signed for ${scope.service} in ${scope.region}`))
    return undefined
  }

const isAtHand = ({ request: { body } }: Exchange): boolean =>
  body instanceof BufferBody || body === emptyBody || body.lengthBytes === 0

const bytesOf = ({ request: { body } }: Exchange): Uint8Array =>
  body instanceof BufferBody ? body.bytes : new Uint8Array()

const sessionName = ({ sessionName: name }: SignForAwsOptions, x: Exchange): AwsSession['name'] =>
  typeof name === 'function' ? textOf(name, x, 'the name of the AWS session') : name

const evaluatedTag = (
  [key, value]: readonly [string, string | Evaluate],
  x: Exchange,
): readonly [string, string] => [
  key,
  typeof value === 'string' ? value : textOf(value, x, `the AWS session tag ${key}`),
]

const textOf = (expression: Evaluate, x: Exchange, what: string): string => {
  const result = expression(x)
  if ('value' in result && typeof result.value === 'string') return result.value
  throw new CredentialFault(`${what} could not be evaluated`, { cause: result })
}
