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

/** Names of the TLS registry; OpenSSL names are accepted as well. */
const cipherSuites = listOf(
  formatted('cipherSuite', 'A cipher suite.'),
  'Cipher suites that may be used, in order of preference.',
  { minItems: 1 },
)

/** Groups by their names in the reference. */
const keyExchangeGroups = listOf(
  words('A group.', ['X25519', 'P-256', 'P-384', 'X25519_MLKEM768']),
  'Key exchange groups that may be used, in order of preference.',
  { minItems: 1 },
)

const version = (which: string): SchemaNode =>
  words(`The ${which} TLS version. Versions before 1.2 are known by name only: they are refused.`, VERSIONS)

/** How a listener terminates TLS. */
const serverTls = record(
  'How a listener terminates TLS.',
  {
    mode: words(
      'Where certificates come from. `static`: `cert` is that of the server. `dynamicCa`: `cert` is that of an authority, which signs a certificate for each name that a client asks for (`DYNAMIC_CA_CERT_CACHE_TTL`, `DYNAMIC_CA_CERT_CACHE_CAPACITY`).',
      ['static', 'dynamicCa'],
      'static',
    ),
    cert: text('File with the certificate chain (PEM). Read again when it changes.', { minLength: 1 }),
    key: text('File with the private key (PEM). Read again when it changes.', { minLength: 1 }),
    root: text(
      'File with the authorities (PEM) that client certificates must come from. With it, clients must show one.',
      {
        minLength: 1,
      },
    ),
    spiffe: notYet(record('Take the certificate from the SPIFFE Workload API.', {})),
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
  'TLS towards a backend. `{}` means: with TLS, verified against the public authorities.',
  {
    cert: text('File with the client certificate chain (PEM).', { minLength: 1 }),
    key: text('File with the private key of the client certificate (PEM).', { minLength: 1 }),
    root: text('File with the authorities (PEM) that the certificate of the backend must come from.', {
      minLength: 1,
    }),
    hostname: formatted(
      'host',
      'Name sent as SNI, and verified in the certificate. Default: the host of the backend.',
    ),
    insecure: flag('Accept any certificate.', false),
    insecureHost: flag('Accept a certificate for another host.', false),
    alpn: listOf(text('A protocol.', { minLength: 1 }), 'Protocols offered, in order of preference.'),
    subjectAltNames: listOf(
      text('A name.', { minLength: 1 }),
      'Names, one of which the certificate must carry.',
    ),
    keyExchangeGroups,
    spiffe: notYet(record('Take the client certificate from the SPIFFE Workload API.', {})),
  },
)

/** TLS settings for all listeners. */
const frontendTls = record('TLS settings of all listeners.', {
  handshakeTimeout: duration('How long a handshake may take.', defaults.tls.handshakeTimeout),
  alpn: listOf(text('A protocol.', { minLength: 1 }), 'Protocols offered. Default: h2, http/1.1.', {
    minItems: 1,
  }),
  minVersion: version('lowest'),
  maxVersion: version('highest'),
  cipherSuites,
  keyExchangeGroups,
})

/** Schema definitions of TLS. */
export const tlsDefinitions: Properties = {
  ServerTls: serverTls,
  UpstreamTls: upstreamTls,
  FrontendTls: frontendTls,
}
