import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Authority, makeAuthority } from '../../support/certificates.ts'

/**
 * Certificates that cases name: `{{ca.crt}}`, `{{site.crt}}` and `{{site.key}}`, of any names. Those whose name ends in
 * `ca` are authorities; all others are issued by the first authority. The key of `rsa` is
 * one of RSA, that of `larger` is of P-384, `weak` has a short RSA key, and `locked` a password.
 */
export interface GoldenCertificates extends Disposable {
  /** Replaces names by contents. */
  fill(text: string): string
  /** Replaces contents by names. */
  mask(text: string): string
}

/** Makes certificates when they are named; needs `openssl`. */
export const goldenCertificates = (): GoldenCertificates => {
  const authorities = new Map<string, Authority>()
  const texts = new Map<string, string>()
  const authority = (name: string): Authority => {
    let made = authorities.get(name)
    if (!made) authorities.set(name, (made = makeAuthority()))
    return made
  }
  const issue = (name: string): void => {
    if (name.endsWith('ca')) {
      texts.set(`${name}.crt`, authority(name).cert.trim())
      texts.set(`${name}.key`, readFileSync(join(authority(name).folder, 'ca.key'), 'utf8').trim())
      return
    }
    const { cert, key, keyFile } = authority('ca').issue(name)
    const folder = authority('ca').folder
    texts.set(`${name}.crt`, cert.trim())
    texts.set(`${name}.key`, (keyOf(name, folder, keyFile) ?? key).trim())
  }
  return {
    fill: (text) =>
      text.replaceAll(/\{\{([a-z-]+)\.(crt|key)\}\}/g, (_, name: string, part: string) => {
        const field = `${name}.${part}`
        if (!texts.has(field)) issue(name)
        return texts.get(field) ?? ''
      }),
    mask(text) {
      let masked = text
      for (const [field, content] of texts) masked = masked.replaceAll(content, `{{${field}}}`)
      return masked
    },
    [Symbol.dispose]() {
      for (const made of authorities.values()) made[Symbol.dispose]()
    },
  }
}

const keyOf = (name: string, folder: string, keyFile: string): string | undefined => {
  const openssl = (...args: readonly string[]): string =>
    execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  if (name === 'locked')
    return openssl('pkcs8', '-topk8', '-in', keyFile, '-passout', 'pass:secret', '-v2', 'aes-256-cbc')
  if (name === 'larger') return openssl('ecparam', '-name', 'secp384r1', '-genkey', '-noout')
  const bits = name === 'weak' ? '1024' : name === 'rsa' ? '2048' : undefined
  return bits && openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', `rsa_keygen_bits:${bits}`)
}
