import type { X509Certificate } from 'node:crypto'
import { hasStrongKey } from './certificate-strength.ts'
import { derContent, inside, oidMatcher, tags } from './der.ts'
import { extensionsOf, extensionValue } from './read-certificate.ts'

/** Whether a certificate may be in the chain of a TLS client at all, whatever its position. */
export const isAcceptable = (certificate: X509Certificate, at: Date): boolean =>
  certificate.validFromDate <= at &&
  at <= certificate.validToDate &&
  hasStrongKey(certificate) &&
  hasKnownExtensions(certificate) &&
  isForClients(certificate)

/** Whether the key may sign handshakes; a certificate that does not say what it may be used for allows it. */
export const maySignHandshakes = (certificate: X509Certificate): boolean => {
  const usage = extensionValue(certificate, KEY_USAGE)
  return usage === undefined || ((derContent(usage)[1] ?? 0) & DIGITAL_SIGNATURE) !== 0
}

/** How many authorities may be between an authority and the certificate of the client. */
export const maxAuthoritiesBelow = (authority: X509Certificate): number => {
  const constraints = extensionValue(authority, BASIC_CONSTRAINTS)
  const limit = constraints && inside(constraints).find(([tag]) => tag === tags.integer)
  if (!limit) return Infinity
  const digits = derContent(limit)
  const isNegative = ((digits[0] ?? 0) & 0x80) !== 0
  return isNegative ? -1 : parseInt(digits.toString('hex'), 16)
}

const BASIC_CONSTRAINTS = '2.5.29.19'
const KEY_USAGE = '2.5.29.15'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const DIGITAL_SIGNATURE = 0x80

/** Names are not compared with constraints here, so that a certificate with constraints is none to rely on. */
const hasKnownExtensions = (certificate: X509Certificate): boolean => {
  const extensions = extensionsOf(certificate)
  return (
    new Set(extensions.map(({ id }) => id.toString('hex'))).size === extensions.length &&
    extensions.every(({ id, isCritical }) => (isCritical ? isKnownExtension(id) : !isNameConstraints(id)))
  )
}

const isForClients = (certificate: X509Certificate): boolean => {
  const purposes = extensionValue(certificate, EXTENDED_KEY_USAGE)
  return purposes === undefined || inside(purposes).some(isClientPurpose)
}

/** The fourth are the alternative names of the subject. */
const isKnownExtension = oidMatcher([BASIC_CONSTRAINTS, KEY_USAGE, EXTENDED_KEY_USAGE, '2.5.29.17'])
const isNameConstraints = oidMatcher(['2.5.29.30'])
/** Clients, and any purpose. */
const isClientPurpose = oidMatcher(['1.3.6.1.5.5.7.3.2', '2.5.29.37.0'])
