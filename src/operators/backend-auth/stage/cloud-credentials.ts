import type { AwsAuth, AzureAuth, GcpAuth } from '../../model/backend-auth.ts'
import { bearerPlace } from '../../model/credential-location.ts'
import type { Exchange } from '../../model/exchange.ts'
import { hostOf } from '../../model/request.ts'
import type { UpstreamCredential } from '../../operators/auth/authenticate-upstream.ts'
import { rememberedToken } from '../../operators/auth/remembered-token.ts'
import type { SignForAwsOptions } from '../../operators/auth/sign-for-aws.ts'
import { awsCredentials } from '../../upstream/credentials/aws/aws-credentials.ts'
import { azureScope, azureToken } from '../../upstream/credentials/azure-token.ts'
import { copilotHeaders, copilotToken } from '../../upstream/credentials/copilot-token.ts'
import { CredentialFault } from '../../upstream/credentials/credential-fault.ts'
import { gcpToken } from '../../upstream/credentials/gcp-token.ts'
import { TokenMemory } from '../../upstream/credentials/token-memory.ts'
import { keptTokens } from './kept-tokens.ts'
import type { UpstreamNames } from './upstream-names.ts'
import type { Workshop } from './workshop.ts'

/** Tokens for as many hosts, or sessions, at most: a dynamic backend, or an expression, may give many. */
const MAX_ENTRIES = 8192

/** A token of Google Cloud. */
export const ofGcp = (policy: GcpAuth, names: UpstreamNames, workshop: Workshop): UpstreamCredential => {
  const issue = gcpToken(policy)
  const audienceOf = (x: Exchange): string | undefined =>
    policy.type === 'idToken' ? (policy.audience ?? hostAudience(names.own(x))) : undefined
  return withoutRenewal(
    rememberedToken({
      kind: 'gcp',
      place: bearerPlace,
      memory: keptTokens(policy, MAX_ENTRIES, workshop),
      wanted: (x) => {
        const audience = audienceOf(x)
        return { key: audience ?? '', issue: () => issue(audience) }
      },
    }),
  )
}

/** A token of Microsoft Entra ID. */
export const ofAzure = (policy: AzureAuth, names: UpstreamNames, workshop: Workshop): UpstreamCredential => {
  const issue = azureToken(policy)
  return withoutRenewal(
    rememberedToken({
      kind: 'azure',
      place: bearerPlace,
      memory: keptTokens(policy, MAX_ENTRIES, workshop),
      wanted: (x) => {
        const scope = azureScope(hostOf(names.own(x) ?? ''))
        return { key: scope, issue: () => issue(scope) }
      },
    }),
  )
}

/** The token of GitHub Copilot, and what it wants to know besides. */
export const ofCopilot = (): UpstreamCredential => {
  const want = { key: '', issue: copilotToken }
  return withoutRenewal(
    rememberedToken({
      kind: 'copilot',
      place: bearerPlace,
      memory: new TokenMemory({ maxEntries: 1 }),
      wanted: () => want,
      prepare: ({ request }) => {
        for (const [name, value] of copilotHeaders) request.headers.set(name, value)
      },
    }),
  )
}

/** How requests are signed for AWS. */
export const ofAws = (
  policy: AwsAuth,
  names: UpstreamNames,
  bufferLimitBytes: number,
  workshop: Workshop,
): SignForAwsOptions => {
  const { region, serviceName, assumeRole } = policy
  const text = (value: string | { readonly expression: string }) =>
    typeof value === 'string' ? value : workshop.expression(value.expression)
  return {
    ...(region !== undefined && { region }),
    ...(serviceName !== undefined && { serviceName }),
    credentials: awsCredentials(policy, keptTokens(policy, MAX_ENTRIES, workshop)),
    sessionName: assumeRole?.sessionName === undefined ? undefined : text(assumeRole.sessionName),
    tags: (assumeRole?.tags ?? []).map(({ key, value }) => [key, text(value)] as const),
    names,
    bufferLimitBytes,
  }
}

/** Clients that may name any host of an address must not choose for whom tokens are. */
const hostAudience = (authority: string | undefined): string => {
  if (authority !== undefined) return `https://${hostOf(authority)}`
  throw new CredentialFault('backendAuth.gcp needs an audience for a backend without a name', {
    isPermanent: true,
  })
}

/** The libraries of the clouds remember tokens too, and would give the same again. */
const withoutRenewal = ({ refused: _, ...credential }: UpstreamCredential): UpstreamCredential => credential
