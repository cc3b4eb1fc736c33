import { conditionalField } from '../../controller/schema/conditional-field.ts'
import { endpointFields, endpointRule } from '../../controller/schema/endpoint-fields.ts'
import { type ObjectForm, requiredField } from '../../controller/schema/field.ts'
import { listField, mapField, objectField } from '../../controller/schema/object-fields.ts'
import { expressionsField } from '../../controller/schema/policy-fields.ts'
import { integerField, stringField } from '../../controller/schema/scalar-fields.ts'
import { exactlyOneOf, validationRule } from '../../controller/schema/validation-rule.ts'
import {
  byteSizeField,
  celField,
  failureModeField,
  shortStringField,
} from '../../controller/schema/value-fields.ts'

const grpcField = objectField('Authorization by gRPC (`envoy.service.auth.v3.Authorization`).', {
  contextExtensions: mapField(
    'Values sent as `context_extensions`.',
    stringField('Value.', { maxLength: 1024 }),
    { maxProperties: 64 },
  ),
  requestMetadata: expressionsField('Metadata sent as `metadata_context`, by namespace.'),
})

const httpField = objectField('Authorization by HTTP status: 2xx allows the request.', {
  path: celField('Expression that gives path and query of the call.'),
  redirect: celField('Expression that gives a URL to which clients are redirected on 401 and 403.'),
  body: celField('Expression that gives the body of the call.'),
  allowedRequestHeaders: listField(
    'Headers that are sent to the service. `Authorization` always is.',
    shortStringField('Name of the header.'),
    { maxItems: 64 },
  ),
  addRequestHeaders: expressionsField('Headers to set in the call.'),
  allowedResponseHeaders: listField(
    'Headers of the response that are copied into the request.',
    shortStringField('Name of the header.'),
    { maxItems: 64 },
  ),
  responseMetadata: expressionsField('Values that later expressions read as `extauthz.name`.'),
})

const fields = {
  ...endpointFields('the authorization service'),
  failureMode: failureModeField('What happens to requests if the service fails.'),
  grpc: grpcField,
  http: httpField,
  forwardBody: objectField('Sends the body of the request to the service.', {
    maxSize: requiredField(byteSizeField('Largest body; larger ones are refused with 413.')),
  }),
  cache: objectField('Keeps decisions.', {
    key: requiredField(
      listField('Expressions that form the key.', celField('Part of the key.'), {
        minItems: 1,
        maxItems: 16,
      }),
    ),
    ttl: requiredField(celField('How long: a duration, or an expression that gives one or a time.')),
    maxEntries: integerField('Largest number of decisions.', { minimum: 1, maximum: 10_000_000 }),
  }),
}

const rules = [
  endpointRule,
  exactlyOneOf('grpc', 'http'),
  validationRule(
    'forwardBody and http.body cannot both be set',
    '!has(self.forwardBody) || !has(self.http) || !has(self.http.body)',
  ),
  validationRule(
    'url can only have a path with http, and not with http.path',
    "!has(self.url) || self.url.matches('^https?://[^/]+/?$') || (has(self.http) && !has(self.http.path))",
  ),
]

/** `extAuth` of the policies of a backend. */
export const extAuthField = objectField('A service allows or denies each request.', fields, { rules })

/** `extAuth` of the traffic of a ProxyPolicy. */
export const conditionalExtAuthField = conditionalField(
  'A service allows or denies each request.',
  fields,
  rules,
)

/** What `extAuth` holds. */
export type ExtAuthForm = ObjectForm<typeof fields>
