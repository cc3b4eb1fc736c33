import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate and its key, as files and as text. */
export interface Certificate {
  readonly certFile: string
  readonly keyFile: string
  readonly cert: string
  readonly key: string
}

/** What is unusual about a certificate. */
export interface CertificateTraits {
  /** Lines of an OpenSSL section: `extendedKeyUsage=clientAuth`. They replace the usual ones of an authority. */
  readonly extensions?: readonly string[]
  /** Arguments of OpenSSL for the new key. */
  readonly newKey?: readonly string[]
  /** Arguments of OpenSSL for the signature: `-sha1`. */
  readonly signing?: readonly string[]
  readonly days?: number
}

/** A test CA in its own folder; needs `openssl`. */
export interface Authority extends Disposable {
  readonly folder: string
  readonly certFile: string
  readonly cert: string
  /**
   * Issues a certificate.
   *
   * @param name Common name, and the name of the files.
   * @param altNames As OpenSSL writes them: `DNS:a.example`, `IP:127.0.0.1`, `URI:spiffe://…`.
   */
  issue(name: string, altNames?: readonly string[], traits?: CertificateTraits): Certificate
  /** Issues the certificate of another authority, in a folder within this one's. */
  issueAuthority(name: string, traits?: CertificateTraits): Authority
}

/**
 * Creates a CA; its certificates are valid for ten years. All of them have the same name.
 *
 * @param parent Where its folder is made.
 */
export const makeAuthority = (
  algorithm: 'ec' | 'rsa' = 'ec',
  traits: CertificateTraits = {},
  parent = tmpdir(),
): Authority => {
  const folder = mkdtempSync(join(parent, 'gateway-certificates-'))
  const { newKey = newKeyOf(algorithm), signing = [], days = 3650, extensions } = traits
  const files = ['-keyout', join(folder, 'ca.key'), '-out', join(folder, 'ca.pem')]
  const subject = ['-subj', '/CN=test authority', '-days', String(days)]
  if (extensions) {
    const config = join(folder, 'ca.cnf')
    writeFileSync(config, `[req]\ndistinguished_name=dn\n[dn]\n[own]\n${extensions.join('\n')}\n`)
    subject.push('-config', config, '-extensions', 'own')
  }
  openssl('req', '-x509', ...newKey, '-nodes', ...signing, ...files, ...subject)
  return authorityIn(folder, algorithm)
}

const openssl = (...args: readonly string[]) =>
  execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] })

const newKeyOf = (algorithm: 'ec' | 'rsa'): readonly string[] =>
  algorithm === 'ec' ? ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'] : ['-newkey', 'rsa:2048']

/** The authority whose certificate and key are in a folder. */
const authorityIn = (folder: string, algorithm: 'ec' | 'rsa'): Authority => {
  const caCert = join(folder, 'ca.pem')
  const caKey = join(folder, 'ca.key')
  const sign = (stem: string, subject: string, lines: readonly string[], traits: CertificateTraits) => {
    const { newKey = newKeyOf(algorithm), signing = [], days = 3650 } = traits
    const [certFile, keyFile] = [`${stem}.pem`, `${stem}.key`]
    openssl('req', ...newKey, '-nodes', '-keyout', keyFile, '-out', `${stem}.csr`, '-subj', subject)
    writeFileSync(`${stem}.ext`, `${lines.join('\n')}\n`)
    const issuer = ['-CA', caCert, '-CAkey', caKey, '-CAcreateserial']
    const validity = ['-days', String(days), '-extfile', `${stem}.ext`]
    openssl('x509', '-req', '-in', `${stem}.csr`, '-out', certFile, ...issuer, ...validity, ...signing)
    return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
  }
  return {
    folder,
    certFile: caCert,
    cert: readFileSync(caCert, 'utf8'),
    issue(name, altNames = [`DNS:${name}`], traits = {}) {
      // Programs that issue plain RSA certificates often name their authority only.
      const issuer = algorithm === 'rsa' ? ['authorityKeyIdentifier=none'] : []
      const lines = [`subjectAltName=${altNames.join(',')}`, ...issuer, ...(traits.extensions ?? [])]
      return sign(join(folder, name), `/O=tests/CN=${name}`, lines, traits)
    },
    issueAuthority(name, traits = {}) {
      const inner = join(folder, name)
      mkdirSync(inner)
      sign(
        join(inner, 'ca'),
        `/CN=${name}`,
        traits.extensions ?? ['basicConstraints=critical,CA:TRUE'],
        traits,
      )
      return authorityIn(inner, algorithm)
    },
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
