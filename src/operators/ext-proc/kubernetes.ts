import type * as File from '../../config/schema/file-types.gen.ts'
import { conditionalField, translateConditional } from '../../controller/schema/conditional-field.ts'
import { endpointFields, endpointRule, urlWithoutPath } from '../../controller/schema/endpoint-fields.ts'
import type { ObjectForm } from '../../controller/schema/field.ts'
import { mapField, objectField } from '../../controller/schema/object-fields.ts'
import { expressionsField } from '../../controller/schema/policy-fields.ts'
import { booleanField, enumField } from '../../controller/schema/scalar-fields.ts'
import { failureModeField } from '../../controller/schema/value-fields.ts'
import { policyForm, refuseRequests } from '../../controller/schema/policy-form.ts'

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
    expressionsField('Values by name.'),
    { maxProperties: 64 },
  ),
  requestAttributes: expressionsField('Attributes sent with the first message of a request.'),
  responseAttributes: expressionsField('Attributes sent with the first message of a response.'),
}

/** `traffic.extProc` of a ProxyPolicy. */
export const extProcForm = policyForm({
  field: conditionalField(
    'External processing: a service inspects and changes requests and responses.',
    fields,
    [endpointRule, urlWithoutPath],
  ),
  translate: (form, context) => {
    const extProc = translateConditional<ExtProcFields, File.ExtProc>(form, (one) => {
      const service = context.endpoint(one)
      return service && { ...service, ...settingsOf(one) }
    })
    return extProc && { extProc }
  },
  whenBroken: refuseRequests,
})

type ExtProcFields = ObjectForm<typeof fields>

const settingsOf = ({
  failureMode,
  processingOptions,
  metadataContext,
  requestAttributes,
  responseAttributes,
}: ExtProcFields): File.ExtProc => ({
  failureMode: failureMode === 'FailOpen' ? 'failOpen' : 'failClosed',
  ...(processingOptions === undefined ? {} : { processingOptions: optionsOf(processingOptions) }),
  ...(metadataContext === undefined
    ? {}
    : {
        metadataContext: Object.fromEntries(
          Object.entries(metadataContext).map(([namespace, values]) => [namespace, { ...values }]),
        ),
      }),
  ...(requestAttributes === undefined ? {} : { requestAttributes: { ...requestAttributes } }),
  ...(responseAttributes === undefined ? {} : { responseAttributes: { ...responseAttributes } }),
})

type OptionsForm = NonNullable<ExtProcFields['processingOptions']>

const optionsOf = ({
  requestBodyMode = 'FullDuplexStreamed',
  responseBodyMode = 'FullDuplexStreamed',
  requestHeaderMode = 'Send',
  responseHeaderMode = 'Send',
  requestTrailerMode = 'Send',
  responseTrailerMode = 'Send',
  allowModeOverride = false,
}: OptionsForm): NonNullable<File.ExtProc['processingOptions']> => ({
  requestBodyMode: bodyModes[requestBodyMode],
  responseBodyMode: bodyModes[responseBodyMode],
  requestHeaderMode: partModes[requestHeaderMode],
  responseHeaderMode: partModes[responseHeaderMode],
  requestTrailerMode: partModes[requestTrailerMode],
  responseTrailerMode: partModes[responseTrailerMode],
  allowModeOverride,
})

const bodyModes = {
  None: 'none',
  Buffered: 'buffered',
  BufferedPartial: 'bufferedPartial',
  FullDuplexStreamed: 'fullDuplexStreamed',
} as const

const partModes = { Send: 'send', Skip: 'skip' } as const
