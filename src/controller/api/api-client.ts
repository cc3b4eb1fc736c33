import { Observable, timeout } from 'rxjs'
import type { Dispatcher } from 'undici'
import { applyBody } from './apply-body.ts'
import { ApiFailure, asApiFailure, failureOfStatus } from './api-failure.ts'
import type { ClusterAccess } from './cluster-access.ts'
import { JsonLines, parseApiJson } from './json-lines.ts'

/** A request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** `application/json` unless given. */
  readonly contentType?: string
  readonly accept?: string
  readonly timeoutMs?: number
}

/** An event of a watch. Errors are failures of the stream. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: unknown
}

/** Limits of a client. */
export interface ApiLimits {
  /** Of a response. A page of a list is a response. */
  readonly responseBytes: number
  /** Of an event of a watch. Objects have 1.5 MB as stored. */
  readonly eventBytes: number
}

/**
 * Requests to the API server, as cold observables: subscribing sends the request, and unsubscribing aborts it. Fails
 * with {@link ApiFailure} only.
 */
export class ApiClient {
  readonly #access: ClusterAccess
  readonly #limits: ApiLimits
  readonly #mayWrite: () => boolean

  constructor(access: ClusterAccess, limits: Partial<ApiLimits> = {}, mayWrite: () => boolean = () => true) {
    this.#access = access
    this.#mayWrite = mayWrite
    this.#limits = { responseBytes: 64 * MIB, eventBytes: 16 * MIB, ...limits }
  }

  /** Emits the response, parsed. */
  request(request: ApiRequest): Observable<unknown> {
    const { timeoutMs = 30_000 } = request
    return new Observable<unknown>((out) =>
      this.#send(request, {
        onBody: (body) =>
          void readText(body, this.#limits.responseBytes)
            .then(parseApiJson)
            .then(
              (value) => {
                out.next(value)
                out.complete()
              },
              (error: unknown) => out.error(asApiFailure(error)),
            ),
        onFailure: (failure) => out.error(failure),
      }),
    ).pipe(timeout({ first: timeoutMs, with: () => timedOut(request, timeoutMs) }))
  }

  /**
   * Emits the events of a watch as they come; completes when the server ends it.
   *
   * @param silenceMs A connection that brings nothing for so long, not even a bookmark, counts as broken.
   */
  watch(request: Omit<ApiRequest, 'method'>, silenceMs: number): Observable<WatchEvent> {
    return new Observable<WatchEvent>((out) =>
      this.#send(
        { ...request, method: 'GET', query: { ...request.query, watch: true } },
        {
          onBody: (body) => {
            const lines = new JsonLines(this.#limits.eventBytes, (value) => out.next(eventOf(value)))
            body.on('data', (chunk: Buffer) => {
              try {
                lines.push(chunk)
              } catch (error) {
                out.error(asApiFailure(error))
              }
            })
            body.on('error', (error) => out.error(asApiFailure(error)))
            body.on('end', () => out.complete())
          },
          onFailure: (failure) => out.error(failure),
        },
      ),
    ).pipe(timeout({ each: silenceMs, with: () => timedOut({ ...request, method: 'GET' }, silenceMs) }))
  }

  /** A client with the same connections, which sends nothing but GET unless it may write at that moment. */
  writingWhile(mayWrite: () => boolean): ApiClient {
    return new ApiClient(this.#access, this.#limits, mayWrite)
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#access.close()
  }

  /** Sends a request; returns the function that aborts it. */
  #send(request: ApiRequest, { onBody, onFailure }: ResponseHandlers): () => void {
    const abort = new AbortController()
    this.#dispatch(request, abort.signal).then(
      (body) => {
        body.on('error', () => undefined) // also of a body that is no longer read
        if (!abort.signal.aborted) onBody(body)
      },
      (error: unknown) => {
        if (!abort.signal.aborted) onFailure(asApiFailure(error))
      },
    )
    return () => abort.abort()
  }

  async #dispatch(request: ApiRequest, signal: AbortSignal): Promise<ResponseBody> {
    const { origin, basePath } = this.#access
    const { dispatcher, headers } = await this.#access.connection()
    if (request.method !== 'GET' && !this.#mayWrite())
      throw new ApiFailure(0, 'NotLeader', 'this replica does not lead any more')
    const {
      statusCode,
      headers: fields,
      body,
    } = await dispatcher.request({
      origin,
      path: `${basePath}${request.path}${queryText(request.query)}`,
      method: request.method,
      headers: {
        ...headers,
        accept: request.accept ?? 'application/json',
        'user-agent': 'agentgateway-controller',
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      },
      body: bodyText(request),
      signal,
    })
    if (statusCode >= 200 && statusCode < 300) return body
    body.on('error', () => undefined)
    throw failureOfStatus(statusCode, await errorBody(body), retryAfterMsOf(fields['retry-after']))
  }
}

type ResponseBody = Dispatcher.ResponseData['body']

interface ResponseHandlers {
  readonly onBody: (body: ResponseBody) => void
  readonly onFailure: (failure: ApiFailure) => void
}

const timedOut = ({ method, path }: Pick<ApiRequest, 'method' | 'path'>, ms: number): Observable<never> => {
  throw new ApiFailure(0, 'Timeout', `${method} ${path}: nothing came for ${ms} ms`)
}

const readText = async (body: ResponseBody, limitBytes: number): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // Leaving the loop destroys the body, and so ends the connection.
    if (bytes > limitBytes)
      throw new ApiFailure(0, 'TooLarge', `the response is larger than ${limitBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The `Status` of an error, if there is one: proxies before the API server send other things. */
const errorBody = async (body: ResponseBody): Promise<unknown> => {
  try {
    return parseApiJson(await readText(body, MIB))
  } catch {
    return undefined
  }
}

const eventOf = (value: unknown): WatchEvent => {
  const { type, object } = (value ?? {}) as { readonly type?: unknown; readonly object?: unknown }
  if (type === 'ERROR') throw failureOfStatus(500, object)
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK')
    return { type, object }
  throw new ApiFailure(0, 'Malformed', 'the API server sent a watch event without a known type')
}

const bodyText = ({ body, contentType }: ApiRequest): string | null => {
  if (body === undefined) return null
  return contentType === 'application/apply-patch+yaml' ? applyBody(body) : JSON.stringify(body)
}

const queryText = (query: ApiRequest['query'] = {}): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value))
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}

const retryAfterMsOf = (value: string | string[] | undefined): number => {
  const seconds = typeof value === 'string' ? Number(value) : 0
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 60) * 1_000 : 0
}

const MIB = 1024 * 1024
