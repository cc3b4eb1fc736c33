import { Socket } from 'node:net'
import type { Keepalives } from '../../model/resources/policies.ts'
import type { TlsClient } from './tls.ts'
import { setKeepalives } from './keepalives.ts'
import { hostPortText } from '../../protocols/ip/host-port.ts'
import { isOwnServer } from './own-servers.ts'

/**
 * An address to connect to, fully resolved: an IP address and port, or a unix socket. Only behind a proxy may it be a
 * name, which the proxy looks up.
 */
export type DialAddress =
  | { readonly ip: string; readonly port: number }
  | { readonly unix: string }
  | { readonly host: string; readonly port: number }

/** How connections are opened. */
export interface DialOptions {
  /**
   * For everything until the connection can be used, the TLS handshake included; behind a proxy for the handshake
   * alone.
   */
  readonly connectTimeoutMs: number
  readonly keepalives: Keepalives
  /** Undefined is cleartext. */
  readonly tls: TlsClient | undefined
  /** Whether one direction may stay open when the other has ended; for tunnels. */
  readonly halfOpen?: boolean
  readonly connected?: Connected | undefined
  /** The proxy in front of the address, if any. */
  readonly proxy?: Intermediary | undefined
}

/** Opens connections on behalf of `dial`, such as a proxy. */
export interface Intermediary {
  /** @returns Cancels; `dialled` is then not called. */
  open(address: DialAddress, halfOpen: boolean, dialled: Dialled): () => void
}

/**
 * Called with every connection that was opened, or could not be.
 *
 * @param seconds How long it took, the TLS handshake included.
 * @param endpoint The address, as in logs.
 * @param error Why there is none.
 */
export type Connected = (
  transport: 'plaintext' | 'tls',
  seconds: number,
  endpoint: string,
  error: Error | undefined,
) => void

/** Called once: an open socket, or why there is none. */
export type Dialled = (error: Error | null, socket: Socket | null) => void

/** Ends a connection that is being opened. With an error it fails; without one `dialled` is not called. */
export type CancelDial = (error?: Error) => void

/**
 * Opens a connection. Uses neither the environment's proxies nor DNS: the address that was checked is the one that is
 * dialled.
 *
 * @param alpn Protocols to offer in TLS, best first.
 * @param raw The socket to connect, where it has to be of a certain kind; not behind a proxy, which has its own.
 */
export const dial = (
  address: DialAddress,
  options: DialOptions,
  alpn: readonly string[],
  dialled: Dialled,
  raw?: Socket,
): CancelDial => {
  const dialling = new Dialling(address, options, alpn, dialled)
  if (options.proxy) dialling.throughProxy(options.proxy, address)
  else dialling.directly(address, raw)
  return (error) => dialling.cancel(error)
}

/** One connection while it is being opened: over TCP or through a proxy, then the TLS handshake. */
class Dialling {
  readonly #address: DialAddress
  readonly #options: DialOptions
  readonly #alpn: readonly string[]
  readonly #dialled: Dialled
  readonly #began = performance.now()
  #isOver = false
  #open: Socket | undefined = undefined
  #secured: Socket | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined
  #cancelProxy: (() => void) | undefined = undefined
  readonly #fail = (error: Error) => this.#finish(error, null)

  constructor(address: DialAddress, options: DialOptions, alpn: readonly string[], dialled: Dialled) {
    this.#address = address
    this.#options = options
    this.#alpn = alpn
    this.#dialled = dialled
  }

  throughProxy(proxy: Intermediary, address: DialAddress): void {
    this.#cancelProxy = proxy.open(address, this.#options.halfOpen ?? false, (error, socket) => {
      this.#cancelProxy = undefined
      if (!socket) {
        this.#fail(error ?? new Error('no connection'))
        return
      }
      this.#open = socket
      // The proxy had its own time limit.
      this.#limitTime()
      socket.on('error', this.#fail)
      this.#opened(socket)
    })
  }

  /** @param raw The socket to connect; by default a new one. */
  directly(address: DialAddress, raw: Socket | undefined): void {
    const socket = raw ?? new Socket({ allowHalfOpen: this.#options.halfOpen ?? false })
    this.#open = socket
    connect(socket, address, this.#options)
    this.#limitTime()
    socket.on('error', this.#fail)
    socket.once('connect', () => this.#opened(socket))
  }

  cancel(error: Error | undefined): void {
    if (error) this.#fail(error)
    else if (!this.#isOver) {
      this.#end()
      this.#destroy()
    }
  }

  #limitTime(): void {
    const { connectTimeoutMs } = this.#options
    this.#timer = setTimeout(() => this.#fail(timedOut(connectTimeoutMs)), connectTimeoutMs)
  }

  #opened(socket: Socket): void {
    const { tls } = this.#options
    if (!tls) {
      this.#finish(null, socket)
      return
    }
    tls.secure(socket, this.#alpn, (error, encrypted) => {
      this.#secured = encrypted ?? undefined
      if (this.#isOver) encrypted?.destroy()
      else this.#finish(error, encrypted)
    })
  }

  #finish(error: Error | null, socket: Socket | null): void {
    if (this.#isOver) return
    this.#end()
    const { tls, connected } = this.#options
    if (error) this.#destroy()
    const seconds = (performance.now() - this.#began) / 1000
    connected?.(tls ? 'tls' : 'plaintext', seconds, addressName(this.#address), error ?? undefined)
    this.#dialled(error, error ? null : socket)
  }

  #end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #destroy(): void {
    this.#cancelProxy?.()
    this.#open?.destroy()
    this.#secured?.destroy()
  }
}

/** The name of an address in logs, traces and labels. */
export const addressName = (address: DialAddress): string => {
  if ('unix' in address) return `unix:${address.unix}`
  return hostPortText('ip' in address ? address.ip : address.host, address.port)
}

/** The error of a connection that was not open in time. */
export const timedOut = (ms: number): Error =>
  Object.assign(new Error(`not connected within ${ms} ms`), { code: 'UND_ERR_CONNECT_TIMEOUT' })

const connect = (socket: Socket, address: DialAddress, { keepalives }: DialOptions): void => {
  if (isOwnServer(address)) {
    socket.destroy(new Error('the admin server of this gateway is no upstream'))
    return
  }
  if ('unix' in address) {
    socket.connect({ path: address.unix })
    return
  }
  // Node would look up a name here, past all checks; only a proxy may get one.
  if (!('ip' in address)) {
    socket.destroy(new Error('only a proxy can reach what is known by name'))
    return
  }
  socket.connect({ host: address.ip, port: address.port })
  socket.once('connect', () => {
    socket.setNoDelay(true)
    setKeepalives(socket, keepalives)
  })
}
