import { backendForm } from '../../../controller/schema/backend-form.ts'
import { listField, objectField } from '../../../controller/schema/object-fields.ts'
import { stringField } from '../../../controller/schema/scalar-fields.ts'
import { portField, shortStringField } from '../../../controller/schema/value-fields.ts'

const allowField = objectField('Where requests may go.', {
  hosts: listField('Host names: `name`, `*.suffix` or `*`. By default all.', shortStringField('Host name.'), {
    minItems: 1,
    maxItems: 64,
  }),
  ports: listField('Ports. By default all.', portField('Port.'), { minItems: 1, maxItems: 64 }),
  privateRanges: listField(
    'Private, loopback and link-local ranges, such as those of the Services of a cluster. By default none.',
    stringField('CIDR range.', { minLength: 1, maxLength: 64 }),
    { minItems: 1, maxItems: 64 },
  ),
})

/** `dynamicForwardProxy` of a ProxyBackend. Clients must not reach what only the cluster can, unless it is listed. */
export const dynamicBackendForm = backendForm({
  field: objectField('The host that the request names.', { allow: allowField }),
  translate: ({ allow: { hosts = ['*'], ports, privateRanges } = {} }) => ({
    dynamic: {
      allow: {
        hosts: [...hosts],
        ...(ports === undefined ? {} : { ports: [...ports] }),
        ...(privateRanges === undefined ? {} : { privateRanges: [...privateRanges] }),
      },
    },
  }),
})
