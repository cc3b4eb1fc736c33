import type { TokenCredential } from '@azure/identity'
import type { AzureAuth, AzureIdentity } from '../../operators/backend-auth/schema/normal-form.ts'
import type { IssuedToken } from './token-cache.ts'
import { within } from './issue-token.ts'

/** Gets tokens of Microsoft Entra ID for a scope. The library is loaded by the first request. */
export const azureToken = (auth: AzureAuth): ((scope: string) => Promise<IssuedToken>) => {
  let found: Promise<TokenCredential> | undefined
  return (scope) => {
    const issue = async (): Promise<IssuedToken> => {
      const credential = await (found ??= credentialOf(auth))
      const token = await credential.getToken(scope)
      return { text: token?.token ?? '', lifeMs: token ? token.expiresOnTimestamp - Date.now() : 0 }
    }
    return within('Azure', issue())
  }
}

/** The scope of the service at a host. */
export const azureScope = (host: string): string =>
  host.toLowerCase().endsWith('.services.ai.azure.com')
    ? 'https://ai.azure.com/.default'
    : 'https://cognitiveservices.azure.com/.default'

const credentialOf = async (auth: AzureAuth): Promise<TokenCredential> => {
  const azure = await import('./azure-library.ts')
  if ('clientSecret' in auth) {
    const { tenantId, clientId, clientSecret } = auth.clientSecret
    return new azure.ClientSecretCredential(tenantId, clientId, clientSecret.secret)
  }
  if ('managedIdentity' in auth) {
    const { userAssigned } = auth.managedIdentity
    return userAssigned ? managed(azure, userAssigned) : new azure.ManagedIdentityCredential()
  }
  if ('workloadIdentity' in auth) return new azure.WorkloadIdentityCredential()
  if ('developerImplicit' in auth)
    return new azure.ChainedTokenCredential(
      new azure.AzureCliCredential(),
      new azure.AzureDeveloperCliCredential(),
      new azure.AzurePowerShellCredential(),
    )
  return new azure.DefaultAzureCredential()
}

const managed = (azure: typeof import('./azure-library.ts'), identity: AzureIdentity): TokenCredential => {
  if ('clientId' in identity) return new azure.ManagedIdentityCredential({ clientId: identity.clientId })
  if ('objectId' in identity) return new azure.ManagedIdentityCredential({ objectId: identity.objectId })
  return new azure.ManagedIdentityCredential({ resourceId: identity.resourceId })
}
