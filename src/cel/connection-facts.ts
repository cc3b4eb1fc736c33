import type { ClientCertificate, Connection } from '../model/connection.ts'
import { Headers } from '../model/headers.ts'
import type { IdentityFacts, SourceFacts } from './context.ts'

/** The client of a connection, and what its certificate says. */
export const sourceOf = (connection: Connection): SourceFacts => {
  const { sourceAddress, sourcePort, rawAddress, rawPort, tls, connectHeaders } = connection
  return {
    address: sourceAddress,
    port: sourcePort,
    rawAddress,
    rawPort,
    ...(tls?.client && certificateOf(tls.client)),
    connectHeaders:
      connectHeaders && new Headers(connectHeaders.map((part, i) => (i % 2 ? part : part.toLowerCase()))),
  }
}

const certificateOf = (client: ClientCertificate): Partial<SourceFacts> => ({
  identity: client.spiffeId === undefined ? undefined : identityOf(client.spiffeId),
  spiffeId: client.spiffeId,
  subjectAltNames: client.subjectAltNames,
  issuer: client.issuer,
  subject: client.subject,
  subjectCn: client.subjectCn,
  certificate: client.pem,
})

/** The parts of `spiffe://trust-domain/ns/namespace/sa/account`, the form that service meshes use. */
const identityOf = (spiffeId: string): IdentityFacts | undefined => {
  const [, trustDomain, namespace, serviceAccount] =
    /^spiffe:\/\/([^/]+)\/ns\/([^/]+)\/sa\/([^/]+)$/.exec(spiffeId) ?? []
  return trustDomain === undefined || namespace === undefined || serviceAccount === undefined
    ? undefined
    : { trustDomain, namespace, serviceAccount }
}
