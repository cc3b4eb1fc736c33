import { Fault } from '../../model/exchange/fault.ts'
import { Headers } from '../../model/exchange/headers.ts'
import type { ClientProof } from './client-authentication.ts'
import { CredentialFault } from './credential-fault.ts'
import { tokenErrorResponse, type TokenResponse, tokenResponse } from './token-response.ts'
import type { HttpCallout } from '../http-callout.ts'

/** The body of a token request, and its content type. */
export interface ParameterBody {
  readonly contentType: string
  readonly body: Buffer
}

/**
 * Encodes the parameters of a token request, as a form or as a JSON object. Repeated parameters become a list in JSON.
 */
export const parameterBody = (
  parameters: readonly (readonly [name: string, value: string])[],
  format: 'form' | 'json',
): ParameterBody => {
  if (format === 'form') {
    const form = new URLSearchParams()
    for (const [name, value] of parameters) form.append(name, value)
    return { contentType: 'application/x-www-form-urlencoded', body: Buffer.from(form.toString()) }
  }
  const object: Record<string, string | string[]> = {}
  for (const [name, value] of parameters) {
    const before = object[name]
    object[name] = before === undefined ? value : [before, value].flat()
  }
  return { contentType: 'application/json', body: Buffer.from(JSON.stringify(object)) }
}

/** The address of a token endpoint, and how requests to it are encoded. */
export interface TokenEndpointOptions {
  readonly callout: HttpCallout
  readonly path: string
  readonly timeoutMs: number
  readonly format: 'form' | 'json'
  /** Undefined for public clients, which do not authenticate. */
  readonly proof: (() => ClientProof | Promise<ClientProof>) | undefined
  /** Whether requests carry a token of the caller, so that a refusal may be the caller's fault. */
  readonly isForClient: boolean
}

/** Requests a token with these parameters; client authentication is added. */
export type RequestToken = (
  parameters: readonly (readonly [name: string, value: string])[],
) => Promise<TokenResponse>

/**
 * Calls a token endpoint (RFC 6749 §5).
 *
 * Rejects with a `CredentialFault`, or a `TokenRefused` where the caller's token was refused. Neither quotes the
 * request or the response, except error codes that RFCs define.
 */
export const tokenEndpoint =
  ({ callout, path, timeoutMs, format, proof, isForClient }: TokenEndpointOptions): RequestToken =>
  async (parameters) => {
    const proved = proof === undefined ? undefined : await proof()
    const { contentType, body } = parameterBody([...parameters, ...(proved?.parameters ?? [])], format)
    const headers = new Headers(['accept', 'application/json', 'content-type', contentType])
    if (proved?.authorization !== undefined) headers.append('authorization', proved.authorization)
    const calloutRequest = { method: 'POST', target: path, headers, body, timeoutMs, limitBytes: LIMIT_BYTES }
    const response = await callout(calloutRequest).catch((fault: unknown) => {
      throw new CredentialFault(`the token endpoint did not answer${reasonOf(fault)}`, {
        isOfIssuer: true,
        cause: fault,
      })
    })
    const { status } = response
    if (status >= 200 && status < 300) return tokenResponse(response.body)
    throw tokenErrorResponse(status, response.body, isForClient)
  }

/** Tokens are short, even those with many claims. */
const LIMIT_BYTES = 262_144

const reasonOf = (fault: unknown): string =>
  fault instanceof Fault && fault.code === 'upstream_timeout' ? ' in time' : ''
