import type { BackendAuth } from '../../../config/schema/file-types.gen.ts'
import { variableName, variable } from '../config-text.ts'
import type { ImportReport } from '../import-report.ts'
import type { KubernetesObject, KubernetesObjects } from './kubernetes-objects.ts'

/** Credentials of a BackendSecurityPolicy, and what it says about the provider. */
export interface BackendCredentials {
  readonly params: Readonly<Record<string, string>>
  readonly auth: BackendAuth | undefined
}

/** What the BackendSecurityPolicy of a backend becomes. Secrets are not copied: they become variables. */
export const backendCredentials = (
  backend: KubernetesObject,
  objects: KubernetesObjects,
  report: ImportReport,
): BackendCredentials => {
  const byReference = backend.spec?.in('backendSecurityPolicyRef', 'name')?.text
  const named = objects.find('BackendSecurityPolicy', byReference, backend.namespace)
  const [policy] = [...objects.attached('BackendSecurityPolicy', backend), ...(named ? [named] : [])]
  const spec = policy?.spec
  if (!policy || !spec) return { params: {}, auth: undefined }
  const type = spec.field('type')?.text ?? ''
  const subject = `BackendSecurityPolicy ${policy.name}`
  const key = spec.field('apiKey') ?? spec.field('anthropicAPIKey') ?? spec.field('azureAPIKey')
  const aws = spec.field('awsCredentials')
  const gcp = spec.field('gcpCredentials')
  const azure = spec.field('azureCredentials')
  if (key) {
    const secret = key.in('secretRef', 'name')?.text ?? policy.name
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
  if (aws) {
    const region = aws.field('region')?.text
    report.changed(
      aws.at,
      subject,
      'the credentials of AWS come from the environment, or from the role of the machine',
      'auth.aws has other sources',
    )
    aws.ignore()
    return { params: region === undefined ? {} : { region: region }, auth: undefined }
  }
  if (gcp) {
    const [project, region] = [gcp.field('projectName')?.text, gcp.field('region')?.text]
    report.changed(
      gcp.at,
      subject,
      'the credentials of Google Cloud come from the environment',
      'auth.gcp has other sources',
    )
    gcp.ignore()
    return {
      params: {
        ...(project === undefined ? {} : { project: project }),
        ...(region === undefined ? {} : { region: region }),
      },
      auth: undefined,
    }
  }
  if (azure) {
    const [tenant, client] = [azure.field('tenantID')?.text, azure.field('clientID')?.text]
    const secret = azure.field('clientSecretRef')
    azure.ignore()
    if (!secret || tenant === undefined || client === undefined) {
      report.changed(azure.at, subject, 'the credentials of Azure come from the environment')
      return { params: {}, auth: undefined }
    }
    const name = variableName(policy.name, 'CLIENT_SECRET')
    report.changed(
      secret.at,
      subject,
      `the client secret is not copied: the file reads it from ${name}`,
      `set the variable ${name}`,
    )
    const clientSecret = {
      tenant_id: tenant,
      client_id: client,
      client_secret: variable(name),
    }
    return { params: {}, auth: { azure: { explicitConfig: { clientSecret } } } }
  }
  report.dropped(policy.at, subject, `credentials of the type ${type} are not known`, 'set auth of the model')
  spec.ignore()
  return { params: {}, auth: undefined }
}
