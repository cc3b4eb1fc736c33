import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { TlsServer } from '../../model/resources/tls-server.ts'
import type { ModuleLog } from '../../model/log/module-log.ts'
import type { ServerAddress } from '../../model/resources/process-settings.ts'
import { acceptProxyHeader } from './accept-proxy-header.ts'
import { acceptTls } from './accept-tls.ts'
import { callerRefusal, type CallerRules } from './authentication.ts'
import { dispatcher, type EndpointRequest, maxBodyBytes } from './dispatch.ts'
import { replyQuoting, replyText, type AdminEndpoint } from '../endpoint.ts'
import { listenOn, type ListeningServer } from './listen.ts'
import { isRtsp } from '../../streams/http/http1/protocol.ts'
import { foreignCaller } from './origin-check.ts'
import { requestUrlOf } from './request-target.ts'

/** An admin server: a table of endpoints at an address. */
export interface EndpointServer {
  /** The name in the log. */
  readonly name?: string
  readonly address: ServerAddress
  readonly endpoints: readonly AdminEndpoint[]
  /** Host names allowed besides loopback names; absent: no check of `Host` and `Origin`. */
  readonly hosts?: readonly string[] | undefined
  /** Who may call it; absent: every client. */
  readonly callers?: CallerRules | undefined
  /** Terminates TLS. */
  readonly tls?: TlsServer | undefined
  /** Accepts and skips a PROXY protocol header. Default false. */
  readonly acceptsProxyHeader?: boolean
  /** Gets every request, at `debug`. */
  readonly log?: ModuleLog | undefined
  /** Called with the error of an endpoint; the client gets only `internal error`. */
  readonly onError?: (error: unknown, path: string) => void
}

/**
 * Serves endpoints. Unknown paths get 404, wrong methods 405 with `Allow`, foreign origins 403, callers without
 * credentials 401.
 *
 * @throws The system's error if the address cannot be listened on, or the certificate not be used.
 */
export const serveEndpoints = async (settings: EndpointServer): Promise<ListeningServer> => {
  const dispatch = dispatcher(settings.endpoints, settings.onError ?? (() => undefined))
  const hosts = settings.hosts && new Set(settings.hosts.map((name) => name.toLowerCase()))

  const handler: RequestListener = (req, res) => {
    res.on('error', () => undefined) // the client left
    res.setHeader('x-content-type-options', 'nosniff')
    const target = requestUrlOf(req.url ?? '')
    if (settings.log?.debug) logCall(settings.log, settings.name, req, res, target.pathname)
    const malformed = malformedHead(req)
    const refusal = settings.callers && callerRefusal(req, settings.callers)
    const foreign = hosts && foreignCaller(req.method ?? '', req.headers, hosts, target.authority)

    if (malformed !== undefined) replyText(res, 400, `${malformed}\n`, { connection: 'close' })
    else if (foreign !== undefined) replyQuoting(res, 403, `${foreign}\n`)
    else if (refusal) replyText(res, refusal.status, refusal.text, refusal.headers)
    else {
      const lengthBytes = Number(req.headers['content-length'] ?? 0)
      const receive: EndpointRequest['receive'] = (isTaken, go) => {
        receiveBody(req, res, isTaken, go)
      }
      dispatch({ req, target, lengthBytes, receive }, res)
    }
  }
  const { tls, onError = () => undefined } = settings
  const prepare = tls
    ? acceptTls(tls, (error) => onError(error, 'tls'))
    : settings.acceptsProxyHeader
      ? acceptProxyHeader
      : undefined
  return listenOn(settings.address, handler, prepare)
}

const logCall = (
  log: ModuleLog,
  server: string | undefined,
  { method, socket }: IncomingMessage,
  res: ServerResponse,
  path: string,
): void => {
  const began = performance.now()
  const client = socket.remoteAddress
  res.once('close', () => {
    const durationMs = Math.round((performance.now() - began) * 1000) / 1000
    log.debug?.('a request to a server of the gateway', {
      server,
      method,
      path,
      status: res.headersSent ? res.statusCode : undefined,
      client,
      durationMs,
    })
  })
}

/**
 * Reads the body for endpoints that take it. For others it is discarded, without waiting. A body beyond the limit cuts
 * the connection.
 */
const receiveBody = (
  req: IncomingMessage,
  res: ServerResponse,
  isTaken: boolean,
  go: (body: Buffer) => void,
): void => {
  const chunks: Buffer[] = []
  let received = 0
  req.on('error', () => undefined)
  req.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received > maxBodyBytes) res.destroy()
    else if (isTaken) chunks.push(chunk)
  })
  if (!isTaken) go(Buffer.alloc(0))
  else
    req.on('end', () => {
      if (!res.destroyed) go(Buffer.concat(chunks))
    })
}

/** Requests that a server must refuse, though the parser accepts them (RFC 9112 sections 2.3 and 3.2). */
const malformedHead = (req: IncomingMessage): string | undefined => {
  const { httpVersion, rawHeaders } = req
  if ((httpVersion !== '1.1' && httpVersion !== '1.0') || isRtsp(req, true))
    return 'protocol version not supported'
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts++
  if (hosts > 1) return 'several hosts'
  return hosts === 0 && httpVersion === '1.1' ? 'no host' : undefined
}
