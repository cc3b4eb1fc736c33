import { Agent, request } from 'undici'
import { freshForMs } from './cache-lifetime.ts'
import { readResponse } from '../http/response/read-response.ts'
import { beginWork } from '../../model/introspection/active-work.ts'
import { redactUrl } from '../../model/trace/redact.ts'

/** A fetched document, or the confirmation that it has not changed. */
export interface RemoteDocument {
  /** Undefined: it has not changed since `etag`. */
  readonly text: string | undefined
  readonly etag: string | undefined
  /** How long it may be used without a new request. */
  readonly freshForMs: number
}

/** The request for a document. */
export interface DocumentRequest {
  readonly url: string
  readonly accept: string
  /** Of the cached document. */
  readonly etag?: string | undefined
  readonly signal?: AbortSignal
}

/** For the whole response. */
const TIMEOUT_MS = 5_000
/** Key sets and metadata are small. */
const LIMIT_BYTES = 1_048_576

/**
 * Fetches small documents, such as key sets and metadata, from configured URLs. Follows no redirects (the configuration
 * vouches for the address, not for its successors), uses no proxies of the environment, and reads a megabyte in five
 * seconds at most, unless configured otherwise.
 *
 * @throws Error with a sentence for the log, if there is no document.
 */
export class DocumentClient {
  readonly #agent = new Agent({ connect: { timeout: TIMEOUT_MS }, connections: 2, allowH2: false })
  readonly #timeoutMs: number
  readonly #limitBytes: number

  constructor(timeoutMs: number = TIMEOUT_MS, limitBytes: number = LIMIT_BYTES) {
    this.#timeoutMs = timeoutMs
    this.#limitBytes = limitBytes
  }

  async fetch({ url, accept, etag, signal }: DocumentRequest): Promise<RemoteDocument> {
    const timeOut = AbortSignal.timeout(this.#timeoutMs)
    const end = beginWork('document fetch', redactUrl(url), {
      deadlineAt: performance.now() + this.#timeoutMs,
    })
    try {
      const { statusCode, headers, body } = await request(url, {
        dispatcher: this.#agent,
        headers: {
          accept,
          'user-agent': 'agentgateway',
          ...(etag === undefined ? {} : { 'if-none-match': etag }),
        },
        signal: signal ? AbortSignal.any([signal, timeOut]) : timeOut,
      })
      const fresh = freshForMs(one(headers['cache-control']), one(headers.age))
      if (statusCode === 304 && etag !== undefined) {
        await body.dump()
        return { text: undefined, etag, freshForMs: fresh }
      }
      if (statusCode !== 200) {
        // Reads a little of it and releases it. Destroying it would emit an error event without a listener.
        await body.dump()
        throw new Error(`it answered with status ${statusCode}`)
      }
      const text = (await readResponse(body, this.#limitBytes)).toString('utf8')
      return { text, etag: one(headers.etag), freshForMs: fresh }
    } catch (error) {
      if (timeOut.aborted) throw new Error(`it did not answer within ${this.#timeoutMs} ms`, { cause: error })
      throw new Error(reasonOf(error), { cause: error })
    } finally {
      end()
    }
  }

  /** Cuts the requests under way. */
  async destroy(): Promise<void> {
    await this.#agent.destroy()
  }
}

const one = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' || value === undefined ? value : value.join(', ')

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  // Node tries several addresses, and keeps the reasons inside.
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : undefined
  return error.message || (inner instanceof Error ? inner.message : (code ?? error.name))
}
