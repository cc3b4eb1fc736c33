import { Socket } from 'node:net'
import type { Keepalives } from '../model/policies.ts'
import type { TlsClient } from './tls.ts'

/** Where to connect to, with nothing left to be looked up: an IP address and port, or a unix socket. */
export type Place = { readonly ip: string; readonly port: number } | { readonly unix: string }

/** How connections are opened. */
export interface DialOptions {
  /** For everything until the connection can be used, the TLS handshake included. */
  readonly connectTimeoutMs: number
  readonly keepalives: Keepalives
  /** Undefined is cleartext. */
  readonly tls: TlsClient | undefined
  /** The connection may go on in one direction when the other has ended; only tunnels know what to do with that. */
  readonly halfOpen?: boolean
  readonly connected?: Connected | undefined
}

/** Told of every connection that can be used, and how long it took until then, its TLS handshake included. */
export type Connected = (transport: 'plaintext' | 'tls', seconds: number) => void

/** Told once: an open socket, or why there is none. */
export type Dialled = (error: Error | null, socket: Socket | null) => void

/**
 * Opens a connection. No proxy of the environment and no name service is asked: what was checked is what is dialled.
 *
 * @param alpn Protocols to offer in TLS, best first.
 * @param raw What to connect, where it has to be a socket of a certain kind.
 * @returns Gives up; `dialled` is then not called any more.
 */
export const dial = (
  place: Place,
  { connectTimeoutMs, keepalives, tls, halfOpen = false, connected }: DialOptions,
  alpn: readonly string[],
  dialled: Dialled,
  raw = new Socket({ allowHalfOpen: halfOpen }),
): (() => void) => {
  let over = false
  const began = performance.now()
  const finish = (error: Error | null, socket: Socket | null) => {
    if (over) return
    over = true
    clearTimeout(timer)
    if (error) {
      raw.destroy()
      secured?.destroy()
    } else connected?.(tls ? 'tls' : 'plaintext', (performance.now() - began) / 1000)
    dialled(error, error ? null : socket)
  }
  const fail = (error: Error) => finish(error, null)

  let secured: Socket | undefined
  if ('unix' in place) raw.connect({ path: place.unix })
  else raw.connect({ host: place.ip, port: place.port })
  const timer = setTimeout(() => fail(timedOut(connectTimeoutMs)), connectTimeoutMs)
  raw.on('error', fail)
  raw.once('connect', () => {
    if (!('unix' in place)) {
      raw.setNoDelay(true)
      const { enabled, timeMs, intervalMs, retries } = keepalives
      raw.setKeepAlive(enabled, timeMs, intervalMs, retries)
    }
    if (!tls) {
      finish(null, raw)
      return
    }
    tls.secure(raw, alpn, (error, socket) => {
      secured = socket ?? undefined
      if (over) socket?.destroy()
      else finish(error, socket)
    })
  })
  return () => {
    if (over) return
    over = true
    clearTimeout(timer)
    raw.destroy()
    secured?.destroy()
  }
}

/** How a place is called in logs, traces and labels. */
export const placeName = (place: Place): string => {
  if ('unix' in place) return `unix:${place.unix}`
  return place.ip.includes(':') ? `[${place.ip}]:${place.port}` : `${place.ip}:${place.port}`
}

const timedOut = (ms: number): Error =>
  Object.assign(new Error(`not connected within ${ms} ms`), { code: 'UND_ERR_CONNECT_TIMEOUT' })
