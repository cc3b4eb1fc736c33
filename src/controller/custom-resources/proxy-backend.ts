import type { CustomResource } from '../schema/custom-resource.ts'
import { objectField } from '../schema/object-fields.ts'
import { fieldsOfForms } from '../schema/policy-form.ts'
import { stringField } from '../schema/scalar-fields.ts'
import { conditionStatusField } from '../schema/status-fields.ts'
import { exactlyOneOf, validationRule } from '../schema/validation-rule.ts'
import { portField, shortStringField } from '../schema/value-fields.ts'
import { backendForms } from './backend-policies.ts'
import { someFieldOf } from './proxy-policy-rules.ts'

const policyFields = fieldsOfForms(backendForms)

const backendKinds = {
  dynamicForwardProxy: objectField('The host that the request names.', {}),
  static: objectField(
    'One host, or one socket.',
    {
      host: shortStringField('Host name or address.'),
      port: portField('Port.'),
      unixPath: stringField('Path of a Unix domain socket.', { minLength: 1, maxLength: 1024 }),
    },
    {
      rules: [
        exactlyOneOf('host', 'unixPath'),
        validationRule('host and port must be set together', 'has(self.host) == has(self.port)'),
      ],
    },
  ),
}

/** ProxyBackend: what routes and policies refer to where a Service is not enough. */
export const proxyBackendResource: CustomResource = {
  kind: 'ProxyBackend',
  plural: 'proxybackends',
  shortName: 'pbe',
  description: 'A backend that is no Service.',
  spec: objectField(
    'What the backend is.',
    {
      ...backendKinds,
      policies: objectField('Policies of calls to it.', policyFields, {
        rules: [someFieldOf(policyFields)],
      }),
    },
    { rules: [exactlyOneOf(...Object.keys(backendKinds).sort())] },
  ),
  status: conditionStatusField,
  columns: [
    {
      name: 'Accepted',
      jsonPath: ".status.conditions[?(@.type=='Accepted')].status",
      description: 'Condition Accepted.',
    },
  ],
  isDirectPolicy: false,
}
