import type { SchemaField } from '../../../../controller/schema/field.ts'
import { objectField } from '../../../../controller/schema/object-fields.ts'
import { policyForm } from '../../../../controller/schema/policy-form.ts'
import { byteCount } from '../../../../controller/schema/quantity.ts'
import { enumField, integerField } from '../../../../controller/schema/scalar-fields.ts'
import { atLeastOneOf, validationRule } from '../../../../controller/schema/validation-rule.ts'
import { byteSizeField, durationTextField } from '../../../../controller/schema/value-fields.ts'

const second = (description: string) => durationTextField(description, { minimum: '1s' })

const fields = {
  maxBufferSize: byteSizeField('Largest body that is buffered where something needs all of it.'),
  http1MaxHeaders: integerField('Largest number of headers of HTTP/1.', { minimum: 1, maximum: 4096 }),
  http1IdleTimeout: second('Time that a connection of HTTP/1 stays open without requests.'),
  http1HeaderCase: enumField('How names of headers are written in HTTP/1.', ['Lowercase', 'Preserve']),
  http2WindowSize: byteSizeField('Initial window of a stream.'),
  http2ConnectionWindowSize: byteSizeField('Window of a connection.'),
  http2FrameSize: byteSizeField('Largest frame.', {
    rules: [
      validationRule(
        'must be from 16384 to 1677215 bytes',
        'type(self) != int || (self >= 16384 && self <= 1677215)',
      ),
    ],
  }),
  http2MaxHeaderSize: byteSizeField('Largest size of the headers of a request.'),
  http2KeepaliveInterval: second('Time between pings.'),
  http2KeepaliveTimeout: second('Time after which a connection ends that does not reply to a ping.'),
  maxConnectionDuration: second('Time after which a connection is asked to end.'),
} satisfies Record<string, SchemaField>

/** `frontend.http` of a ProxyPolicy. */
export const frontendHttpForm = policyForm({
  field: objectField('HTTP of clients.', fields, { rules: [atLeastOneOf(...Object.keys(fields))] }),
  translate: ({
    http1HeaderCase,
    maxBufferSize,
    http2WindowSize,
    http2ConnectionWindowSize,
    http2FrameSize,
    http2MaxHeaderSize,
    ...same
  }) => ({
    frontend: {
      http: {
        ...same,
        ...(http1HeaderCase === undefined
          ? {}
          : { http1HeaderCase: http1HeaderCase === 'Preserve' ? 'preserve' : 'lowercase' }),
        ...bytes('maxBufferSize', maxBufferSize),
        ...bytes('http2WindowSize', http2WindowSize),
        ...bytes('http2ConnectionWindowSize', http2ConnectionWindowSize),
        ...bytes('http2FrameSize', http2FrameSize),
        ...bytes('http2MaxHeaderSize', http2MaxHeaderSize),
      },
    },
  }),
})

const bytes = <Name extends string>(
  name: Name,
  quantity: number | string | undefined,
): Readonly<Partial<Record<Name, number>>> => {
  const count = quantity === undefined ? undefined : byteCount(quantity)
  return (count === undefined ? {} : { [name]: count }) as Readonly<Partial<Record<Name, number>>>
}
