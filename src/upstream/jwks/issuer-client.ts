import { Agent, request } from 'undici'
import { Fault } from '../model/fault.ts'
import type { Closable } from './leaving.ts'
import { wholeAnswer } from './whole-answer.ts'

/** A small request to somebody else's server. */
export interface Relayed {
  readonly url: string
  readonly body: Buffer | string
  readonly contentType: string
  /** The `Authorization` of whoever asked. */
  readonly authorization?: string | undefined
}

/** The answer to it. */
export interface RelayedAnswer {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: Buffer
}

const TIMEOUT_MS = 5_000
const LIMIT_BYTES = 262_144

/**
 * Posts small forms and documents to other servers, and hands over what they answer: token requests, registrations.
 * Follows no redirects and uses no proxies of the environment.
 */
export class FormRelay implements Closable {
  readonly #agent = new Agent({ connect: { timeout: TIMEOUT_MS }, connections: 16, allowH2: false })

  /** @throws Fault `issuer_unavailable` if there is no answer, or too much of one. */
  async post({ url, body, contentType, authorization }: Relayed): Promise<RelayedAnswer> {
    try {
      const answer = await request(url, {
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
      const type = answer.headers['content-type']
      return {
        status: answer.statusCode,
        contentType: typeof type === 'string' ? type : undefined,
        body: await wholeAnswer(answer.body, LIMIT_BYTES),
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
