import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'

/** A request over TLS. */
export interface TlsRequestParts {
  /** The server name that the handshake asks for. */
  readonly serverName: string
  /** By default the server name. */
  readonly host?: string
  readonly path?: string
  readonly version?: '1.1' | '2'
  /** Certificates, among others. By default any certificate of the server is accepted. */
  readonly tls?: ConnectionOptions
}

/** The response. */
export interface TlsResponse {
  readonly status: number
  readonly text: string
}

/** Sends one request on its own TLS connection to 127.0.0.1. */
export const sendTlsRequest = async (port: number, parts: TlsRequestParts): Promise<TlsResponse> => {
  const { serverName, host = serverName, path = '/', version = '1.1' } = parts
  const tls = { servername: serverName, rejectUnauthorized: false, ...parts.tls }
  if (version === '2') return sendHttp2Request(port, host, path, tls)
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers: { host }, agent: false as const, ...tls }
    const req = request(options, (res) => {
      text(res).then((body) => resolve({ status: res.statusCode ?? 0, text: body }), reject)
    })
    req.on('error', reject).end()
  })
}

/** Does a handshake with 127.0.0.1, and returns the connection; rejects as the client sees it. */
export const handshake = async (port: number, options: ConnectionOptions): Promise<TLSSocket> => {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  socket.on('error', () => undefined)
  return socket
}

const sendHttp2Request = async (
  port: number,
  host: string,
  path: string,
  tls: ConnectionOptions,
): Promise<TlsResponse> => {
  const session = connectHttp2(`https://127.0.0.1:${port}`, tls)
  // After a handshake of TLS 1.3 the server may still refuse the client's certificate.
  const failed = new Promise<never>((_, reject) => {
    session.once('error', reject).once('close', () => reject(new Error('the session closed')))
  })
  failed.catch(() => undefined)
  try {
    const stream = session.request({ ':authority': host, ':path': path })
    stream.on('error', () => undefined)
    const [headers] = (await Promise.race([once(stream, 'response'), failed])) as [{ ':status': number }]
    return { status: headers[':status'], text: await text(stream) }
  } finally {
    session.destroy()
  }
}
