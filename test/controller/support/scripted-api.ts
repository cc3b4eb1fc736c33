import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { KubeConfig } from '@kubernetes/client-node'
import { ApiClient, type ApiLimits } from '../../../src/controller/api/api-client.ts'
import { ClusterAccess } from '../../../src/controller/api/cluster-access.ts'
import { type ClusterConfig, libraryConfig } from '../../../src/controller/api/cluster-config.ts'
import { Queue } from './queue.ts'

/** A request as the server got it, and the means to respond. */
export class ApiCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Resolves when the connection is gone or the response has ended. */
  readonly closed: Promise<unknown>
  readonly #response: ServerResponse

  constructor(request: IncomingMessage, body: string, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api')
    this.method = request.method ?? ''
    this.path = pathname
    this.query = searchParams
    this.headers = request.headers
    this.body = body
    this.closed = once(response, 'close')
    this.#response = response
  }

  get isWatch(): boolean {
    return this.query.get('watch') === 'true'
  }

  json(value: unknown, status = 200, headers: Record<string, string> = {}): void {
    this.#response.writeHead(status, { 'content-type': 'application/json', ...headers })
    this.#response.end(JSON.stringify(value))
  }

  list(items: readonly unknown[], resourceVersion: string, next?: string): void {
    this.json({ metadata: { resourceVersion, ...(next === undefined ? {} : { continue: next }) }, items })
  }

  fail(code: number, reason: string, message = reason, headers: Record<string, string> = {}): void {
    this.json({ kind: 'Status', status: 'Failure', code, reason, message }, code, headers)
  }

  /** Writes a part of a stream. */
  write(bytes: string | Buffer): void {
    this.#response.write(bytes)
  }

  event(type: string, object: unknown): void {
    this.write(`${JSON.stringify({ type, object })}\n`)
  }

  end(): void {
    this.#response.end()
  }

  /** Breaks the connection. */
  cut(): void {
    this.#response.destroy()
  }
}

/** An API server whose responses the test decides. */
export interface ScriptedApi extends AsyncDisposable {
  readonly origin: string
  readonly client: ApiClient
  readonly calls: Queue<ApiCall>
}

/** Starts the server, with a client for it. */
export const startScriptedApi = async (limits?: Partial<ApiLimits>): Promise<ScriptedApi> => {
  const calls = new Queue<ApiCall>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => calls.push(new ApiCall(request, Buffer.concat(chunks).toString(), response)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const client = new ApiClient(new ClusterAccess(configOf(origin)), limits)
  return {
    origin,
    client,
    calls,
    [Symbol.asyncDispose]: async () => {
      await client.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The configuration for an address; a token, unless given otherwise. */
export const configOf = (
  server: string,
  user: object = { token: 'the-token' },
): ClusterConfig & Pick<KubeConfig, 'exportConfig'> => {
  const config = new KubeConfig()
  config.loadFromClusterAndUser(
    { name: 'scripted', server, skipTLSVerify: true },
    { name: 'controller', ...user },
  )
  return { ...libraryConfig(config), exportConfig: () => config.exportConfig() }
}
