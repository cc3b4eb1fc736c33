import type * as File from '../../../config/schema/file-types.gen.ts'
import { endpointFields, endpointRule } from '../../../controller/schema/endpoint-fields.ts'
import { type FormOf, requiredField } from '../../../controller/schema/field.ts'
import type { FormContext } from '../../../controller/schema/form-context.ts'
import { remoteJwksField } from '../../../controller/schema/jwks-field.ts'
import { listField, mapField, objectField } from '../../../controller/schema/object-fields.ts'
import { authorizationField, expressionsField } from '../../../controller/schema/policy-fields.ts'
import { policyForm, refuseRequests } from '../../../controller/schema/policy-form.ts'
import { secretKeyRefField } from '../../../controller/schema/reference-fields.ts'
import { enumField, stringField } from '../../../controller/schema/scalar-fields.ts'
import { atLeastOneOf, validationRule } from '../../../controller/schema/validation-rule.ts'
import {
  failureModeField,
  headerNameField,
  shortStringField,
} from '../../../controller/schema/value-fields.ts'
import { authorizationOf } from '../../authorization/kubernetes.ts'
import {
  audiencesField,
  mcpClientSettings,
  mcpProviderField,
  resourceMetadataField,
  tokenModeField,
  tokenModes,
} from '../../jwt-auth/kubernetes.ts'

const headerNames = (description: string) =>
  listField(description, headerNameField('Name of the header.'), { maxItems: 64 })

const processorField = objectField('A service that inspects messages.', {
  remote: requiredField(
    objectField(
      'The service.',
      {
        ...endpointFields('the service'),
        failureMode: failureModeField('What happens to messages if the service fails.'),
        metadata: expressionsField('Metadata sent with each call.'),
        allowedRequestHeaders: headerNames('Headers that are sent to the service.'),
        disallowedRequestHeaders: headerNames('Headers that are not.'),
      },
      { rules: [endpointRule] },
    ),
  ),
  methods: requiredField(
    mapField(
      'What of which methods is sent. A name may have one `*`, at its beginning or end.',
      enumField('Requests, responses, both or nothing.', ['Off', 'Request', 'Response', 'Full']),
      {
        minProperties: 1,
        maxProperties: 64,
        rules: [
          validationRule(
            "a method may have one '*', at its beginning or end",
            String.raw`self.all(m, m.size() <= 256 && m.matches('^\\*?[^*]*$|^[^*]*\\*$') && m != '')`,
          ),
        ],
      },
    ),
  ),
})

const authenticationField = objectField('Validates tokens of MCP clients, and tells them where to get one.', {
  mode: tokenModeField,
  issuer: shortStringField('Issuer: the claim `iss`.'),
  audiences: audiencesField,
  jwks: requiredField(remoteJwksField),
  provider: mcpProviderField,
  clientId: stringField('Client that MCP clients use.', { maxLength: 1024 }),
  clientSecretRef: secretKeyRefField('Secret of that client, under `clientSecret` by default.'),
  resourceMetadata: resourceMetadataField,
})

const backendMcpField = objectField(
  'Policies of MCP servers.',
  {
    authorization: authorizationField('Which tools, prompts and resources clients may see and use.'),
    authentication: authenticationField,
    guardrails: objectField('Services that inspect messages.', {
      processors: requiredField(
        listField('Services, in order.', processorField, { minItems: 1, maxItems: 16 }),
      ),
    }),
  },
  { rules: [atLeastOneOf('authorization', 'authentication', 'guardrails')] },
)

/** `backend.mcp` of a ProxyPolicy: three policies of a file. */
export const backendMcpForm = policyForm({
  field: backendMcpField,
  translate: ({ authorization, authentication, guardrails }, context) => {
    const mcpAuthentication = authentication && mcpAuthenticationOf(authentication, context)
    const processors = guardrails?.processors.map((processor) => processorOf(processor, context))
    if ((authentication && !mcpAuthentication) || processors?.includes(undefined)) return undefined
    return {
      ...(authorization === undefined ? {} : { mcpAuthorization: authorizationOf(authorization) }),
      ...(mcpAuthentication === undefined ? {} : { mcpAuthentication }),
      ...(processors === undefined
        ? {}
        : { mcpGuardrails: { processors: processors.filter((processor) => processor !== undefined) } }),
    }
  },
  whenBroken: refuseRequests,
})

const mcpAuthenticationOf = (
  form: FormOf<typeof authenticationField>,
  context: FormContext,
): File.McpAuthentication | undefined => {
  const { mode = 'Strict', issuer, audiences, jwks, clientSecretRef } = form
  const keys = context.remoteKeys(jwks)
  const clientSecret = clientSecretRef && context.secretKey(clientSecretRef, 'clientSecret')
  if (issuer === undefined) context.report('authentication.issuer must be set')
  if (keys === undefined || issuer === undefined || (clientSecretRef && clientSecret === undefined))
    return undefined
  return {
    issuer,
    ...(audiences === undefined ? {} : { audiences: [...audiences] }),
    jwks: keys,
    mode: tokenModes[mode],
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...mcpClientSettings(form),
  }
}

const processorOf = (
  { remote, methods }: FormOf<typeof processorField>,
  context: FormContext,
): File.McpProcessor | undefined => {
  const service = context.endpoint(remote)
  if (!service) return undefined
  const {
    failureMode,
    metadata,
    allowedRequestHeaders: allowed,
    disallowedRequestHeaders: disallowed,
  } = remote
  return {
    kind: 'remote',
    ...service,
    failureMode: failureMode === 'FailOpen' ? 'failOpen' : 'failClosed',
    methods: Object.fromEntries(
      Object.entries(methods).map(([method, phases]) => [method, methodPhases[phases]]),
    ),
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
    ...(allowed || disallowed
      ? {
          requestHeaders: {
            ...(allowed ? { allowed: [...allowed] } : {}),
            ...(disallowed ? { disallowed: [...disallowed] } : {}),
          },
        }
      : {}),
  }
}

const methodPhases = { Off: 'off', Request: 'request', Response: 'response', Full: 'full' } as const
