import { requiredField } from '../../../../controller/schema/field.ts'
import { objectField } from '../../../../controller/schema/object-fields.ts'
import { policyForm } from '../../../../controller/schema/policy-form.ts'
import { enumField } from '../../../../controller/schema/scalar-fields.ts'

/** `frontend.connect` of a ProxyPolicy. */
export const connectForm = policyForm({
  field: objectField('Requests with the method CONNECT.', {
    mode: requiredField(
      enumField('Whether they are refused with 405, routed like others, or tunnelled.', [
        'Deny',
        'Route',
        'Tunnel',
      ]),
    ),
  }),
  translate: ({ mode }) => ({ frontend: { connect: { mode: modes[mode] } } }),
})

const modes = { Deny: 'deny', Route: 'route', Tunnel: 'tunnel' } as const
