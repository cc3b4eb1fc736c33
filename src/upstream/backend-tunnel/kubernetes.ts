import { endpointFields, endpointRule, urlWithoutPath } from '../../controller/schema/endpoint-fields.ts'
import type { FormOf } from '../../controller/schema/field.ts'
import { objectField } from '../../controller/schema/object-fields.ts'

/** `tunnel` of the policies of backends. */
export const tunnelField = objectField(
  'An HTTP proxy through which the backend is reached (CONNECT).',
  endpointFields('the proxy'),
  { rules: [endpointRule, urlWithoutPath] },
)

/** What `tunnel` holds. */
export type TunnelForm = FormOf<typeof tunnelField>
