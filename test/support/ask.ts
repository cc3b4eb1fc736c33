import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** An answer, read to its end. */
export interface Answer {
  readonly status: number
  readonly version: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
}

/** Sends one request on a connection of its own. The target goes out as it is written, which `fetch` would not let it. */
export const ask = async (base: string, target: string, asked: Asked = {}): Promise<Answer> => {
  const { hostname, port } = new URL(base)
  const headers = { ...asked.headers, ...lengthOf(asked.body) }
  const req = request({ hostname, port, path: target, method: asked.method ?? 'GET', headers, agent: false })
  req.end(asked.body)
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  return {
    status: res.statusCode ?? 0,
    version: res.httpVersion,
    headers: res.headers,
    text: await text(res),
  }
}

const lengthOf = (body: string | Buffer | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
