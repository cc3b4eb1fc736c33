import { Agent, type IncomingMessage, request } from 'node:http'
import { type Body, bodyAlreadyUsed, type BodySink } from '../../../src/model/exchange/body.ts'
import { Fault } from '../../../src/model/exchange/fault.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import type { RequestContext, SendToServer } from '../../../src/upstream/mcp/transport.ts'

/** Sends requests to one server, like a gateway without any policy; connections are kept. */
export const sendTo = (origin: string): SendToServer => {
  const agent = new Agent({ keepAlive: true })
  return (asked, replies) => {
    const { host, hostname, port } = new URL(origin)
    const { method, target, headers, body } = asked
    let isTakenBack = false
    const sent = request({
      agent,
      hostname,
      port,
      method,
      path: target,
      headers: ['host', host, ...fieldsOf(headers, body)],
    })
    sent.on('response', (message: IncomingMessage) => {
      const { statusCode = 0, rawHeaders } = message
      const lower = rawHeaders.map((part, i) => (i % 2 ? part : part.toLowerCase()))
      replies.head({ status: statusCode, headers: new Headers(lower), body: new MessageBody(message) })
    })
    sent.on('error', (cause) => {
      if (!isTakenBack) replies.fail(broken(cause))
    })
    sent.end(body)
    return () => {
      isTakenBack = true
      sent.destroy()
    }
  }
}

/** Without a principal: the default in tests of transports. */
export const requestContextTo = (origin: string, fields: Record<string, string> = {}): RequestContext => ({
  headers: Headers.of(fields),
  send: sendTo(origin),
})

const fieldsOf = (headers: Headers, body: Buffer | undefined): string[] =>
  body ? [...headers.raw, 'content-length', String(body.length)] : headers.raw

const broken = (cause: unknown): Fault =>
  new Fault('upstream_failed', 'upstream call failed', { status: 503, reason: 'UpstreamFailure', cause })

class MessageBody implements Body {
  readonly lengthBytes: number | undefined
  readonly #message: IncomingMessage
  #isUsed = false

  constructor(message: IncomingMessage) {
    const length = message.headers['content-length']
    this.lengthBytes = length === undefined ? undefined : Number(length)
    this.#message = message
  }

  pipe(to: BodySink): void {
    if (this.#isUsed) throw bodyAlreadyUsed()
    this.#isUsed = true
    const message = this.#message
    message.on('data', (chunk: Buffer) => {
      if (to.write(chunk)) return
      message.pause()
      to.onDrain(() => message.resume())
    })
    message.on('end', () => to.end())
    // An aborted response is an error of the message, a cancelled request is not.
    message.on('error', (cause) => to.fail(broken(cause)))
  }

  read(limitBytes: number): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    return new Promise((resolve, reject) => {
      this.pipe({
        write: (chunk) => {
          chunks.push(chunk)
          return true
        },
        end: () => {
          const whole = Buffer.concat(chunks)
          if (whole.length <= limitBytes) resolve(whole)
          else reject(new Error('the body is too large'))
        },
        fail: reject,
        onDrain: () => undefined,
      })
    })
  }

  drop(): void {
    if (this.#isUsed) return
    this.#isUsed = true
    this.#message.on('error', () => undefined)
    this.#message.destroy()
  }

  source(): never {
    throw new Error('an answer is not sent on here')
  }
}
