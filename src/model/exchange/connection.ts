/** The client's connection: facts that hold for every request on it. */
export interface Connection {
  /** The client as far as it is known: after PROXY protocol. */
  readonly sourceAddress: string
  readonly sourcePort: number
  /** The TCP peer. */
  readonly rawAddress: string
  readonly rawPort: number
  readonly destinationAddress: string
  readonly destinationPort: number
  readonly tls: TlsAttributes | undefined
  /** Headers of the CONNECT request this connection came through, name, value …; undefined otherwise. */
  readonly connectHeaders: readonly string[] | undefined
  /** Why it was broken off on this side; undefined as long as it was not. */
  readonly cutBecause?: string | undefined
  /** Calls this once it is closed; at the latest soon if it is already. */
  readonly onClose?: ((closed: () => void) => void) | undefined
}

/** What the handshake told. */
export interface TlsAttributes {
  /** SNI, lower-case. */
  readonly serverName: string | undefined
  readonly alpn: string | undefined
  readonly version: string
  /** Present when a client certificate was verified. */
  readonly client: ClientCertificate | undefined
}

/** Who a client is, by the certificate that was verified. */
export interface ClientCertificate {
  readonly subject: string
  readonly subjectCn: string | undefined
  readonly issuer: string
  readonly subjectAltNames: readonly string[]
  readonly spiffeId: string | undefined
  readonly pem: string
}
