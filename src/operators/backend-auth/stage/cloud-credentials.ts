import type { AwsAuth, AzureAuth, GcpAuth } from '../schema/normal-form.ts'
import { bearerLocation } from '../../../model/policies/credential-location.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { hostOf } from '../../../model/exchange/request.ts'
import type { UpstreamCredential } from '../backend-auth.ts'
import { cachedToken } from '../token-cache.ts'
import type { SignForAwsOptions } from '../aws-sigv4.ts'
import { awsCredentials } from '../../../upstream/credentials/aws/aws-credentials.ts'
import { azureScope, azureToken } from '../../../upstream/credentials/azure-token.ts'
import { copilotHeaders, copilotToken } from '../../../upstream/credentials/copilot-token.ts'
import { CredentialFault } from '../../../upstream/credentials/credential-fault.ts'
import { gcpToken } from '../../../upstream/credentials/gcp-token.ts'
import { TokenCache } from '../../../upstream/credentials/token-cache.ts'
import { keptTokens } from './oauth-credentials.ts'
import type { UpstreamNames } from '../../../config/compile/upstream-names.ts'
import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** Maximum number of cached tokens, by host or session: a dynamic backend or an expression may cause many. */
const MAX_ENTRIES = 8192

/** A token of Google Cloud. */
export const ofGcp = (policy: GcpAuth, names: UpstreamNames, context: CompileContext): UpstreamCredential => {
  const issue = gcpToken(policy)
  const audienceOf = (x: Exchange): string | undefined =>
    policy.type === 'idToken' ? (policy.audience ?? hostAudience(names.own(x))) : undefined
  return withoutRenewal(
    cachedToken({
      kind: 'gcp',
      location: bearerLocation,
      cache: keptTokens(policy, MAX_ENTRIES, context),
      tokenRequest: (x) => {
        const audience = audienceOf(x)
        return { key: audience ?? '', issue: () => issue(audience) }
      },
    }),
  )
}

/** A token of Microsoft Entra ID. */
export const ofAzure = (
  policy: AzureAuth,
  names: UpstreamNames,
  context: CompileContext,
): UpstreamCredential => {
  const issue = azureToken(policy)
  return withoutRenewal(
    cachedToken({
      kind: 'azure',
      location: bearerLocation,
      cache: keptTokens(policy, MAX_ENTRIES, context),
      tokenRequest: (x) => {
        const scope = azureScope(hostOf(names.own(x) ?? ''))
        return { key: scope, issue: () => issue(scope) }
      },
    }),
  )
}

/** The GitHub Copilot token and the headers that Copilot requires. */
export const ofCopilot = (): UpstreamCredential => {
  const tokenRequest = { key: '', issue: copilotToken }
  return withoutRenewal(
    cachedToken({
      kind: 'copilot',
      location: bearerLocation,
      cache: new TokenCache({ maxEntries: 1 }),
      tokenRequest: () => tokenRequest,
      prepare: ({ request }) => {
        for (const [name, value] of copilotHeaders) request.headers.set(name, value)
      },
    }),
  )
}

/** AWS request signing. */
export const ofAws = (
  policy: AwsAuth,
  names: UpstreamNames,
  bufferLimitBytes: number,
  context: CompileContext,
): SignForAwsOptions => {
  const { region, serviceName, assumeRole } = policy
  const text = (value: string | { readonly expression: string }) =>
    typeof value === 'string' ? value : context.expression(value.expression)
  return {
    ...(region !== undefined && { region }),
    ...(serviceName !== undefined && { serviceName }),
    credentials: awsCredentials(policy, keptTokens(policy, MAX_ENTRIES, context)),
    sessionName: assumeRole?.sessionName === undefined ? undefined : text(assumeRole.sessionName),
    tags: (assumeRole?.tags ?? []).map(({ key, value }) => [key, text(value)] as const),
    names,
    bufferLimitBytes,
  }
}

/** Clients that can name any host of an address must not determine the audience of tokens. */
const hostAudience = (authority: string | undefined): string => {
  if (authority !== undefined) return `https://${hostOf(authority)}`
  throw new CredentialFault('backendAuth.gcp needs an audience for a backend without a name', {
    isPermanent: true,
  })
}

/** The cloud libraries cache tokens too, and would return the same one. */
const withoutRenewal = ({ refused: _, ...credential }: UpstreamCredential): UpstreamCredential => credential
