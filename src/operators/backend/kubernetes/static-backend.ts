import { backendForm, hostAndPort } from '../../../controller/schema/backend-form.ts'
import { objectField } from '../../../controller/schema/object-fields.ts'
import { stringField } from '../../../controller/schema/scalar-fields.ts'
import { exactlyOneOf, validationRule } from '../../../controller/schema/validation-rule.ts'
import { portField, shortStringField } from '../../../controller/schema/value-fields.ts'

/** `static` of a ProxyBackend. */
export const staticBackendForm = backendForm({
  field: objectField(
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
  translate: ({ host, port, unixPath }, context) => {
    if (unixPath !== undefined) return { host: `unix:${unixPath}` }
    if (host !== undefined && port !== undefined) return { host: hostAndPort({ host, port }) }
    context.report('host and port, or unixPath must be set')
    return undefined
  },
})
