import { defineQuery, type Query } from '../../graph/query.ts'
import { ownGateway } from '../gateway/own-gateway.ts'
import { listenerOwnerOrigin } from '../grants/reference-grants.ts'
import { referencedKeyPair, type UnresolvedReference } from './certificate-reference.ts'
import type { KeyPair } from './secret-key-pair.ts'

/**
 * The certificate that a Gateway presents to its backends, or why it has none; `undefined` if it refers to none.
 * Key: that of the Gateway.
 */
export const gatewayClientCertificate: Query<KeyPair | UnresolvedReference | undefined> = defineQuery(
  'gatewayClientCertificate',
  (reads, key) => {
    const gateway = ownGateway(reads, key)
    const reference = gateway?.spec.tls?.backend?.clientCertificateRef
    if (!gateway || !reference) return undefined
    const origin = listenerOwnerOrigin('Gateway', gateway.metadata.namespace ?? '')
    return referencedKeyPair(reads, origin, reference)
  },
)
