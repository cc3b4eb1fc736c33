import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening } from '../upstream-servers.ts'

/** The reaction of a provider to a request with a complete body. */
export type ProviderScript = (response: ServerResponse, request: IncomingMessage, body: Buffer) => void

/** A request to a provider. */
export interface ProviderRequest {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Providers of one process, each with its own base path. */
export interface ScriptedProviders<Name extends string> extends AsyncDisposable {
  /** The base path of a provider. */
  baseUrl(name: Name): string
  /** Its requests so far. */
  asked(name: Name): readonly ProviderRequest[]
  /** Open connections. */
  readonly connections: () => number
}

/** Starts providers with reactions from the test, also on the raw socket. */
export const startProviders = async <Name extends string>(
  scripts: Readonly<Record<Name, ProviderScript>>,
): Promise<ScriptedProviders<Name>> => {
  const asked = new Map<string, ProviderRequest[]>()
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const { url = '', headers } = request
    const name = url.split('/')[1] ?? ''
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      asked.set(name, [...(asked.get(name) ?? []), { url, headers, body }])
      scripts[name as Name](response, request, body)
    })
    request.on('error', () => undefined)
    response.on('error', () => undefined)
  })
  const { port, sockets, [Symbol.asyncDispose]: dispose } = await listening(server)
  return {
    baseUrl: (name) => `http://127.0.0.1:${String(port)}/${name}/v1`,
    asked: (name) => asked.get(name) ?? [],
    connections: () => sockets.size,
    [Symbol.asyncDispose]: dispose,
  }
}

/** Responds with JSON. */
export const json =
  (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): ProviderScript =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(value))

/** Responds with an event stream of these pieces, one write each; it ends unless a piece is `never` or `cut`. */
export const events =
  (...pieces: readonly (string | Buffer | typeof cut | typeof never)[]): ProviderScript =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    const next = (i: number): void => {
      const piece = pieces[i]
      if (piece === never) return
      if (piece === cut) response.destroy()
      else if (piece === undefined) response.end()
      else response.write(piece, () => setImmediate(next, i + 1))
    }
    next(0)
  }

/** The connection is aborted here. */
export const cut = Symbol('cut')
/** No more data follows, and no end. */
export const never = Symbol('never')

/** Writes bytes that no HTTP server would send, and closes the connection. */
export const raw =
  (bytes: string | Buffer): ProviderScript =>
  ({ socket }) =>
    void socket?.end(bytes)
