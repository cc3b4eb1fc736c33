import { X509Certificate } from 'node:crypto'
import type { Secret } from '../../kinds/core.ts'
import { decodedSecret, pemCertificates } from './pem.ts'

/**
 * The authorities that proxies check the certificate of xDS with, by its Secret: the one that signs, the one before, and
 * the one that signs next. Undefined if there are none, or one cannot be read: what proxies have stays then.
 */
export const xdsAuthorities = ({ data = {} }: Secret): string | undefined => {
  const certificates = (name: string) => pemCertificates(decodedSecret(data[name] ?? ''))
  try {
    const isAuthority =
      data['ca.key'] === undefined &&
      certificates('tls.crt')
        .slice(0, 1)
        .some((pem) => new X509Certificate(pem).ca)
    const [signing = [], ...others] = (isAuthority ? ['tls.crt', 'ca.crt'] : ['ca.crt', 'next.crt']).map(
      certificates,
    )
    if (signing.length === 0) return undefined
    return [...new Set([...signing, ...others.flat()])].map((pem) => `${pem}\n`).join('')
  } catch {
    return undefined
  }
}
