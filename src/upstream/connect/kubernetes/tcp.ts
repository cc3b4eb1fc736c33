import type * as File from '../../../config/schema/file-types.gen.ts'
import type { FormOf } from '../../../controller/schema/field.ts'
import { objectField } from '../../../controller/schema/object-fields.ts'
import { keepaliveField } from '../../../controller/schema/policy-fields.ts'
import { policyForm } from '../../../controller/schema/policy-form.ts'
import { durationTextField } from '../../../controller/schema/value-fields.ts'

/** `backend.tcp` of a ProxyPolicy. */
export const backendTcpForm = policyForm({
  field: objectField('Connections to the backend.', {
    connectTimeout: durationTextField('Timeout of a connection attempt.', { minimum: '100ms' }),
    keepalive: keepaliveField('Probes of idle connections.'),
  }),
  translate: ({ connectTimeout, keepalive }) => ({
    tcp: {
      ...(connectTimeout === undefined ? {} : { connectTimeout }),
      ...(keepalive === undefined ? {} : { keepalives: keepalivesOf(keepalive) }),
    },
  }),
})

/** `keepalives` of a file. */
export const keepalivesOf = ({
  time,
  interval,
  retries,
}: FormOf<ReturnType<typeof keepaliveField>>): File.Keepalives => ({
  ...(time === undefined ? {} : { time }),
  ...(interval === undefined ? {} : { interval }),
  ...(retries === undefined ? {} : { retries }),
})
