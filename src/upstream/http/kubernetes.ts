import { objectField } from '../../controller/schema/object-fields.ts'
import { policyForm } from '../../controller/schema/policy-form.ts'
import { enumField } from '../../controller/schema/scalar-fields.ts'
import { durationTextField } from '../../controller/schema/value-fields.ts'

/** `backend.http` of a ProxyPolicy. */
export const backendHttpForm = policyForm({
  field: objectField('HTTP to the backend.', {
    requestTimeout: durationTextField('Timeout of one call. After it: 504.', { minimum: '1ms' }),
    version: enumField(
      'Version of HTTP. By default negotiated with TLS, HTTP/2 for gRPC, otherwise HTTP/1.1.',
      ['HTTP1', 'HTTP2'],
    ),
  }),
  translate: ({ requestTimeout, version }) => ({
    http: {
      ...(requestTimeout === undefined ? {} : { requestTimeout }),
      ...(version === undefined ? {} : { version: version === 'HTTP1' ? '1.1' : '2' }),
    },
  }),
})
