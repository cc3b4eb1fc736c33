import { backendForm, hostAndPort } from '../../controller/schema/backend-form.ts'
import { requiredField } from '../../controller/schema/field.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { portField, shortStringField } from '../../controller/schema/value-fields.ts'

/** `a2a` of a ProxyBackend. */
export const a2aBackendForm = backendForm({
  field: objectField('An agent that speaks A2A.', {
    host: requiredField(shortStringField('Host name or address.')),
    port: requiredField(portField('Port.')),
  }),
  translate: (form) => ({ host: hostAndPort(form), policies: { a2a: {} } }),
})
