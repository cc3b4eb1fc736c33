import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate and its key, as files and as text. */
export interface Certificate {
  readonly certFile: string
  readonly keyFile: string
  readonly cert: string
  readonly key: string
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
  issue(name: string, altNames?: readonly string[]): Certificate
}

/** Creates a CA; its certificates are valid for ten years. All of them have the same name. */
export const makeAuthority = (algorithm: 'ec' | 'rsa' = 'ec'): Authority => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-certificates-'))
  const file = (name: string) => join(folder, name)
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const newKey = [
    ...(algorithm === 'ec'
      ? ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
      : ['-newkey', 'rsa:2048']),
    '-nodes',
  ]
  const caCert = file('ca.pem')
  const caKey = file('ca.key')
  const caSubject = ['-subj', '/CN=test authority', '-days', '3650']
  openssl('req', '-x509', ...newKey, '-keyout', caKey, '-out', caCert, ...caSubject)
  return {
    folder,
    certFile: caCert,
    cert: readFileSync(caCert, 'utf8'),
    issue(name, altNames = [`DNS:${name}`]) {
      const certFile = file(`${name}.pem`)
      const keyFile = file(`${name}.key`)
      const request = file(`${name}.csr`)
      const extensions = file(`${name}.ext`)
      openssl('req', ...newKey, '-keyout', keyFile, '-out', request, '-subj', `/O=tests/CN=${name}`)
      // Programs that issue plain RSA certificates often name their authority only.
      const issuer = algorithm === 'rsa' ? 'authorityKeyIdentifier=none\n' : ''
      writeFileSync(extensions, `subjectAltName=${altNames.join(',')}\n${issuer}`)
      const signing = [
        '-CA',
        caCert,
        '-CAkey',
        caKey,
        '-CAcreateserial',
        '-days',
        '3650',
        '-extfile',
        extensions,
      ]
      openssl('x509', '-req', '-in', request, '-out', certFile, ...signing)
      return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
    },
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
