import { requiredField } from '../../controller/schema/field.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { policyForm } from '../../controller/schema/policy-form.ts'
import { enumField } from '../../controller/schema/scalar-fields.ts'

/** `traffic.hostRewrite` of a ProxyPolicy. */
export const hostRewriteForm = policyForm({
  field: objectField('The host of requests to backends.', {
    mode: requiredField(
      enumField('`Auto`: that of the backend, where it is a host name. `None`: that of the request.', [
        'Auto',
        'None',
      ]),
    ),
  }),
  translate: ({ mode }) => ({ urlRewrite: { authority: mode === 'Auto' ? 'auto' : 'none' } }),
})
