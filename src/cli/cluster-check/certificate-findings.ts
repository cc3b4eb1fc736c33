import { X509Certificate } from 'node:crypto'
import type { CertificateReference } from './certificate-references.ts'
import type { ClusterFinding } from './cluster-finding.ts'
import type { ClusterReader } from './cluster-reader.ts'

/** When certificates are too old. */
export interface CertificateAges {
  readonly nowMs: number
  /** Warns of certificates that end within this time. */
  readonly soonMs: number
}

/**
 * Certificates that have expired, will soon, or are not valid yet. Those that are absent or unusable are left to the
 * conditions of whatever refers to them.
 */
export const certificateFindings = async (
  reader: Pick<ClusterReader, 'data'>,
  references: readonly CertificateReference[],
  ages: CertificateAges,
): Promise<readonly ClusterFinding[]> => {
  const byPart = Map.groupBy(
    references,
    ({ kind, namespace, name, field }) => `${kind} ${namespace}/${name} ${field}`,
  )
  const findings = await Promise.all(
    Array.from(byPart.values(), async (users): Promise<readonly ClusterFinding[]> => {
      const [first] = users
      if (!first) return []
      const { kind, namespace, name, field } = first
      const data = await reader.data(kind, namespace, name)
      const others = users.length > 1 ? ` and ${String(users.length - 1)} more` : ''
      const subject = { kind, namespace, name, part: `for ${first.user}${others}` }
      return ofPem(data?.[field] ?? '', field, ages).map((found) => ({ ...subject, ...found }))
    }),
  )
  return findings.flat()
}

type CertificateProblem = Pick<ClusterFinding, 'severity' | 'reason' | 'message'>

/** The problems of the certificates of a text. */
export const ofPem = (
  pem: string,
  field: CertificateReference['field'],
  { nowMs, soonMs }: CertificateAges,
): readonly CertificateProblem[] => {
  const certificates = (pem.match(PEM_BLOCK) ?? []).flatMap(parsed)
  const problems = certificates.flatMap((certificate) => {
    const from = Date.parse(certificate.validFrom)
    const until = Date.parse(certificate.validTo)
    const subject = certificate.subject.split('\n').at(-1) ?? ''
    const name = `the certificate of ${subject === '' ? (certificate.subjectAltName ?? 'no subject') : subject}`
    if (until <= nowMs) return [problem('error', 'CertificateExpired', `${name} expired`, until, nowMs)]
    if (from > nowMs) return [problem('error', 'CertificateNotYetValid', `${name} is valid`, from, nowMs)]
    if (until - nowMs <= soonMs)
      return [problem('warning', 'CertificateExpiresSoon', `${name} expires`, until, nowMs)]
    return []
  })
  // Of authorities, the others do.
  const isUsable = field === 'ca.crt' && problems.length < certificates.length
  return isUsable ? problems.map((one) => ({ ...one, severity: 'warning' as const })) : problems
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

const parsed = (pem: string): readonly X509Certificate[] => {
  try {
    return [new X509Certificate(pem)]
  } catch {
    return []
  }
}

const problem = (
  severity: 'error' | 'warning',
  reason: string,
  what: string,
  timeMs: number,
  nowMs: number,
): CertificateProblem => ({
  severity,
  reason,
  message: `${what} ${timeMs > nowMs ? `in ${duration(timeMs - nowMs)}` : `${duration(nowMs - timeMs)} ago`}, at ${new Date(timeMs).toISOString()}`,
})

const HOUR_MS = 3_600_000

const duration = (ms: number): string => {
  const hours = Math.floor(ms / HOUR_MS)
  if (hours < 1) return 'less than an hour'
  if (hours < 48) return hours === 1 ? '1 hour' : `${String(hours)} hours`
  return `${String(Math.floor(hours / 24))} days`
}
