import { X509Certificate } from 'node:crypto'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { Gateway, GatewayListener } from '../../kinds/gateway-api.ts'
import { referencedKeyPair, type UnresolvedReference } from '../certificates/certificate-reference.ts'
import type { KeyPair } from '../certificates/secret-key-pair.ts'
import { listenerOwnerOrigin } from '../grants/reference-grants.ts'
import { clientValidation } from './frontend-validation.ts'
import type { ListenerProblem } from './listener-conditions.ts'
import { terminatesTls } from './listener-protocol.ts'
import { type ListenerOwner, listenerPort } from './listener-owner.ts'

/** How a listener treats TLS, and what is wrong with it. */
export interface ListenerTls {
  readonly kind: 'none' | 'passthrough' | 'valid' | 'invalid'
  /** Absent where the gateway does not terminate TLS. */
  readonly model?: File.ServerTls
  readonly notAccepted?: ListenerProblem
  readonly unresolvedRefs?: ListenerProblem
}

/**
 * The TLS of a listener. One that cannot terminate TLS stays, and refuses every handshake, lest its clients reach another
 * listener of the port.
 */
export const listenerTls = (
  reads: GraphReads,
  gateway: Gateway,
  owner: ListenerOwner,
  listener: GatewayListener,
): ListenerTls => {
  if (!terminatesTls(listener)) return { kind: listener.protocol === 'TLS' ? 'passthrough' : 'none' }
  const source = certificateSource(listener)
  if ('reason' in source) return refusing(source.message, { notAccepted: source })
  const { pair, problem } = serverCertificate(reads, owner, listener, source.mode)
  if (!pair) return refusing(problem.message, { unresolvedRefs: problem })
  const clients = clientValidation(reads, gateway, listenerPort(listener))
  if (clients && source.mode === 'dynamicCa')
    return refusing(dynamicCaWithClients.message, { notAccepted: dynamicCaWithClients })
  const unresolvedRefs = problem ?? clients?.unresolved
  if (clients?.rootPem === '')
    return refusing('No certificate authority for client certificates is valid', {
      notAccepted: {
        reason: 'NoValidCACertificate',
        message: 'No certificate authority for client certificates is valid',
      },
      ...(unresolvedRefs ? { unresolvedRefs } : {}),
    })
  return {
    kind: 'valid',
    model: {
      ...(source.mode === 'dynamicCa' ? { mode: 'dynamicCa' } : {}),
      certPem: pair.certPem,
      keyPem: pair.keyPem,
      ...(clients ? { rootPem: clients.rootPem } : {}),
      ...(clients?.allowsInsecureFallback ? { clientCertificates: 'allowInsecureFallback' } : {}),
    },
    ...(unresolvedRefs ? { unresolvedRefs } : {}),
  }
}

const refusing = (
  reason: string,
  problems: Pick<ListenerTls, 'notAccepted' | 'unresolvedRefs'>,
): ListenerTls => ({ kind: 'invalid', model: { invalid: reason }, ...problems })

/** The first certificate that can be used; the problem is that of the first which cannot. */
const serverCertificate = (
  reads: GraphReads,
  owner: ListenerOwner,
  { tls, protocol }: GatewayListener,
  mode: CertificateSource['mode'],
):
  | { readonly pair: KeyPair; readonly problem?: ListenerProblem }
  | { readonly pair?: never; readonly problem: ListenerProblem } => {
  const results = (tls?.certificateRefs ?? []).map((reference) => {
    const found = referencedKeyPair(reads, listenerOwnerOrigin(owner.kind, owner.namespace), reference)
    return mode === 'dynamicCa' && 'certPem' in found && !isAuthority(found) ? noAuthority : found
  })
  const pair = results.find((result) => 'certPem' in result)
  const unresolved = results.find((result) => 'problem' in result)
  const problem = unresolved && {
    reason: unresolved.problem === 'notPermitted' ? 'RefNotPermitted' : 'InvalidCertificateRef',
    message: unresolved.message,
  }
  if (pair) return problem ? { pair, problem } : { pair }
  return {
    problem: problem ?? {
      reason: 'InvalidCertificateRef',
      message: `A listener of protocol ${protocol} that terminates TLS needs a certificate`,
    },
  }
}

const isAuthority = ({ certPem }: KeyPair): boolean => new X509Certificate(certPem).ca

const noAuthority: UnresolvedReference = {
  problem: 'invalid',
  message: 'The certificate is not that of an authority',
}

interface CertificateSource {
  readonly mode: 'static' | 'dynamicCa'
}

/** Where the certificates of a listener come from, by its options. Those of other implementations are ignored. */
const certificateSource = ({ tls }: GatewayListener): CertificateSource | ListenerProblem => {
  const source = tls?.options?.[certificateSourceOption]
  if (source === undefined) return { mode: 'static' }
  if (source === 'DYNAMIC_CA') return { mode: 'dynamicCa' }
  return {
    reason: 'UnsupportedValue',
    message: `${certificateSourceOption} ${JSON.stringify(source)} is not supported: leave it out to serve certificateRefs, or use DYNAMIC_CA`,
  }
}

const certificateSourceOption = 'agentgateway.dev/tls-certificate-source'

const dynamicCaWithClients: ListenerProblem = {
  reason: 'UnsupportedValue',
  message: `${certificateSourceOption} DYNAMIC_CA cannot be combined with the validation of client certificates`,
}
