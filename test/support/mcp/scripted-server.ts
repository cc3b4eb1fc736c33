import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as received, with its body parsed. */
export interface ScriptedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  // Tests read messages without types.
  readonly body: { readonly [member: string]: unknown; readonly id?: number; readonly method?: string }
  /** The client has disconnected before the response was complete. */
  readonly gone: Promise<undefined>
}

/** Responds to a request in a way that the test defines. */
export type Script = (request: ScriptedRequest, response: ServerResponse) => void

/** A server with responses from the test, which records its requests. */
export interface ScriptedServer extends AsyncDisposable {
  readonly origin: string
  readonly requests: readonly ScriptedRequest[]
  /** The number of its connections. */
  readonly connections: number
  /** Resolves with the `n`th request, counted from one. */
  request(n: number): Promise<ScriptedRequest>
}

/** The address of a server; a free port by default. */
export interface ServerAddress {
  readonly address: string
  readonly port?: number
}

/** Starts one on this machine. */
export const startScripted = async (
  script: Script,
  { address, port = 0 }: ServerAddress = { address: '127.0.0.1' },
): Promise<ScriptedServer> => {
  const requests: ScriptedRequest[] = []
  let connections = 0
  let waiting: { readonly n: number; readonly come: (request: ScriptedRequest) => void }[] = []
  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    void read(message, response).then((request) => {
      requests.push(request)
      for (const { n, come } of waiting) if (n === requests.length) come(request)
      waiting = waiting.filter(({ n }) => n > requests.length)
      script(request, response)
    })
  })
  server.on('connection', () => connections++)
  server.listen(port, address)
  await once(server, 'listening')
  return {
    origin: `http://${address}:${(server.address() as AddressInfo).port}`,
    requests,
    get connections() {
      return connections
    },
    request: (n) => {
      const come = requests[n - 1]
      return come ? Promise.resolve(come) : new Promise((resolve) => waiting.push({ n, come: resolve }))
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Responds with one JSON value. */
export const respondJson = (
  response: ServerResponse,
  value: unknown,
  fields: Record<string, string> = {},
): void => {
  response.writeHead(200, { 'content-type': 'application/json', ...fields }).end(JSON.stringify(value))
}

/** Opens an event stream and sends the events so far, each a JSON value or the text of an event. */
export const respondEvents = (response: ServerResponse, ...events: readonly unknown[]): void => {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  for (const event of events)
    response.write(typeof event === 'string' ? `${event}\n\n` : `data: ${JSON.stringify(event)}\n\n`)
}

const read = async (message: IncomingMessage, response: ServerResponse): Promise<ScriptedRequest> => {
  const { promise: gone, resolve } = Promise.withResolvers<undefined>()
  response.on('close', () => {
    if (!response.writableEnded) resolve(undefined)
  })
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return {
    method: message.method ?? '',
    url: message.url ?? '',
    headers: message.headers,
    body: (text === '' ? {} : JSON.parse(text)) as ScriptedRequest['body'],
    gone,
  }
}
