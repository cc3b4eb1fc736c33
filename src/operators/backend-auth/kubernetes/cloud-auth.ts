import type * as File from '../../../config/schema/file-types.gen.ts'
import type { FormContext } from '../../../controller/schema/form-context.ts'
import type { AwsAuthForm, AzureAuthForm, GcpAuthForm } from './cloud-fields.ts'

/** `aws` of a file; undefined if the Secret is not usable: the credentials of the environment are somebody else's. */
export const awsAuthOf = (
  { secretRef, assumeRole, region, serviceName }: AwsAuthForm,
  context: FormContext,
): File.AwsAuth | undefined => {
  const service = {
    ...(region === undefined ? {} : { region }),
    ...(serviceName === undefined ? {} : { serviceName }),
  }
  if (assumeRole) return { ...service, assumeRole: roleOf(assumeRole) }
  if (!secretRef) return service
  const accessKeyId = context.secretKey({ ...secretRef, key: 'accessKey' }, 'accessKey')
  const secretAccessKey = context.secretKey({ ...secretRef, key: 'secretKey' }, 'secretKey')
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  const sessionToken = context.secretKey(
    { ...secretRef, key: 'sessionToken', optional: true },
    'sessionToken',
  )
  return {
    ...service,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  }
}

const roleOf = ({
  roleArn,
  sessionName,
  sessionNameExpression,
  tags,
}: NonNullable<AwsAuthForm['assumeRole']>): File.AwsRole => ({
  roleArn,
  ...(sessionName === undefined ? {} : { sessionName }),
  ...(sessionNameExpression === undefined ? {} : { sessionName: { expression: sessionNameExpression } }),
  ...(tags === undefined ? {} : { tags: tags.map((tag) => ({ ...tag })) }),
})

/** `azure` of a file; undefined if the Secret is not usable. */
export const azureAuthOf = (
  { secretRef, managedIdentity, workloadIdentity }: AzureAuthForm,
  context: FormContext,
): File.AzureAuth | undefined => {
  if (managedIdentity)
    return {
      explicitConfig: {
        managedIdentity:
          Object.keys(managedIdentity).length === 0 ? {} : { userAssignedIdentity: { ...managedIdentity } },
      },
    }
  if (workloadIdentity) return { explicitConfig: { workloadIdentity: {} } }
  if (!secretRef) return { implicit: {} }
  const [client, tenant, secret] = ['clientID', 'tenantID', 'clientSecret'].map((key) =>
    context.secretKey({ ...secretRef, key }, key),
  )
  return client === undefined || tenant === undefined || secret === undefined
    ? undefined
    : {
        explicitConfig: {
          clientSecret: { client_id: client, tenant_id: tenant, client_secret: secret },
        },
      }
}

/** `gcp` of a file; undefined if the Secret is not usable. */
export const gcpAuthOf = (
  { type, audience, secretRef }: GcpAuthForm,
  context: FormContext,
): File.GcpAuth | undefined => {
  const credential = secretRef && context.secretKey(secretRef, 'credentials.json')
  if (secretRef && credential === undefined) return undefined
  return {
    type: type === 'IdToken' ? 'idToken' : 'accessToken',
    ...(audience === undefined ? {} : { audience }),
    ...(credential === undefined ? {} : { credential }),
  }
}
