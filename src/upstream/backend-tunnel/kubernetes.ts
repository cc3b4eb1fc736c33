import { endpointFields, endpointRule, urlWithoutPath } from '../../controller/schema/endpoint-fields.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { policyForm } from '../../controller/schema/policy-form.ts'

/** `backend.tunnel` of a ProxyPolicy. */
export const tunnelForm = policyForm({
  field: objectField(
    'An HTTP proxy through which the backend is reached (CONNECT).',
    endpointFields('the proxy'),
    { rules: [endpointRule, urlWithoutPath] },
  ),
  translate: (form, context) => {
    const proxy = context.endpoint(form)
    return proxy && { backendTunnel: { proxy } }
  },
  whenBroken: (message) => ({ backendTunnel: { invalid: message } }),
})
