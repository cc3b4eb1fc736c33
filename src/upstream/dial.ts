import { Socket } from 'node:net'
import type { Keepalives } from '../model/policies.ts'
import type { TlsClient } from './tls.ts'

/**
 * Where to connect to, with nothing left to be looked up: an IP address and port, or a unix socket. Only what is behind a
 * proxy may have a name there, for the proxy to look up.
 */
export type Place =
  | { readonly ip: string; readonly port: number }
  | { readonly unix: string }
  | { readonly host: string; readonly port: number }

/** How connections are opened. */
export interface DialOptions {
  /** For everything until the connection can be used, the TLS handshake included; behind a proxy for the handshake alone. */
  readonly connectTimeoutMs: number
  readonly keepalives: Keepalives
  /** Undefined is cleartext. */
  readonly tls: TlsClient | undefined
  /** The connection may go on in one direction when the other has ended; only tunnels know what to do with that. */
  readonly halfOpen?: boolean
  readonly connected?: Connected | undefined
  /** The proxy in front of the place, if one is. */
  readonly proxy?: Intermediary | undefined
}

/** What opens connections in the place of the network. */
export interface Intermediary {
  /** @returns Gives up; `dialled` is then not called any more. */
  open(place: Place, halfOpen: boolean, dialled: Dialled): () => void
}

/** Told of every connection that can be used, and how long it took until then, its TLS handshake included. */
export type Connected = (transport: 'plaintext' | 'tls', seconds: number) => void

/** Told once: an open socket, or why there is none. */
export type Dialled = (error: Error | null, socket: Socket | null) => void

/**
 * Opens a connection. No proxy of the environment and no name service is asked: what was checked is what is dialled.
 *
 * @param alpn Protocols to offer in TLS, best first.
 * @param raw What to connect, where it has to be a socket of a certain kind; not behind a proxy, which has its own.
 * @returns Gives up; `dialled` is then not called any more.
 */
export const dial = (
  place: Place,
  options: DialOptions,
  alpn: readonly string[],
  dialled: Dialled,
  raw?: Socket,
): (() => void) => {
  const { connectTimeoutMs, tls, halfOpen = false, connected, proxy } = options
  let over = false
  let open: Socket | undefined
  let secured: Socket | undefined
  let timer: NodeJS.Timeout | undefined
  const began = performance.now()
  const end = () => {
    over = true
    clearTimeout(timer)
  }
  const destroy = () => {
    giveUp?.()
    open?.destroy()
    secured?.destroy()
  }
  const finish = (error: Error | null, socket: Socket | null) => {
    if (over) return
    end()
    if (error) destroy()
    else connected?.(tls ? 'tls' : 'plaintext', (performance.now() - began) / 1000)
    dialled(error, error ? null : socket)
  }
  const fail = (error: Error) => finish(error, null)
  const limit = () => {
    timer = setTimeout(() => fail(timedOut(connectTimeoutMs)), connectTimeoutMs)
  }
  const opened = (socket: Socket) => {
    if (!tls) {
      finish(null, socket)
      return
    }
    tls.secure(socket, alpn, (error, encrypted) => {
      secured = encrypted ?? undefined
      if (over) encrypted?.destroy()
      else finish(error, encrypted)
    })
  }
  let giveUp: (() => void) | undefined
  if (proxy)
    giveUp = proxy.open(place, halfOpen, (error, socket) => {
      giveUp = undefined
      if (!socket) {
        fail(error ?? new Error('no connection'))
        return
      }
      open = socket
      // The proxy has had a time of its own.
      limit()
      socket.on('error', fail)
      opened(socket)
    })
  else {
    const socket = raw ?? new Socket({ allowHalfOpen: halfOpen })
    open = socket
    connect(socket, place, options)
    limit()
    socket.on('error', fail)
    socket.once('connect', () => opened(socket))
  }
  return () => {
    if (over) return
    end()
    destroy()
  }
}

/** How a place is called in logs, traces and labels. */
export const placeName = (place: Place): string => {
  if ('unix' in place) return `unix:${place.unix}`
  const host = 'ip' in place ? place.ip : place.host
  return host.includes(':') ? `[${host}]:${place.port}` : `${host}:${place.port}`
}

/** The error of a connection that was not there in time. */
export const timedOut = (ms: number): Error =>
  Object.assign(new Error(`not connected within ${ms} ms`), { code: 'UND_ERR_CONNECT_TIMEOUT' })

const connect = (socket: Socket, place: Place, { keepalives }: DialOptions): void => {
  if ('unix' in place) {
    socket.connect({ path: place.unix })
    return
  }
  // A name would be looked up here, past all checks; without a proxy nobody may have one.
  if (!('ip' in place)) {
    socket.destroy(new Error('only a proxy can reach what is known by name'))
    return
  }
  socket.connect({ host: place.ip, port: place.port })
  socket.once('connect', () => {
    socket.setNoDelay(true)
    const { enabled, timeMs, intervalMs, retries } = keepalives
    socket.setKeepAlive(enabled, timeMs, intervalMs, retries)
  })
}
