import { once } from 'node:events'
import { chmod, unlink } from 'node:fs/promises'
import {
  createServer,
  type RequestListener,
  type Server,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { ServerAddress } from '../../model/resources/process-settings.ts'
import { limitConnections } from './connections.ts'
import { hostPortText } from '../../protocols/ip/host-port.ts'

/** A listening admin server. */
export interface ListeningServer {
  /** `host:port` or `unix:/path`; empty if the server is off. Two for `localhost`. */
  readonly addresses: readonly string[]
  /** Stops accepting; active responses have `graceMs` to end, a second by default. */
  close(graceMs?: number): Promise<void>
}

/**
 * Listens for plain HTTP/1.1 on an address. `localhost` means both loopback addresses if there are two, and `::` falls
 * back to IPv4 without IPv6. Requests of a connection are handled one at a time.
 *
 * @param prepare Changes each server before it listens.
 * @throws The system's error (`EADDRINUSE`, `EACCES` …) with the address in its message.
 */
export const listenOn = async (
  address: ServerAddress,
  handler: RequestListener,
  prepare: (server: Server) => void = () => undefined,
): Promise<ListeningServer> => {
  const make = (): Server => {
    const server = createServer(limits, oneAtATime(handler))
    prepare(server)
    limitConnections(server)
    return server
  }
  if (address === 'off') return { addresses: [], close: () => Promise.resolve() }
  if ('unix' in address) return listening([await openSocketFile(address.unix, make)])
  const { host, port } = address
  if (host !== 'localhost') return listening([await openPort(host, port, make)])

  const first = await openPort('127.0.0.1', port, make)
  const second = await openPort('::1', (first.address() as AddressInfo).port, make).catch(ignoreNoIpv6)
  return listening(second ? [first, second] : [first])
}

const openPort = async (host: string, port: number, make: () => Server): Promise<Server> => {
  try {
    return await open({ host: host.replace(/^\[|\]$/g, ''), port }, make)
  } catch (error) {
    if (host === '::' && isNoIpv6(error)) return open({ host: '0.0.0.0', port }, make)
    throw error
  }
}

const openSocketFile = async (path: string, make: () => Server): Promise<Server> => {
  try {
    return await open({ path }, make)
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE' || (await isServed(path))) throw error
    await unlink(path) // left behind by a process that was killed
    return open({ path }, make)
  }
}

const open = async (
  target: { readonly host: string; readonly port: number } | { readonly path: string },
  make: () => Server,
): Promise<Server> => {
  const server = make()
  server.listen(target)
  await once(server, 'listening')
  if ('path' in target) await chmod(target.path, 0o600)
  return server
}

/** Limits for few and small requests. */
const limits = {
  headersTimeout: 3_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 500,
  // Checked by `serveEndpoints`, which replies with a text.
  requireHostHeader: false,
  maxHeaderSize: 16 * 1024,
}

const listening = (servers: readonly Server[]): ListeningServer => ({
  addresses: servers.map(addressOf),
  close: async (graceMs = 1_000) => {
    const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())))
    for (const server of servers) server.closeIdleConnections()
    // An active response, such as that of `/quitquitquit`, gets a moment to end.
    const closeTimer = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), graceMs)
    await Promise.all(closed)
    clearTimeout(closeTimer)
  },
})

const addressOf = (server: Server): string => {
  const address = server.address()
  if (typeof address === 'string') return `unix:${address}`
  return address ? hostPortText(address.address, address.port) : ''
}

const isServed = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error) => resolve(codeOf(error) !== 'ECONNREFUSED'))
  })

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code
const isNoIpv6 = (error: unknown): boolean =>
  ['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL'].includes(codeOf(error) ?? '')

const ignoreNoIpv6 = (error: unknown): undefined => {
  // The port may be in use on the other loopback address, or there is no IPv6: IPv4 alone is enough.
  if (isNoIpv6(error) || codeOf(error) === 'EADDRINUSE') return undefined
  throw error
}

/**
 * Handles the requests of each connection one at a time: the next one begins once the system has taken all of the
 * previous reply, and then in a later turn of the event loop. A client that pipelines and does not read costs one
 * reply. A connection with too many queued requests is closed, because Node keeps reading while nothing is written.
 */
const oneAtATime = (handler: RequestListener): RequestListener => {
  /** Queued requests of the connections that have an active one. */
  const queues = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>()

  const begin = (req: IncomingMessage, res: ServerResponse): void => {
    const { socket } = req
    res.once('close', () => setImmediate(() => release(socket)))
    handler(req, res)
  }
  const release = (socket: Socket): void => {
    const next = socket.destroyed ? undefined : queues.get(socket)?.shift()
    if (next) begin(...next)
    else queues.delete(socket)
  }
  return (req, res) => {
    const { socket } = req
    const queue = queues.get(socket)
    if (!queue) {
      queues.set(socket, [])
      begin(req, res)
    } else if (queue.length < MAX_QUEUED) queue.push([req, res])
    else socket.destroy()
  }
}

/** Maximum number of queued requests of a connection. Pipelining is rare, and never deeper on these servers. */
const MAX_QUEUED = 100
