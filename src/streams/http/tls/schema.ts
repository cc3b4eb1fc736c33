import {
  atMostOneOf,
  duration,
  flag,
  formatted,
  listOf,
  notYet,
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
    spiffe: notYet(record('Server certificate from the SPIFFE Workload API.', {})),
    cipherSuites,
    minTLSVersion: version('lowest'),
    minTlsVersion: version('lowest'),
    maxTLSVersion: version('highest'),
    maxTlsVersion: version('highest'),
    keyExchangeGroups,
  },
  atMostOneOf(['minTLSVersion', 'minTlsVersion'], ['maxTLSVersion', 'maxTlsVersion']),
)

const upstreamTls = record(
  'TLS to a backend. `{}` enables TLS with verification against the public certificate authorities.',
  {
    cert: text('File with the client certificate chain (PEM).', { minLength: 1 }),
    key: text('File with the private key of the client certificate (PEM).', { minLength: 1 }),
    root: text('File with trusted certificate authorities (PEM) for the certificate of the backend.', {
      minLength: 1,
    }),
    hostname: formatted(
      'host',
      'Server name for SNI and certificate verification. Default: the host of the backend.',
    ),
    insecure: flag('Whether certificates are not verified at all.', false),
    insecureHost: flag('Whether the host name in the certificate is not verified.', false),
    alpn: listOf(text('Protocol.', { minLength: 1 }), 'ALPN protocols to offer, in order of preference.'),
    subjectAltNames: listOf(
      text('Name.', { minLength: 1 }),
      'Subject alternative names, one of which the certificate must contain.',
    ),
    keyExchangeGroups,
    spiffe: notYet(record('Client certificate from the SPIFFE Workload API.', {})),
  },
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
