import type { AwsAuth, AwsRole, AzureAuth, GcpAuth } from '../schema/normal-form.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { Context } from '../../../config/normalize/context.ts'
import { definedFields, given } from '../../../config/normalize/optional-fields.ts'
import { secretText } from '../../../config/normalize/secret-text.ts'

/** Tokens of Google Cloud. */
export function gcpAuth({ type, audience, credential }: File.GcpAuth, context: Context): GcpAuth {
  return definedFields<GcpAuth>({
    type: type ?? 'accessToken',
    audience,
    credential: given(credential, (written) => secretText(written, context)),
  })
}

/** Signatures of AWS. */
export function awsAuth(source: File.AwsAuth, context: Context): AwsAuth {
  const secret = (written: File.SecretText) => secretText(written, context)
  return definedFields<AwsAuth>({
    accessKeyId: given(source.accessKeyId, secret),
    secretAccessKey: given(source.secretAccessKey, secret),
    sessionToken: given(source.sessionToken, secret),
    region: source.region,
    serviceName: source.serviceName,
    assumeRole: given(source.assumeRole, ({ roleArn, sessionName, tags }) =>
      definedFields<AwsRole>({
        roleArn,
        sessionName,
        tags: (tags ?? []).map(({ key, value, expression }) => ({
          key,
          value: expression === undefined ? (value ?? '') : { expression },
        })),
      }),
    ),
  })
}

/** Tokens of Microsoft Entra ID. */
export function azureAuth({ explicitConfig, developerImplicit }: File.AzureAuth): AzureAuth {
  if (explicitConfig === undefined) return developerImplicit ? { developerImplicit: {} } : { implicit: {} }
  const { clientSecret, managedIdentity } = explicitConfig
  if (clientSecret !== undefined) {
    const { tenant_id: tenantId, client_id: clientId, client_secret: secret } = clientSecret
    return { clientSecret: { tenantId, clientId, clientSecret: { secret } } }
  }
  if (managedIdentity === undefined) return { workloadIdentity: {} }
  const { clientId, objectId, resourceId } = managedIdentity.userAssignedIdentity ?? {}
  if (clientId !== undefined) return { managedIdentity: { userAssigned: { clientId } } }
  if (objectId !== undefined) return { managedIdentity: { userAssigned: { objectId } } }
  return { managedIdentity: resourceId === undefined ? {} : { userAssigned: { resourceId } } }
}
