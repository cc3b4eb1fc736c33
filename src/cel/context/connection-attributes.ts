import type { ClientCertificate, Connection } from '../../model/exchange/connection.ts'
import { Headers } from '../../model/exchange/headers.ts'
import type { IdentityAttributes, SourceAttributes } from './context.ts'

/** The client of a connection, with the attributes of its certificate. */
export const sourceAttributesOf = (connection: Connection): SourceAttributes =>
  new ConnectionSource(connection)

/** Getters, so that only an expression that reads the address computes it. */
class ConnectionSource implements SourceAttributes {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  get address(): string {
    return this.#connection.sourceAddress
  }

  get port(): number {
    return this.#connection.sourcePort
  }

  get rawAddress(): string {
    return this.#connection.rawAddress
  }

  get rawPort(): number {
    return this.#connection.rawPort
  }

  get identity(): IdentityAttributes | undefined {
    const { spiffeId } = this
    return spiffeId === undefined ? undefined : identityOf(spiffeId)
  }

  get spiffeId(): string | undefined {
    return this.#certificate?.spiffeId
  }

  get subjectAltNames(): readonly string[] | undefined {
    return this.#certificate?.subjectAltNames
  }

  get issuer(): string | undefined {
    return this.#certificate?.issuer
  }

  get subject(): string | undefined {
    return this.#certificate?.subject
  }

  get subjectCn(): string | undefined {
    return this.#certificate?.subjectCn
  }

  get certificate(): string | undefined {
    return this.#certificate?.pem
  }

  get connectHeaders(): Headers | undefined {
    const raw = this.#connection.connectHeaders
    return raw && new Headers(raw.map((part, i) => (i % 2 ? part : part.toLowerCase())))
  }

  get #certificate(): ClientCertificate | undefined {
    return this.#connection.tls?.client
  }
}

/** The parts of `spiffe://trust-domain/ns/namespace/sa/account`, the form that service meshes use. */
const identityOf = (spiffeId: string): IdentityAttributes | undefined => {
  const [, trustDomain, namespace, serviceAccount] =
    /^spiffe:\/\/([^/]+)\/ns\/([^/]+)\/sa\/([^/]+)$/.exec(spiffeId) ?? []
  return trustDomain === undefined || namespace === undefined || serviceAccount === undefined
    ? undefined
    : { trustDomain, namespace, serviceAccount }
}
