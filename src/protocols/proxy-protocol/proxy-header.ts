/** One end of the proxied connection: an address with a port, or the path of a unix socket. */
export type ProxyEndpoint = { readonly address: string; readonly port: number } | { readonly path: string }

/** A type-length-value extension of version 2, as sent. */
export interface ProxyTlv {
  readonly type: number
  readonly value: Buffer
}

/** The attributes of the proxied connection. */
export interface ProxyHeader {
  readonly version: 1 | 2
  /**
   * Absent for connections of the proxy itself (LOCAL, health checks) and for UNKNOWN: use the addresses of
   * the socket.
   */
  readonly source: ProxyEndpoint | undefined
  readonly destination: ProxyEndpoint | undefined
  /** How many bytes to skip; the connection's own bytes follow. */
  readonly headerLength: number
  /** Version 2 only. */
  readonly tlvs: readonly ProxyTlv[]
  /** The host name that the client requested (usually its SNI), if a TLV contains it. */
  readonly authority: string | undefined
}

/** The result of parsing the first bytes of a connection. */
export type ProxyReading =
  /** Incomplete; call again with more bytes. */
  | { readonly kind: 'more' }
  /** No PROXY header of an accepted version: the bytes belong to the connection. */
  | { readonly kind: 'absent' }
  /** A malformed header: close the connection. */
  | { readonly kind: 'invalid'; readonly why: string }
  | { readonly kind: 'parsed'; readonly header: ProxyHeader }
