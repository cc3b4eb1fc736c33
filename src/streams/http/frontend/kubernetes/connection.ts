import { authorizationOf } from '../../../../operators/authorization/kubernetes.ts'
import { keepalivesOf } from '../../../../upstream/connect/kubernetes/tcp.ts'
import { listField, objectField } from '../../../../controller/schema/object-fields.ts'
import { authorizationField, keepaliveField } from '../../../../controller/schema/policy-fields.ts'
import { policyForm } from '../../../../controller/schema/policy-form.ts'
import { enumField } from '../../../../controller/schema/scalar-fields.ts'
import { alpnProtocolsField, keyExchangeGroupsField } from '../../../../controller/schema/tls-fields.ts'
import { atLeastOneOf } from '../../../../controller/schema/validation-rule.ts'
import { durationTextField } from '../../../../controller/schema/value-fields.ts'

/** `frontend.tcp` of a ProxyPolicy. */
export const frontendTcpForm = policyForm({
  field: objectField(
    'Connections of clients.',
    { keepalive: keepaliveField('Probes of idle connections.') },
    { rules: [atLeastOneOf('keepalive')] },
  ),
  translate: ({ keepalive }) => keepalive && { frontend: { tcp: { keepalives: keepalivesOf(keepalive) } } },
})

/** `frontend.proxyProtocol` of a ProxyPolicy. */
export const proxyProtocolForm = policyForm({
  field: objectField('The PROXY protocol of what is in front of the Gateway.', {
    version: enumField('Accepted versions.', ['V1', 'V2', 'All'], { default: 'V2' }),
    mode: enumField('Whether connections without it are refused.', ['Strict', 'Optional'], {
      default: 'Strict',
    }),
  }),
  translate: ({ version = 'V2', mode = 'Strict' }) => ({
    frontend: {
      proxyProtocol: { version: versions[version], mode: mode === 'Optional' ? 'optional' : 'strict' },
    },
  }),
})

const versions = { V1: 'v1', V2: 'v2', All: 'all' } as const

/** `frontend.networkAuthorization` of a ProxyPolicy. */
export const networkAuthorizationForm = policyForm({
  field: authorizationField('Which connections are accepted.'),
  translate: (form) => ({ frontend: { networkAuthorization: authorizationOf(form) } }),
  whenBroken: () => ({ frontend: { networkAuthorization: { rules: [{ deny: 'true' }] } } }),
})

const protocolVersionField = (description: string) => enumField(description, ['1.2', '1.3'])

const tlsFields = {
  handshakeTimeout: durationTextField('Timeout of a handshake.', { minimum: '100ms' }),
  alpnProtocols: alpnProtocolsField,
  minProtocolVersion: protocolVersionField('Oldest version of TLS.'),
  maxProtocolVersion: protocolVersionField('Newest version of TLS.'),
  cipherSuites: listField(
    'Cipher suites, by preference.',
    enumField('Cipher suite.', [
      'TLS13_AES_128_GCM_SHA256',
      'TLS13_AES_256_GCM_SHA384',
      'TLS13_CHACHA20_POLY1305_SHA256',
      'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
      'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
      'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
      'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
      'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
      'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
    ]),
    { minItems: 1, maxItems: 9 },
  ),
  keyExchangeGroups: keyExchangeGroupsField,
}

/** `frontend.tls` of a ProxyPolicy. */
export const frontendTlsForm = policyForm({
  field: objectField('TLS of clients.', tlsFields, { rules: [atLeastOneOf(...Object.keys(tlsFields))] }),
  translate: ({
    handshakeTimeout,
    alpnProtocols,
    minProtocolVersion,
    maxProtocolVersion,
    cipherSuites,
    keyExchangeGroups,
  }) => ({
    frontend: {
      tls: {
        ...(handshakeTimeout === undefined ? {} : { handshakeTimeout }),
        ...(alpnProtocols === undefined ? {} : { alpn: [...alpnProtocols] }),
        ...(minProtocolVersion === undefined ? {} : { minVersion: tlsVersions[minProtocolVersion] }),
        ...(maxProtocolVersion === undefined ? {} : { maxVersion: tlsVersions[maxProtocolVersion] }),
        ...(cipherSuites === undefined ? {} : { cipherSuites: cipherSuites.map(registeredName) }),
        ...(keyExchangeGroups === undefined ? {} : { keyExchangeGroups: [...keyExchangeGroups] }),
      },
    },
  }),
})

/** Suites of TLS 1.3 have shorter names in the registry. */
const registeredName = (suite: string): string => suite.replace(/^TLS13_/, 'TLS_')

const tlsVersions = { '1.2': 'TLS_V1_2', '1.3': 'TLS_V1_3' } as const
