import { Fault } from '../../model/fault.ts'
import { Headers } from '../../model/headers.ts'
import type { Ask } from '../ask.ts'
import type { ClientProof } from './client-authentication.ts'
import { CredentialFault } from './credential-fault.ts'
import { parameterBody } from './parameter-body.ts'
import { errorAnswer, type TokenAnswer, tokenAnswer } from './token-answer.ts'

/** Where tokens are had, and how requests for them are written. */
export interface TokenEndpointOptions {
  readonly ask: Ask
  readonly path: string
  readonly timeoutMs: number
  readonly format: 'form' | 'json'
  /** Undefined for clients that nobody asks who they are. */
  readonly proof: (() => ClientProof | Promise<ClientProof>) | undefined
  /** Whether requests carry a token of the client's, so that a refusal may be the client's fault. */
  readonly isForClient: boolean
}

/** Asks for a token with these parameters; those that prove who asks are added. */
export type RequestToken = (
  parameters: readonly (readonly [name: string, value: string])[],
) => Promise<TokenAnswer>

/**
 * Asks a token endpoint (RFC 6749 §5).
 *
 * Rejects with a `CredentialFault`, or a `TokenRefused` where the token of the client was not taken. Neither quotes what
 * was sent or answered, but for the error codes that RFCs define.
 */
export const tokenEndpoint =
  ({ ask, path, timeoutMs, format, proof, isForClient }: TokenEndpointOptions): RequestToken =>
  async (parameters) => {
    const proved = proof === undefined ? undefined : await proof()
    const { contentType, body } = parameterBody([...parameters, ...(proved?.parameters ?? [])], format)
    const headers = new Headers(['accept', 'application/json', 'content-type', contentType])
    if (proved?.authorization !== undefined) headers.append('authorization', proved.authorization)
    const question = { method: 'POST', target: path, headers, body, timeoutMs, limitBytes: LIMIT_BYTES }
    const answer = await ask(question).catch((fault: unknown) => {
      throw new CredentialFault(`the token endpoint did not answer${reasonOf(fault)}`, {
        isOfIssuer: true,
        cause: fault,
      })
    })
    const { status } = answer
    if (status >= 200 && status < 300) return tokenAnswer(answer.body)
    throw errorAnswer(status, answer.body, isForClient)
  }

/** Tokens are short, even those with many claims. */
const LIMIT_BYTES = 262_144

const reasonOf = (fault: unknown): string =>
  fault instanceof Fault && fault.code === 'upstream_timeout' ? ' in time' : ''
