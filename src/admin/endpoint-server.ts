import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { ServerAddress } from '../model/process-settings.ts'
import { answerText, type Endpoint } from './endpoint.ts'
import { listen, type Listening } from './listen.ts'
import { acceptProxyHeader } from './proxy-header.ts'
import { foreignCaller } from './same-site.ts'

/** A server of the process itself: a table of endpoints at an address. */
export interface EndpointServer {
  readonly address: ServerAddress
  readonly endpoints: readonly Endpoint[]
  /** Check that callers mean this machine. Names beyond the loopback ones; absent: no check at all. */
  readonly hosts?: readonly string[] | undefined
  /** Lets connections begin with a PROXY header, which is skipped. Default false. */
  readonly acceptsProxyHeader?: boolean
  /** Told what an endpoint threw; the caller reads `internal error` and nothing else. */
  readonly onError?: (error: unknown, path: string) => void
}

/**
 * Serves endpoints. Unknown paths answer 404, wrong methods 405 with `Allow`, callers from elsewhere 403.
 *
 * @throws The system's error if the address cannot be listened on.
 */
export const serveEndpoints = (settings: EndpointServer): Promise<Listening> => {
  const table = new Map(settings.endpoints.map((endpoint) => [endpoint.path, endpoint]))
  const hosts = settings.hosts && new Set(settings.hosts.map((name) => name.toLowerCase()))
  const onError = settings.onError ?? (() => undefined)

  const handler: RequestListener = (req, res) => {
    res.on('error', () => undefined) // the caller left; nobody is there to be told
    res.setHeader('x-content-type-options', 'nosniff')
    const method = req.method ?? ''
    const { pathname, searchParams } = targetOf(req)
    const endpoint = table.get(pathname)
    const foreign = hosts && foreignCaller(method, req.headers, hosts)

    if (foreign !== undefined) answerText(res, 403, `${foreign}\n`)
    else if (!endpoint) answerNothing(res, 404)
    else if (!answers(endpoint, method)) answerNothing(res, 405, { allow: endpoint.methods.join(', ') })
    else if (Number(req.headers['content-length'] ?? 0) > maxBodyBytes)
      answerText(res, 413, `body too large: at most ${maxBodyBytes} bytes\n`)
    else
      receiveBody(req, res, endpoint.takesBody ?? false, (body) => {
        void run(endpoint, { req, res, query: searchParams, body }, onError)
      })
  }
  return listen(settings.address, handler, settings.acceptsProxyHeader ? acceptProxyHeader : undefined)
}

const run = async (
  endpoint: Endpoint,
  call: Parameters<Endpoint['handle']>[0],
  onError: (error: unknown, path: string) => void,
): Promise<void> => {
  try {
    await endpoint.handle(call)
  } catch (error) {
    onError(error, endpoint.path)
    if (call.res.headersSent) call.res.destroy()
    else answerText(call.res, 500, 'internal error\n')
  }
}

const answers = ({ methods }: Endpoint, method: string): boolean =>
  methods.length === 0 || methods.includes(method)

const answerNothing = (res: ServerResponse, status: number, headers: Record<string, string> = {}): void => {
  res.writeHead(status, { 'content-length': 0, ...headers })
  res.end()
}

/** Gives the body to who takes it. Others do not wait: theirs is thrown away. One that grows too large is cut. */
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

const maxBodyBytes = 64 * 1024

/** The request's target against a base that is never seen; what cannot be parsed is no known path. */
const targetOf = (
  req: IncomingMessage,
): { readonly pathname: string; readonly searchParams: URLSearchParams } =>
  URL.parse(req.url ?? '', 'http://admin.invalid') ?? { pathname: '', searchParams: new URLSearchParams() }
