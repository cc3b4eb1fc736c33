import { requiredField } from '../../../controller/schema/field.ts'
import { objectField } from '../../../controller/schema/object-fields.ts'
import { enumField } from '../../../controller/schema/scalar-fields.ts'

/** `connect` of the frontend of a ProxyPolicy. */
export const connectField = objectField('Requests with the method CONNECT.', {
  mode: requiredField(
    enumField('Whether they are refused with 405, routed like others, or tunnelled.', [
      'Deny',
      'Route',
      'Tunnel',
    ]),
  ),
})
