import type * as File from '../../../config/schema/file-types.gen.ts'
import type { FormOf } from '../../../controller/schema/field.ts'
import type { FormContext } from '../../../controller/schema/form-context.ts'
import { listField, objectField } from '../../../controller/schema/object-fields.ts'
import { policyForm, refuseConnections } from '../../../controller/schema/policy-form.ts'
import { caCertificateRefField, localSecretRefField } from '../../../controller/schema/reference-fields.ts'
import { enumField } from '../../../controller/schema/scalar-fields.ts'
import { alpnProtocolsField, keyExchangeGroupsField } from '../../../controller/schema/tls-fields.ts'
import { type ValidationRule, validationRule } from '../../../controller/schema/validation-rule.ts'
import { shortStringField, sniField } from '../../../controller/schema/value-fields.ts'

const exclusive = (a: string, condition: string, b: string): ValidationRule =>
  validationRule(`${a} cannot be set with ${b}`, `!(${condition}) || !has(self.${b})`)

const isInsecure = 'has(self.insecureSkipVerify)'
const isSpiffe = "has(self.certificateSource) && self.certificateSource == 'SPIFFE'"

const backendTlsField = objectField(
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

/** `backend.tls` of a ProxyPolicy. */
export const backendTlsForm = policyForm({
  field: backendTlsField,
  translate: (form, context) => {
    const certificates = certificatesOf(form, context)
    return certificates && { backendTLS: { ...certificates, ...settingsOf(form) } }
  },
  whenBroken: refuseConnections,
})

type BackendTlsFields = FormOf<typeof backendTlsField>

/** Undefined if one of them is not usable: connections would not be verified as meant. */
const certificatesOf = (
  { certificateSource, mtlsCertificateRef, caCertificateRefs }: BackendTlsFields,
  context: FormContext,
): File.UpstreamTls | undefined => {
  if (certificateSource === 'SPIFFE') {
    context.report(
      'certificateSource SPIFFE is not supported: proxies have no identity of SPIFFE; use Inline, with mtlsCertificateRef and caCertificateRefs',
    )
    return undefined
  }
  const reference = mtlsCertificateRef?.[0]
  const texts = reference && context.secret(reference)
  const certPem = reference && context.secretKey({ ...reference, key: 'tls.crt' }, 'tls.crt')
  const keyPem = reference && context.secretKey({ ...reference, key: 'tls.key' }, 'tls.key')
  const rootPem = caCertificateRefs?.length ? context.authorities(caCertificateRefs) : texts?.['ca.crt']
  if (reference && (certPem === undefined || keyPem === undefined)) return undefined
  if (caCertificateRefs?.length && rootPem === undefined) return undefined
  return {
    ...(certPem === undefined ? {} : { certPem }),
    ...(keyPem === undefined ? {} : { keyPem }),
    ...(rootPem === undefined ? {} : { rootPem }),
  }
}

const settingsOf = ({
  insecureSkipVerify,
  sni,
  verifySubjectAltNames,
  alpnProtocols,
  keyExchangeGroups,
}: BackendTlsFields): File.UpstreamTls => ({
  ...(insecureSkipVerify === 'All' ? { insecure: true } : {}),
  ...(insecureSkipVerify === 'Hostname' ? { insecureHost: true } : {}),
  ...(sni === undefined ? {} : { hostname: sni }),
  ...(verifySubjectAltNames === undefined ? {} : { subjectAltNames: [...verifySubjectAltNames] }),
  ...(alpnProtocols === undefined ? {} : { alpn: [...alpnProtocols] }),
  ...(keyExchangeGroups === undefined ? {} : { keyExchangeGroups: [...keyExchangeGroups] }),
})
