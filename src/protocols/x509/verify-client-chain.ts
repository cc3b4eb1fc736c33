import type { X509Certificate } from 'node:crypto'
import { isStronglySigned } from './certificate-strength.ts'
import { isAcceptable, maxAuthoritiesBelow, maySignHandshakes } from './chain-member.ts'
import { maySignCertificates } from './read-certificate.ts'

/**
 * Whether a TLS client has presented a certificate that leads, by way of others that it has presented or that are in
 * the bundle, to an authority of the bundle that signs itself. Follows RFC 5280 as far as OpenSSL does for clients;
 * what is not implemented (name constraints, policies that are required, other critical extensions) and what
 * cannot be parsed is not verified. Revocation is not checked.
 *
 * @param presented The certificate of the client first; the order of the others is free.
 * @param bundle Several authorities may have the same name.
 */
export const isVerifiedClientChain = (
  presented: readonly X509Certificate[],
  bundle: readonly X509Certificate[],
  at: Date,
): boolean => {
  try {
    const [leaf, ...others] = presented
    if (!leaf || presented.length > MAX_CERTIFICATES) return false
    if (!isAcceptable(leaf, at) || !isStronglySigned(leaf) || !maySignHandshakes(leaf)) return false
    return isTrustedItself(leaf, bundle) || leadsToAuthority(leaf, others, bundle, at)
  } catch {
    return false
  }
}

/** Of a chain, and presented by a client. */
const MAX_CERTIFICATES = 8

/** More than any honest chain needs, also if several authorities have its issuer's name. */
const MAX_SIGNATURE_CHECKS = 64

/**
 * Level by level, so that each certificate is reached with the fewest authorities below it, and needs to be
 * followed once only.
 */
const leadsToAuthority = (
  leaf: X509Certificate,
  presented: readonly X509Certificate[],
  bundle: readonly X509Certificate[],
  at: Date,
): boolean => {
  const trusted = new Set(bundle)
  const candidates = new Set([...bundle, ...presented])
  let checksLeft = MAX_SIGNATURE_CHECKS
  let level: readonly X509Certificate[] = [leaf]
  for (let below = 0; below < MAX_CERTIFICATES - 1 && level.length > 0; below++) {
    const issuers: X509Certificate[] = []
    for (const certificate of level)
      for (const issuer of candidates) {
        if (!certificate.checkIssued(issuer) || !mayIssueAbove(issuer, below, at)) continue
        if (checksLeft-- === 0) return false
        if (!certificate.verify(issuer.publicKey)) continue
        if (trusted.has(issuer) && isSelfSigned(issuer)) return true
        candidates.delete(issuer)
        if (isStronglySigned(issuer)) issuers.push(issuer)
      }
    level = issuers
  }
  return false
}

const mayIssueAbove = (issuer: X509Certificate, below: number, at: Date): boolean =>
  isAcceptable(issuer, at) && maySignCertificates(issuer) && below <= maxAuthoritiesBelow(issuer)

/** A bundle may also hold a certificate of a client, if it signs itself. */
const isTrustedItself = (leaf: X509Certificate, bundle: readonly X509Certificate[]): boolean =>
  bundle.some(({ raw }) => raw.equals(leaf.raw)) && isSelfSigned(leaf)

const isSelfSigned = (certificate: X509Certificate): boolean =>
  certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey)
