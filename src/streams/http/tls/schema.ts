import {
  atMostOneOf,
  duration,
  flag,
  formatted,
  listOf,
  notYet,
  ours,
  type Properties,
  record,
  type SchemaNode,
  text,
  words,
} from '../../../config/schema/builders.ts'
import { defaults } from '../../../config/defaults.ts'

const VERSIONS = ['TLS_V1_0', 'TLS_V1_1', 'TLS_V1_2', 'TLS_V1_3']

/** By their names in the TLS registry or in OpenSSL. */
const cipherSuites = listOf(
  formatted('cipherSuite', 'Cipher suite.'),
  'Enabled cipher suites, in order of preference.',
  { minItems: 1 },
)

/** Groups by their names in the reference. */
const keyExchangeGroups = listOf(
  words('Group.', ['X25519', 'P-256', 'P-384', 'X25519_MLKEM768']),
  'Enabled key exchange groups, in order of preference.',
  { minItems: 1 },
)

/** A text in PEM. Bounded, because each listener or backend keeps its own. */
const pem = (description: string): SchemaNode =>
  ours(text(description, { minLength: 1, maxLength: 1_048_576 }))

const certificatePairs = [
  ['cert', 'certPem'],
  ['key', 'keyPem'],
  ['root', 'rootPem'],
] as const

const version = (which: string): SchemaNode =>
  words(`The ${which} TLS version. Versions before 1.2 are refused as unsafe.`, VERSIONS)

/** TLS termination of a listener. */
const serverTls = record(
  'TLS termination of a listener.',
  {
    mode: words(
      'Source of server certificates. `static`: `cert` is the server certificate. `dynamicCa`: `cert` is a certificate authority that issues a certificate for each requested server name (see `DYNAMIC_CA_CERT_CACHE_TTL`, `DYNAMIC_CA_CERT_CACHE_CAPACITY`).',
      ['static', 'dynamicCa'],
      'static',
    ),
    cert: text('File with the certificate chain (PEM). Reloaded when it changes.', { minLength: 1 }),
    key: text('File with the private key (PEM). Reloaded when it changes.', { minLength: 1 }),
    root: text(
      'File with trusted certificate authorities (PEM) for client certificates. If set, clients must present a certificate.',
      {
        minLength: 1,
      },
    ),
    certPem: pem('The certificate chain itself (PEM), instead of the file `cert`.'),
    keyPem: pem('The private key itself (PEM), instead of the file `key`.'),
    rootPem: pem(
      'Trusted certificate authorities for client certificates (PEM), instead of the file `root`.',
    ),
    clientCertificates: ours(
      words(
        'What happens without a verified client certificate, if there is a `root` or `rootPem`. `require`: the handshake fails. `allowInsecureFallback`: the client is let in, and is anonymous to policies.',
        ['require', 'allowInsecureFallback'],
        'require',
      ),
    ),
    invalid: ours(
      text(
        'Why this listener cannot terminate TLS, such as a missing Secret. Every handshake is refused; a certificate is not needed.',
        { minLength: 1 },
      ),
    ),
    spiffe: notYet(record('Server certificate from the SPIFFE Workload API.', {})),
    cipherSuites,
    minTLSVersion: version('lowest'),
    minTlsVersion: version('lowest'),
    maxTLSVersion: version('highest'),
    maxTlsVersion: version('highest'),
    keyExchangeGroups,
  },
  atMostOneOf(...certificatePairs, ['minTLSVersion', 'minTlsVersion'], ['maxTLSVersion', 'maxTlsVersion']),
)

const upstreamTls = record(
  'TLS to a backend. `{}` enables TLS with verification against the public certificate authorities.',
  {
    cert: text('File with the client certificate chain (PEM).', { minLength: 1 }),
    key: text('File with the private key of the client certificate (PEM).', { minLength: 1 }),
    root: text('File with trusted certificate authorities (PEM) for the certificate of the backend.', {
      minLength: 1,
    }),
    certPem: pem('The client certificate chain itself (PEM), instead of the file `cert`.'),
    keyPem: pem('The private key itself (PEM), instead of the file `key`.'),
    rootPem: pem('The trusted certificate authorities themselves (PEM), instead of the file `root`.'),
    invalid: ours(
      text(
        'Why TLS to the backend is not possible, such as a missing certificate authority. Every connection fails.',
        { minLength: 1 },
      ),
    ),
    hostname: formatted(
      'host',
      'Server name for SNI and, without `subjectAltNames`, for certificate verification. Default: the host of the backend.',
    ),
    insecure: flag('Whether certificates are not verified at all.', false),
    insecureHost: flag('Whether the host name in the certificate is not verified.', false),
    alpn: listOf(text('Protocol.', { minLength: 1 }), 'ALPN protocols to offer, in order of preference.'),
    subjectAltNames: listOf(
      text('Name.', { minLength: 1 }),
      'Subject alternative names (DNS names, IP addresses, or URIs such as `spiffe://example.org/ns/default/sa/web`), one of which the certificate must contain. They replace the host name in verification.',
    ),
    keyExchangeGroups,
    spiffe: notYet(record('Client certificate from the SPIFFE Workload API.', {})),
  },
  atMostOneOf(...certificatePairs),
)

/** TLS settings for all listeners. */
const frontendTls = record('TLS settings of all listeners.', {
  handshakeTimeout: duration('Timeout of a TLS handshake.', defaults.tls.handshakeTimeout),
  alpn: listOf(text('Protocol.', { minLength: 1 }), 'ALPN protocols to offer. Default: h2, http/1.1.', {
    minItems: 1,
  }),
  minVersion: version('lowest'),
  maxVersion: version('highest'),
  cipherSuites,
  keyExchangeGroups,
})

/** Definitions of TLS. */
export const tlsDefinitions: Properties = {
  ServerTls: serverTls,
  UpstreamTls: upstreamTls,
  FrontendTls: frontendTls,
}
