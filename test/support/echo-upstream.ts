import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ReceivedResponse } from './send-request.ts'

/** A request to an echo upstream. */
export interface Echo {
  /** Of the upstream. */
  readonly name: string
  readonly method: string
  readonly target: string
  readonly version: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server that responds with its request, as JSON, and records it. */
export interface EchoUpstream extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly host: string
  readonly port: number
  readonly asked: Echo[]
  /** Its status; 200 at first. */
  status: number
  headers: Record<string, string | string[]>
}

/** Starts an echo upstream on 127.0.0.1, or on a unix socket. */
export const startEcho = async (name: string, socketPath?: string): Promise<EchoUpstream> => {
  const echo = { asked: [] as Echo[], status: 200, headers: {} as Record<string, string | string[]> }
  // An idle connection must not end just as the gateway uses it, on a machine that is slow.
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    const answer = (body: string) => {
      const { method = '', url = '', httpVersion, headers } = req
      const asked = { name, method, target: url, version: httpVersion, headers, body }
      echo.asked.push(asked)
      res.writeHead(echo.status, { 'content-type': 'application/json', ...echo.headers })
      res.end(JSON.stringify(asked))
    }
    // A request that is aborted gets no response.
    text(req).then(answer, () => res.destroy())
  })
  if (socketPath === undefined) server.listen(0, '127.0.0.1')
  else server.listen(socketPath)
  await once(server, 'listening')
  const port = socketPath === undefined ? (server.address() as AddressInfo).port : 0
  return Object.assign(echo, {
    port,
    host: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      if (server.listening) await once(server, 'close')
    },
  })
}

/** The request to the upstream, out of its response. */
export const echoed = ({ text: body, status }: ReceivedResponse): Echo => {
  if (!body.startsWith('{')) throw new Error(`no echo, but ${status} ${body}`)
  return JSON.parse(body) as Echo
}
