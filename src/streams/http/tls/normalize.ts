import type { TlsUpstream } from '../../../model/resources/policies.ts'
import type { SecretText } from '../../../model/policies/secret-text.ts'
import type { TlsServer } from '../../../model/resources/tls-server.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { opensslCipher } from '../../../config/format/cipher-suite.ts'
import type { Context } from '../../../config/normalize/context.ts'
import { definedFields, given } from '../../../config/normalize/optional-fields.ts'

/** TLS termination of a listener; undefined without a certificate, unless it is marked as invalid. */
export function tlsServer(tls: File.ServerTls, { minting }: Pick<Context, 'minting'>): TlsServer | undefined {
  const hasFiles = tls.cert !== undefined && tls.key !== undefined
  const hasTexts = tls.certPem !== undefined && tls.keyPem !== undefined
  if (!hasFiles && !hasTexts && tls.invalid === undefined) return undefined
  return definedFields<TlsServer>({
    certFile: tls.cert,
    keyFile: tls.key,
    certPem: tls.certPem,
    keyPem: given(tls.keyPem, secret),
    invalid: tls.invalid,
    minting: tls.mode === 'dynamicCa' ? minting : undefined,
    clientCaFile: tls.root,
    clientCaPem: tls.rootPem,
    clientCertificates:
      tls.clientCertificates === 'allowInsecureFallback' ? tls.clientCertificates : undefined,
    cipherSuites: given(tls.cipherSuites, cipherSuites),
    minVersion: given(tls.minTLSVersion ?? tls.minTlsVersion, tlsVersion),
    maxVersion: given(tls.maxTLSVersion ?? tls.maxTlsVersion, tlsVersion),
    keyExchangeGroups: given(tls.keyExchangeGroups, keyExchangeGroups),
  })
}

/** TLS towards a backend. */
export function tlsUpstream(tls: File.UpstreamTls): TlsUpstream {
  return definedFields<TlsUpstream>({
    certFile: tls.cert,
    keyFile: tls.key,
    rootFile: tls.root,
    certPem: tls.certPem,
    keyPem: given(tls.keyPem, secret),
    rootPem: tls.rootPem,
    invalid: tls.invalid,
    hostname: tls.hostname,
    insecure: tls.insecure ?? false,
    insecureHost: tls.insecureHost ?? false,
    alpn: tls.alpn,
    subjectAltNames: tls.subjectAltNames ?? [],
    keyExchangeGroups: given(tls.keyExchangeGroups, keyExchangeGroups),
  })
}

/** An object, so that dumps hide it. */
const secret = (text: string): SecretText => ({ secret: text })

/** OpenSSL names of cipher suites. */
export function cipherSuites(names: readonly string[]): readonly string[] {
  return names.map((name) => opensslCipher(name) ?? name)
}

/** OpenSSL names of key exchange groups. */
export function keyExchangeGroups(names: readonly string[]): readonly string[] {
  return names.map((name) => (name === 'X25519_MLKEM768' ? 'X25519MLKEM768' : name))
}

/** The TLS version. Validation has refused older ones. */
export function tlsVersion(version: string): 'TLSv1.2' | 'TLSv1.3' {
  return version === 'TLS_V1_3' ? 'TLSv1.3' : 'TLSv1.2'
}
