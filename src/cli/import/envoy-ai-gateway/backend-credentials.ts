import type { BackendAuth } from '../../../config/schema/file-types.gen.ts'
import { variableName, variable } from '../config-text.ts'
import type { ImportReport } from '../import-report.ts'
import type { SourceValue } from '../source-value.ts'
import type { KubernetesObject, KubernetesObjects } from './kubernetes-objects.ts'

/** Credentials of a BackendSecurityPolicy, and its parameters of the provider. */
export interface BackendCredentials {
  readonly params: Readonly<Record<string, string>>
  readonly auth: BackendAuth | undefined
}

/** Converts the BackendSecurityPolicy of a backend. Secrets are not copied: they become variables. */
export const backendCredentials = (
  backend: KubernetesObject,
  objects: KubernetesObjects,
  report: ImportReport,
): BackendCredentials => {
  const byReference = backend.spec?.in('backendSecurityPolicyRef', 'name')?.text
  const named = objects.find('BackendSecurityPolicy', byReference, backend.namespace)
  const [policy] = [...objects.attached('BackendSecurityPolicy', backend), ...(named ? [named] : [])]
  const spec = policy?.spec
  if (!policy || !spec) return none
  const subject = `BackendSecurityPolicy ${policy.name}`
  // Read in every case: fields that are not read are reported.
  const type = spec.field('type')?.text ?? ''
  const context: CredentialContext = { policy: policy.name, subject, report }
  const key = spec.field('apiKey') ?? spec.field('anthropicAPIKey') ?? spec.field('azureAPIKey')
  const aws = spec.field('awsCredentials')
  const gcp = spec.field('gcpCredentials')
  const azure = spec.field('azureCredentials')
  if (key) return apiKey(key, context)
  if (aws) return awsCredentials(aws, context)
  if (gcp) return gcpCredentials(gcp, context)
  if (azure) return azureCredentials(azure, context)
  report.dropped(policy.at, subject, `credentials of the type ${type} are not known`, 'set auth of the model')
  spec.ignore()
  return none
}

interface CredentialContext {
  /** The name of the policy. */
  readonly policy: string
  readonly subject: string
  readonly report: ImportReport
}

const none: BackendCredentials = { params: {}, auth: undefined }

const apiKey = (key: SourceValue, { policy, subject, report }: CredentialContext): BackendCredentials => {
  const secret = key.in('secretRef', 'name')?.text ?? policy
  key.ignore()
  const name = variableName(secret, 'API_KEY')
  report.changed(
    key.at,
    subject,
    `the secret ${secret} is not copied: the file reads it from ${name}`,
    `set the variable ${name}`,
  )
  return { params: { apiKey: variable(name) }, auth: undefined }
}

const awsCredentials = (aws: SourceValue, { subject, report }: CredentialContext): BackendCredentials => {
  const region = aws.field('region')?.text
  report.changed(
    aws.at,
    subject,
    'the credentials of AWS come from the environment, or from the role of the machine',
    'auth.aws has other sources',
  )
  aws.ignore()
  return { params: { ...(region !== undefined && { region }) }, auth: undefined }
}

const gcpCredentials = (gcp: SourceValue, { subject, report }: CredentialContext): BackendCredentials => {
  const [project, region] = [gcp.field('projectName')?.text, gcp.field('region')?.text]
  report.changed(
    gcp.at,
    subject,
    'the credentials of Google Cloud come from the environment',
    'auth.gcp has other sources',
  )
  gcp.ignore()
  return {
    params: { ...(project !== undefined && { project }), ...(region !== undefined && { region }) },
    auth: undefined,
  }
}

const azureCredentials = (
  azure: SourceValue,
  { policy, subject, report }: CredentialContext,
): BackendCredentials => {
  const [tenant, client] = [azure.field('tenantID')?.text, azure.field('clientID')?.text]
  const secret = azure.field('clientSecretRef')
  azure.ignore()
  if (!secret || tenant === undefined || client === undefined) {
    report.changed(azure.at, subject, 'the credentials of Azure come from the environment')
    return none
  }
  const name = variableName(policy, 'CLIENT_SECRET')
  report.changed(
    secret.at,
    subject,
    `the client secret is not copied: the file reads it from ${name}`,
    `set the variable ${name}`,
  )
  const clientSecret = { tenant_id: tenant, client_id: client, client_secret: variable(name) }
  return { params: {}, auth: { azure: { explicitConfig: { clientSecret } } } }
}
