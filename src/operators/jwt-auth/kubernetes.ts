import type * as File from '../../config/schema/file-types.gen.ts'
import { type FormOf, requiredField } from '../../controller/schema/field.ts'
import { jwksField } from '../../controller/schema/jwks-field.ts'
import { credentialLocationOf, extractionLocationField } from '../../controller/schema/location-fields.ts'
import { listField, objectField, openObjectField } from '../../controller/schema/object-fields.ts'
import { policyForm, refuseRequests } from '../../controller/schema/policy-form.ts'
import { enumField, stringField } from '../../controller/schema/scalar-fields.ts'
import { validationRule } from '../../controller/schema/validation-rule.ts'
import { shortStringField } from '../../controller/schema/value-fields.ts'

/** Providers of identity with peculiarities that clients of MCP are spared. */
export const mcpProviderField = enumField('Provider of identity whose peculiarities clients are spared.', [
  'Auth0',
  'Authentik',
  'Descope',
  'Entra',
  'Keycloak',
  'Okta',
])

/** What MCP clients are told about the protected resource (RFC 9728). */
export const resourceMetadataField = openObjectField('Metadata of the protected resource (RFC 9728).')

/** How requests without a valid token are treated. */
export const tokenModeField = enumField(
  '`Strict`: requests without a valid token are refused. `Optional`: those without a token pass. `Permissive`: all pass.',
  ['Strict', 'Optional', 'Permissive'],
  { default: 'Strict' },
)

/** Audiences of tokens. */
export const audiencesField = listField(
  'Accepted audiences; a token has one of them.',
  stringField('Audience.', { maxLength: 1024 }),
  { minItems: 1, maxItems: 64 },
)

const jwtAuthenticationField = objectField(
  'Validates bearer tokens.',
  {
    mode: tokenModeField,
    providers: requiredField(
      listField(
        'Issuers of tokens.',
        objectField('An issuer.', {
          issuer: requiredField(shortStringField('Issuer: the claim `iss`.')),
          audiences: audiencesField,
          jwks: jwksField,
        }),
        { minItems: 1, maxItems: 64 },
      ),
    ),
    location: extractionLocationField('Where the token is. By default the header Authorization.'),
    mcp: objectField(
      'Tells MCP clients where to get tokens. Without `audiences`, the `resource` of the metadata is the accepted audience.',
      {
        provider: mcpProviderField,
        clientId: stringField('Client that MCP clients use.', { maxLength: 1024 }),
        resourceMetadata: resourceMetadataField,
      },
    ),
  },
  {
    rules: [
      validationRule(
        'mcp requires exactly one provider, and mode Strict',
        "!has(self.mcp) || (self.providers.size() == 1 && (!has(self.mode) || self.mode == 'Strict'))",
      ),
    ],
  },
)

/** `traffic.jwtAuthentication` of a ProxyPolicy: `mcpAuthentication` of a file where MCP clients are told of it. */
export const jwtAuthenticationForm = policyForm({
  field: jwtAuthenticationField,
  translate: ({ mode = 'Strict', providers, location, mcp }, context) => {
    const usable = providers.flatMap(({ issuer, audiences, jwks }) => {
      const keys = jwks.inline ?? (jwks.remote && context.remoteKeys(jwks.remote))
      return keys === undefined
        ? []
        : [{ issuer, ...(audiences === undefined ? {} : { audiences: [...audiences] }), jwks: keys }]
    })
    const [first] = usable
    if (!first) return undefined
    if (!mcp)
      return {
        jwtAuth: {
          providers: usable,
          mode: tokenModes[mode],
          ...(location === undefined ? {} : { location: credentialLocationOf(location) }),
        },
      }
    return {
      mcpAuthentication: {
        ...first,
        mode: 'strict',
        ...(location === undefined ? {} : { authorizationLocation: credentialLocationOf(location) }),
        ...mcpClientSettings(mcp),
      },
    }
  },
  whenBroken: refuseRequests,
})

/** Modes of the file. */
export const tokenModes = { Strict: 'strict', Optional: 'optional', Permissive: 'permissive' } as const

/** What MCP clients are told, in the notation of a file. */
export const mcpClientSettings = ({
  provider,
  clientId,
  resourceMetadata = {},
}: {
  readonly provider?: FormOf<typeof mcpProviderField>
  readonly clientId?: string
  readonly resourceMetadata?: Readonly<Record<string, unknown>>
}): Pick<File.McpAuthentication, 'provider' | 'clientId' | 'resourceMetadata'> => ({
  ...(provider === undefined ? {} : { provider: { [provider.toLowerCase()]: {} } }),
  ...(clientId === undefined ? {} : { clientId }),
  resourceMetadata: { ...resourceMetadata },
})
