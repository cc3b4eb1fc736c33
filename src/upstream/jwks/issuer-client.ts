import { Agent, request } from 'undici'
import { Fault } from '../../model/exchange/fault.ts'
import type { Closable } from '../draining.ts'
import { readResponse } from '../http/response/read-response.ts'

/** A small request to an external server. */
export interface Relayed {
  readonly url: string
  readonly body: Buffer | string
  readonly contentType: string
  /** `Authorization` of the original request. */
  readonly authorization?: string | undefined
}

/** The response to it. */
export interface IssuerResponse {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: Buffer
}

const TIMEOUT_MS = 5_000
const LIMIT_BYTES = 262_144

/**
 * Posts small forms and documents to external servers and returns their responses: token requests, registrations.
 * Follows no redirects and uses no proxies of the environment.
 */
export class IssuerClient implements Closable {
  readonly #agent = new Agent({ connect: { timeout: TIMEOUT_MS }, connections: 16, allowH2: false })

  /** @throws Fault `issuer_unavailable` if there is no response, or one that is too large. */
  async post({ url, body, contentType, authorization }: Relayed): Promise<IssuerResponse> {
    try {
      const response = await request(url, {
        method: 'POST',
        dispatcher: this.#agent,
        headers: {
          accept: 'application/json',
          'content-type': contentType,
          ...(authorization === undefined ? {} : { authorization }),
        },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const type = response.headers['content-type']
      return {
        status: response.statusCode,
        contentType: typeof type === 'string' ? type : undefined,
        body: await readResponse(response.body, LIMIT_BYTES),
      }
    } catch (cause) {
      throw new Fault('issuer_unavailable', 'processing failed: the identity provider does not answer', {
        status: 503,
        reason: 'UpstreamFailure',
        cause,
      })
    }
  }

  async close(): Promise<void> {
    await this.#agent.close()
  }

  async destroy(): Promise<void> {
    await this.#agent.destroy()
  }
}
