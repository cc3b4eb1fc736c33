import { conditionalField } from '../../controller/schema/conditional-field.ts'
import { endpointFields, endpointRule, urlWithoutPath } from '../../controller/schema/endpoint-fields.ts'
import type { ObjectForm } from '../../controller/schema/field.ts'
import { mapField, objectField } from '../../controller/schema/object-fields.ts'
import { expressionsField } from '../../controller/schema/policy-fields.ts'
import { booleanField, enumField } from '../../controller/schema/scalar-fields.ts'
import { failureModeField } from '../../controller/schema/value-fields.ts'

const bodyModeField = (description: string) =>
  enumField(description, ['None', 'Buffered', 'BufferedPartial', 'FullDuplexStreamed'], {
    default: 'FullDuplexStreamed',
  })

const partModeField = (description: string) => enumField(description, ['Send', 'Skip'], { default: 'Send' })

const fields = {
  ...endpointFields('the external processor'),
  failureMode: failureModeField('What happens to requests if the service fails.'),
  processingOptions: objectField('Parts of requests and responses that are sent to the service.', {
    requestBodyMode: bodyModeField('How the body of a request is sent.'),
    responseBodyMode: bodyModeField('How the body of a response is sent.'),
    requestHeaderMode: partModeField('Whether the headers of a request are sent.'),
    responseHeaderMode: partModeField('Whether the headers of a response are sent.'),
    requestTrailerMode: partModeField('Whether the trailers of a request are sent.'),
    responseTrailerMode: partModeField('Whether the trailers of a response are sent.'),
    allowModeOverride: booleanField('Whether the service may change these modes for a request.', {
      default: false,
    }),
  }),
  metadataContext: mapField(
    'Metadata sent with every message, by namespace.',
    expressionsField('Values by name.', 16),
    { maxProperties: 16 },
  ),
  requestAttributes: expressionsField('Attributes sent with the first message of a request.'),
  responseAttributes: expressionsField('Attributes sent with the first message of a response.'),
}

/** `extProc` of the traffic of a ProxyPolicy. */
export const extProcField = conditionalField(
  'External processing: a service inspects and changes requests and responses.',
  fields,
  [endpointRule, urlWithoutPath],
)

/** What `extProc` holds. */
export type ExtProcForm = ObjectForm<typeof fields>
