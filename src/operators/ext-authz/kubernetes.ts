import type * as File from '../../config/schema/file-types.gen.ts'
import { conditionalField, translateConditional } from '../../controller/schema/conditional-field.ts'
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
import { policyForm, refuseConnections, refuseRequests } from '../../controller/schema/policy-form.ts'
import type { FormContext } from '../../controller/schema/form-context.ts'
import { byteCount } from '../../controller/schema/quantity.ts'

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

/** `backend.extAuth` of a ProxyPolicy. */
export const backendExtAuthForm = policyForm({
  field: objectField('A service allows or denies each request.', fields, { rules }),
  translate: (form, context) => {
    const extAuthz = extAuthzOf(form, context)
    return extAuthz && { extAuthz }
  },
  // TLS settings of the backend would replace what refuses connections; rules add up. Providers have no rules.
  whenBroken: (message) => ({ ...refuseConnections(message), ...refuseRequests() }),
})

/** `traffic.extAuth` of a ProxyPolicy. */
export const extAuthForm = policyForm({
  field: conditionalField('A service allows or denies each request.', fields, rules),
  translate: (form, context) => {
    const extAuthz = translateConditional<ExtAuthFields, File.ExtAuthz>(form, (one) =>
      extAuthzOf(one, context),
    )
    return extAuthz && { extAuthz }
  },
  whenBroken: refuseRequests,
})

type ExtAuthFields = ObjectForm<typeof fields>

const extAuthzOf = (form: ExtAuthFields, context: FormContext): File.ExtAuthz | undefined => {
  const service = context.endpoint(form)
  if (!service) return undefined
  const { failureMode, grpc, http, forwardBody, cache } = form
  const bytes = forwardBody === undefined ? undefined : byteCount(forwardBody.maxSize)
  return {
    ...service,
    failureMode: failureMode === 'FailOpen' ? 'allow' : 'deny',
    protocol: http ? { http: httpOf(http, form.url) } : { grpc: grpcOf(grpc ?? {}) },
    ...(http
      ? {
          includeRequestHeaders: [
            ...new Set(['authorization', ':authority', ...(http.allowedRequestHeaders ?? [])]),
          ],
        }
      : {}),
    ...(bytes === undefined
      ? {}
      : { includeRequestBody: { maxRequestBytes: bytes, allowPartialMessage: false, packAsBytes: false } }),
    ...(cache === undefined
      ? {}
      : {
          cache: {
            key: [...cache.key],
            ttl: ttlOf(cache.ttl),
            ...(cache.maxEntries === undefined ? {} : { maxEntries: cache.maxEntries }),
          },
        }),
  }
}

const grpcOf = ({
  contextExtensions,
  requestMetadata,
}: NonNullable<ExtAuthFields['grpc']>): File.ExtAuthzGrpc => ({
  ...(contextExtensions === undefined ? {} : { context: { ...contextExtensions } }),
  ...(requestMetadata === undefined ? {} : { metadata: { ...requestMetadata } }),
})

/** The path of a URL comes before that of the request. */
const httpOf = (
  {
    path,
    redirect,
    body,
    addRequestHeaders,
    allowedResponseHeaders,
    responseMetadata,
  }: NonNullable<ExtAuthFields['http']>,
  url: string | undefined,
): File.ExtAuthzHttp => {
  const prefix = url === undefined ? '' : (/^https?:\/\/[^/]+(\/.*)$/.exec(url)?.[1] ?? '').replace(/\/$/, '')
  const called = path ?? (prefix === '' ? undefined : `${JSON.stringify(prefix)} + request.path`)
  return {
    ...(called === undefined ? {} : { path: called }),
    ...(redirect === undefined ? {} : { redirect }),
    ...(body === undefined ? {} : { body }),
    ...(addRequestHeaders === undefined ? {} : { addRequestHeaders: { ...addRequestHeaders } }),
    ...(allowedResponseHeaders === undefined ? {} : { includeResponseHeaders: [...allowedResponseHeaders] }),
    ...(responseMetadata === undefined ? {} : { metadata: { ...responseMetadata } }),
  }
}

/** A duration is written as text in an expression. */
const ttlOf = (ttl: string): string =>
  /^([0-9]{1,5}(h|m|s|ms)){1,4}$/.test(ttl) ? `duration("${ttl}")` : ttl
