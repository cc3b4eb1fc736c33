import type * as File from '../../config/schema/file-types.gen.ts'
import { type FormOf, requiredField } from '../../controller/schema/field.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { enumField } from '../../controller/schema/scalar-fields.ts'

/** `hostRewrite` of the traffic of a ProxyPolicy. */
export const hostRewriteField = objectField('The host of requests to backends.', {
  mode: requiredField(
    enumField('`Auto`: that of the backend, where it is a host name. `None`: that of the request.', [
      'Auto',
      'None',
    ]),
  ),
})

/** `urlRewrite` of a file. */
export const hostRewriteOf = ({ mode }: FormOf<typeof hostRewriteField>): File.Rewrite => ({
  authority: mode === 'Auto' ? 'auto' : 'none',
})
