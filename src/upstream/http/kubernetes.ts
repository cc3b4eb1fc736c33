import { objectField } from '../../controller/schema/object-fields.ts'
import { enumField } from '../../controller/schema/scalar-fields.ts'
import { durationTextField } from '../../controller/schema/value-fields.ts'

/** `http` of the policies of backends. */
export const backendHttpField = objectField('HTTP to the backend.', {
  requestTimeout: durationTextField('Timeout of one call, until the response headers arrive.', {
    minimum: '1ms',
  }),
  version: enumField('Version of HTTP. By default that of the request, where the backend supports it.', [
    'HTTP1',
    'HTTP2',
  ]),
})
