/** The client's connection: attributes of every request on it. */
export interface Connection {
  /** The client's address, taken from the PROXY protocol header if there is one. */
  readonly sourceAddress: string
  readonly sourcePort: number
  /** The TCP peer. */
  readonly rawAddress: string
  readonly rawPort: number
  readonly destinationAddress: string
  readonly destinationPort: number
  readonly tls: TlsAttributes | undefined
  /** Headers of the CONNECT request that opened this connection, name, value …; undefined otherwise. */
  readonly connectHeaders: readonly string[] | undefined
  /** Why the gateway closed it early; undefined otherwise. */
  readonly cutBecause?: string | undefined
  /** Calls `closed` when the connection closes, or soon if it is closed already. */
  readonly onClose?: ((closed: () => void) => void) | undefined
}

/** Attributes of the TLS handshake. */
export interface TlsAttributes {
  /** SNI, lower-case. */
  readonly serverName: string | undefined
  readonly alpn: string | undefined
  readonly version: string
  /** Present when a client certificate was verified. */
  readonly client: ClientCertificate | undefined
}

/** The identity in a verified client certificate. */
export interface ClientCertificate {
  readonly subject: string
  readonly subjectCn: string | undefined
  readonly issuer: string
  readonly subjectAltNames: readonly string[]
  readonly spiffeId: string | undefined
  readonly pem: string
}
