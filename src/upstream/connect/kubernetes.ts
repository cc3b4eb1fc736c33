import { objectField, listField } from '../../controller/schema/object-fields.ts'
import { keepaliveField } from '../../controller/schema/policy-fields.ts'
import type { FormOf } from '../../controller/schema/field.ts'
import { caCertificateRefField, localSecretRefField } from '../../controller/schema/reference-fields.ts'
import { enumField } from '../../controller/schema/scalar-fields.ts'
import { type ValidationRule, validationRule } from '../../controller/schema/validation-rule.ts'
import {
  durationTextField,
  shortStringField,
  sniField,
  tinyStringField,
} from '../../controller/schema/value-fields.ts'

/** `tcp` of the policies of backends. */
export const backendTcpField = objectField('Connections to the backend.', {
  connectTimeout: durationTextField('Timeout of a connection attempt.', { minimum: '100ms' }),
  keepalive: keepaliveField('Probes of idle connections.'),
})

/** What `tcp` holds. */
export type BackendTcpForm = FormOf<typeof backendTcpField>

/** Groups for the exchange of keys in TLS. */
export const keyExchangeGroupsField = listField(
  'Groups for the exchange of keys, by preference.',
  enumField('Group.', ['P-256', 'P-384', 'X25519', 'X25519_MLKEM768']),
  { minItems: 1, maxItems: 4 },
)

/** Protocols that are offered by ALPN. */
export const alpnProtocolsField = listField(
  'Protocols that are offered by ALPN.',
  tinyStringField('Protocol.'),
  {
    minItems: 1,
    maxItems: 16,
  },
)

const exclusive = (a: string, condition: string, b: string): ValidationRule =>
  validationRule(`${a} cannot be set with ${b}`, `!(${condition}) || !has(self.${b})`)

const isInsecure = 'has(self.insecureSkipVerify)'
const isSpiffe = "has(self.certificateSource) && self.certificateSource == 'SPIFFE'"

/** `tls` of the policies of backends. */
export const backendTlsField = objectField(
  'TLS to the backend.',
  {
    certificateSource: enumField('Where certificate and authorities come from.', ['Inline', 'SPIFFE'], {
      default: 'Inline',
    }),
    mtlsCertificateRef: listField(
      'Client certificate: a Secret with `tls.crt` and `tls.key`, and `ca.crt` where it has the authorities.',
      localSecretRefField('Secret.'),
      { maxItems: 1 },
    ),
    caCertificateRefs: listField(
      'Authorities of the certificate of the backend. By default those of the system.',
      caCertificateRefField('Object with the certificates.'),
      { maxItems: 1 },
    ),
    insecureSkipVerify: enumField('What is not verified: everything, or the host name.', ['All', 'Hostname']),
    sni: sniField('Server name. By default the host of the backend.'),
    verifySubjectAltNames: listField(
      'Names of which the certificate has one, in place of the server name.',
      shortStringField('Name.'),
      { minItems: 1, maxItems: 16 },
    ),
    alpnProtocols: alpnProtocolsField,
    keyExchangeGroups: keyExchangeGroupsField,
  },
  {
    rules: [
      exclusive(
        'insecureSkipVerify All',
        `${isInsecure} && self.insecureSkipVerify == 'All'`,
        'caCertificateRefs',
      ),
      exclusive('insecureSkipVerify', isInsecure, 'verifySubjectAltNames'),
      exclusive('certificateSource SPIFFE', isSpiffe, 'mtlsCertificateRef'),
      exclusive('certificateSource SPIFFE', isSpiffe, 'caCertificateRefs'),
      exclusive('certificateSource SPIFFE', isSpiffe, 'insecureSkipVerify'),
    ],
  },
)

/** What `tls` holds. */
export type BackendTlsForm = FormOf<typeof backendTlsField>
