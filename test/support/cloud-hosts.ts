import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Authority } from './certificates.ts'

/** A request to a host of a cloud. */
export interface CloudRequest {
  readonly host: string
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Hosts of clouds on this machine. */
export interface CloudHosts extends AsyncDisposable {
  /** Environment variables for a program that uses them in place of the real ones. */
  readonly env: Readonly<Record<string, string>>
  readonly asked: CloudRequest[]
}

/**
 * Stands in for hosts of clouds on the internet, for libraries with fixed hosts: a proxy that directs every connection
 * here, and certificates of a test CA.
 *
 * @param answer The response of a host, as JSON; undefined is 404.
 */
export const startCloudHosts = async (
  authority: Authority,
  names: readonly string[],
  answer: (asked: CloudRequest) => object | undefined,
): Promise<CloudHosts> => {
  const asked: CloudRequest[] = []
  const { cert, key } = authority.issue(
    'cloud',
    names.map((name) => `DNS:${name}`),
  )
  const server = createTlsServer({ cert, key }, (req, res) => {
    text(req).then(
      (body) => {
        const { method = '', url: target = '', headers } = req
        const one = { host: headers.host ?? '', method, target, headers, body }
        asked.push(one)
        const said = answer(one)
        res.writeHead(said ? 200 : 404, { 'content-type': 'application/json' })
        res.end(JSON.stringify(said ?? {}))
      },
      () => res.destroy(),
    )
  })
  const sockets = new Set<Socket>()
  const proxy = createServer((_, res) => res.writeHead(501).end())
  proxy.on('connect', (_, client: Socket) => {
    const upstream = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      client.pipe(upstream).pipe(client)
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  for (const one of [server, proxy]) {
    one.listen(0, '127.0.0.1')
    await once(one, 'listening')
  }
  return {
    asked,
    env: {
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      NODE_EXTRA_CA_CERTS: authority.certFile,
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await Promise.all(
        [server, proxy].map(async (one) => {
          one.closeAllConnections()
          one.close()
          await once(one, 'close')
        }),
      )
    },
  }
}
