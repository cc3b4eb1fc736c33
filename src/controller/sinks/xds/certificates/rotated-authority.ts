import { createPrivateKey, X509Certificate } from 'node:crypto'
import { AUTHORITY_NAME, type CertificateSecretData, newAuthorityData } from './xds-certificate.ts'

const DAY_MS = 24 * 3_600_000
/** An authority signs for nine of its ten years. */
const ROTATE_BEFORE_MS = 365 * DAY_MS
/** How long a new authority is published before it signs: every proxy trusts it by then, be its node away for days. */
const PUBLISH_MS = 7 * DAY_MS
/** How long the one before stays trusted after that; what it has signed is valid for a day. */
const RETIRE_MS = 7 * DAY_MS
/** Certificates begin an hour before they are made. */
const SKEW_MS = 3_600_000

/**
 * What the Secret of an authority of ours must become; undefined if it is as it should be, or not ours. A new authority
 * comes as `next.crt` and `next.key`, and is published beside the old one; after a week it takes over, followed by the
 * old one in `ca.crt`, which goes after another week. Each step follows from the Secret and the clock alone, so that
 * any leader makes it, and twice does no harm.
 */
export const rotatedAuthority = (
  data: CertificateSecretData,
  now: Date,
): CertificateSecretData | undefined => {
  const current = ownAuthority(data['ca.crt'], data['ca.key'])
  if (!current) return undefined
  const hasEnded = current.endsAt <= now.getTime()
  const next = ownAuthority(data['next.crt'], data['next.key'])
  if (next && (hasEnded || next.madeAt + PUBLISH_MS <= now.getTime()))
    return {
      'ca.crt': next.cert + (hasEnded ? '' : current.cert),
      'ca.key': next.key,
      'next.crt': undefined,
      'next.key': undefined,
    }
  if (next) return undefined
  // No other one was published: proxies that connect wait until they have the new one.
  if (hasEnded) return newAuthorityData(now)
  const isRetiring = (data['ca.crt'] ?? '').split(BEGIN).length > 2
  if (isRetiring && current.madeAt + PUBLISH_MS + RETIRE_MS <= now.getTime())
    return { 'ca.crt': current.cert }
  if (current.endsAt - ROTATE_BEFORE_MS > now.getTime()) return undefined
  const made = newAuthorityData(now)
  return { 'next.crt': made['ca.crt'], 'next.key': made['ca.key'] }
}

interface OwnAuthority {
  readonly cert: string
  readonly key: string
  readonly madeAt: number
  readonly endsAt: number
}

const BEGIN = '-----BEGIN CERTIFICATE-----'

/** An authority that was made here; those of others have owners who replace them. */
const ownAuthority = (cert: string | undefined, key: string | undefined): OwnAuthority | undefined => {
  if (cert === undefined || key === undefined) return undefined
  try {
    const certificate = new X509Certificate(cert)
    if (certificate.subject !== AUTHORITY_NAME || certificate.issuer !== AUTHORITY_NAME) return undefined
    if (!certificate.checkPrivateKey(createPrivateKey(key))) return undefined
    return {
      cert: certificate.toString(),
      key,
      madeAt: new Date(certificate.validFrom).getTime() + SKEW_MS,
      endsAt: new Date(certificate.validTo).getTime(),
    }
  } catch {
    return undefined
  }
}
