import { BufferBody, emptyBody } from '../../model/body.ts'
import type { Evaluate } from '../../model/evaluate.ts'
import type { Exchange } from '../../model/exchange.ts'
import { onRequest, type Operator, type Verdict } from '../../pipeline/stage.ts'
import {
  type AwsCredentialSource,
  type AwsSession,
  checkSession,
} from '../../upstream/credentials/aws/aws-credentials.ts'
import { signRequest } from '../../upstream/credentials/aws/sign-request.ts'
import { signingScope } from '../../upstream/credentials/aws/signing-scope.ts'
import { CredentialFault } from '../../upstream/credentials/credential-fault.ts'
import { holdRequest } from '../body/hold.ts'
import { applied } from '../policy-note.ts'

/** What an upstream is called. */
export interface UpstreamNames {
  /** What the Host field of the exchange's request will say. */
  readonly sent: (x: Exchange) => string
  /** Its own name; undefined if it has none, and clients may say what they like. */
  readonly own: (x: Exchange) => string | undefined
}

/** How requests are signed. */
export interface SignForAwsOptions {
  readonly region?: string
  readonly serviceName?: string
  readonly credentials: AwsCredentialSource
  /** As what a role is assumed, if one is. */
  readonly sessionName: string | Evaluate | undefined
  readonly tags: readonly (readonly [key: string, value: string | Evaluate])[]
  readonly names: UpstreamNames
  /** How much of a body is read to be signed; a longer one is refused with 413. */
  readonly bufferLimitBytes: number
}

/**
 * Signs requests as AWS wants them. Their bodies are read first, since the signature covers them; only those to S3, which
 * can do without, go on as they come.
 *
 * Belongs right before the call: whatever changes a request after it makes the signature wrong.
 *
 * @throws CredentialFault `backend_auth_failed`, through the error channel.
 */
export const signForAws = (options: SignForAwsOptions): Operator =>
  onRequest('backend-auth', awsSigner(options))

/** The signing of one request. */
export const awsSigner =
  (options: SignForAwsOptions) =>
  async (x: Exchange): Promise<Verdict> => {
    const scope = signingScope(options, options.names.own(x) ?? '')
    const session = { name: sessionName(options, x), tags: options.tags.map((tag) => evaluatedTag(tag, x)) }
    checkSession(session)
    const credentials = await options.credentials(session)
    const streams = scope.service === 's3' && !isAtHand(x)
    const refusal = streams ? undefined : await holdRequest(x, options.bufferLimitBytes)
    if (refusal) return refusal
    await signRequest(x.request, options.names.sent(x), streams ? undefined : bytesOf(x), credentials, scope)
    x.probe?.note(applied('backend_auth', `aws: signed for ${scope.service} in ${scope.region}`))
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
