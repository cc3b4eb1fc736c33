import { createServer, type IncomingMessage, request, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Certificate } from './certificates.ts'
import { listening, type UpstreamServer } from './upstream-servers.ts'

/** A proxy that resolves every name to 127.0.0.1, and records its requests. */
export interface HttpProxy extends UpstreamServer {
  /** Request lines, without the version. */
  readonly lines: string[]
  /** Their headers: `Host`, and `Proxy-Authorization` if present. */
  readonly said: { readonly host: string | undefined; readonly credential: string | undefined }[]
  /** Replies 407 to requests with other credentials. */
  credential: string | undefined
}

/** Starts a proxy on 127.0.0.1; with a certificate it uses TLS. */
export const startProxy = async (certificate?: Certificate): Promise<HttpProxy> => {
  const lines: string[] = []
  const said: { host: string | undefined; credential: string | undefined }[] = []
  const note = ({ method = '', url = '', headers }: IncomingMessage) => {
    lines.push(`${method} ${url}`)
    said.push({ host: headers.host, credential: headers['proxy-authorization'] })
  }
  const isWelcome = ({ headers }: IncomingMessage) =>
    proxy.credential === undefined || headers['proxy-authorization'] === proxy.credential
  const forward: RequestListener = (req, res) => {
    note(req)
    if (!isWelcome(req)) {
      res.writeHead(407, { 'proxy-authenticate': 'Basic realm="inside"' }).end('who is asking?')
      return
    }
    const { port, pathname, search } = new URL(req.url ?? '')
    const { 'proxy-authorization': _, ...headers } = req.headers
    const onward = request(
      { host: '127.0.0.1', port: port || 80, method: req.method, path: pathname + search, headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
    )
    onward.on('error', () => res.writeHead(502).end())
    req.pipe(onward)
  }
  const tunnel = (req: IncomingMessage, client: Duplex) => {
    note(req)
    client.on('error', () => undefined)
    if (!isWelcome(req)) {
      client.end('HTTP/1.1 407 Who\r\nproxy-authenticate: Basic\r\ncontent-length: 14\r\n\r\nwho is asking?')
      return
    }
    const upstream = connect({ host: '127.0.0.1', port: Number(req.url?.split(':').at(-1)) })
    upstream.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    upstream.on('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\nvia: a proxy\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => (client as Socket).destroySoon())
  }
  const server: Server = certificate
    ? createTlsServer({ cert: certificate.cert, key: certificate.key }, forward)
    : createServer(forward)
  server.on('connect', tunnel)
  const proxy: HttpProxy = Object.assign(await listening(server), { lines, said, credential: undefined })
  return proxy
}
