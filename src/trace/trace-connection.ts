import {
  type ErrorEvent,
  EventSource,
  type FetchLike,
  type FetchLikeResponse,
  type ReaderLike,
} from 'eventsource'
import type { Subscriber } from 'rxjs'
import type { TraceEventsOptions } from './trace-events-options.ts'
import { traceStatusError, TraceStreamError } from './trace-stream-error.ts'
import { withIdleTimeout } from './idle-timeout.ts'
import type { TraceEvent } from '../model/trace/trace-event.ts'

/** Longest event, in characters. Bodies have up to 88 KiB in base64. */
const maxEventChars = 8 * 1024 * 1024

/** A connection to a stream of trace events, for one subscriber. */
export class TraceConnection {
  readonly #options: TraceEventsOptions
  readonly #subscriber: Subscriber<TraceEvent>
  readonly #source: EventSource
  #failure: TraceStreamError | undefined = undefined
  #wasOpen = false
  #finished = 0
  #isIncomplete = false
  /** Keeps the process alive between two connections, which the library does not. */
  #pause: NodeJS.Timeout | undefined = undefined

  constructor(url: URL, options: TraceEventsOptions, subscriber: Subscriber<TraceEvent>) {
    this.#options = options
    this.#subscriber = subscriber
    const source = new EventSource(url, { fetch: this.#fetch, maxBufferSize: maxEventChars })
    this.#source = source
    source.addEventListener('open', () => this.#onOpen())
    source.addEventListener('message', ({ data }) => this.#onMessage(data as string))
    source.addEventListener('error', (error) => this.#onError(error))
  }

  /** Ends the connection. */
  close(): void {
    clearInterval(this.#pause)
    this.#source.close()
  }

  readonly #fetch: FetchLike = async (url, init) => {
    const { token, headers, fetch: call = globalThis.fetch } = this.#options
    const bearer = typeof token === 'function' ? await token() : token
    const response = await call(url, {
      ...init,
      headers: {
        ...headers,
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...init.headers,
      },
      // A token is for this address only.
      redirect: 'manual',
    })
    if (response.status !== 200) this.#failure = traceStatusError(response.status, await firstText(response))
    return response.status === 200 ? withIdleTimeout(response) : response
  }

  #onOpen(): void {
    clearInterval(this.#pause)
    this.#wasOpen = true
    this.#options.onState?.('open')
  }

  #onMessage(data: string): void {
    const event = parseEvent(data)
    if (event === undefined) {
      this.#fail(new TraceStreamError('unexpected', `this is no trace event: ${data.slice(0, 100)}`))
      return
    }
    if (event.message.type === 'requestFinished') this.#finished++
    if (event.message.type === 'dropped') this.#isIncomplete = true
    this.#subscriber.next(event)
  }

  #onError({ message = '', code }: ErrorEvent): void {
    if (this.#source.readyState === this.#source.CLOSED)
      this.#fail(this.#failure ?? new TraceStreamError('unexpected', message, code))
    else if (!this.#wasOpen) this.#fail(new TraceStreamError('unreachable', message))
    else if (this.#options.follow) {
      clearInterval(this.#pause)
      this.#pause = setInterval(() => undefined, 60_000)
      this.#options.onState?.('reconnecting')
    } else this.#onEnd(message)
  }

  #onEnd(message: string): void {
    const { count = 1 } = this.#options
    const isWhole = message === '' && (this.#finished >= count || this.#isIncomplete)
    if (!isWhole) {
      const shown = `${String(this.#finished)} of ${String(count)} requests`
      const text = message === '' ? 'the gateway ended the stream' : message
      this.#fail(new TraceStreamError('ended', `${text} after ${shown}`))
      return
    }
    this.close()
    this.#subscriber.complete()
  }

  #fail(error: TraceStreamError): void {
    this.close()
    this.#subscriber.error(error)
  }
}

const parseEvent = (data: string): TraceEvent | undefined => {
  try {
    const event = JSON.parse(data) as TraceEvent | null
    // Every consumer reads the type; all else may come from another version.
    return typeof (event?.message as { type?: unknown } | undefined)?.type === 'string'
      ? (event ?? undefined)
      : undefined
  } catch {
    return undefined
  }
}

const firstText = async ({ body }: FetchLikeResponse): Promise<string> => {
  const reader: ReaderLike | undefined = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (reader !== undefined && text.length < 4096) {
    const { done, value } = await reader.read()
    if (done) return text
    text += decoder.decode(value, { stream: true })
  }
  await reader?.cancel()
  return text.slice(0, 4096)
}
