import type * as File from '../../../config/schema/file-types.gen.ts'
import type { FormContext } from '../../../controller/schema/form-context.ts'
import { credentialLocationOf } from '../../../controller/schema/location-fields.ts'
import { policyForm } from '../../../controller/schema/policy-form.ts'
import { backendAuthField, type BackendAuthForm, modelAuthField } from './backend-auth-field.ts'
import { awsAuthOf, azureAuthOf, gcpAuthOf } from './cloud-auth.ts'
import { crossAppAccessOf, jwtSignOf, oauthTokenExchangeOf } from './token-auth.ts'

/** Its own field: TLS settings that are nearer to the backend do not replace it. */
const missingCredential = (message: string): File.AttachedPolicy => ({ backendAuth: { invalid: message } })

/** `backend.auth` of a ProxyPolicy. */
export const backendAuthForm = policyForm({
  field: backendAuthField,
  translate: (form, context) => {
    const backendAuth = backendAuthOf(form, context)
    return backendAuth && { backendAuth }
  },
  whenBroken: missingCredential,
})

/** `auth` of the policies of a ProxyModel. */
export const modelAuthForm = policyForm({
  field: modelAuthField,
  translate: backendAuthForm.translate,
  whenBroken: missingCredential,
})

/** `backendAuth` of a file; undefined if a credential is missing: requests must not go without. */
export const backendAuthOf = (
  form: BackendAuthForm,
  context: FormContext,
): File.BackendAuthFields | undefined => {
  const kind = kindOf(form, context)
  const credentials = (form.credentials ?? []).map(({ location, secretRef }) => {
    const key = context.secretKey(secretRef, 'Authorization')
    return key === undefined
      ? undefined
      : { location: credentialLocationOf(location), key: withoutScheme(key) }
  })
  if (!kind || credentials.includes(undefined)) return undefined
  return {
    ...kind,
    ...(credentials.length === 0
      ? {}
      : { credentials: credentials.filter((credential) => credential !== undefined) }),
  }
}

const kindOf = (form: BackendAuthForm, context: FormContext): File.BackendAuthFields | undefined => {
  const location = form.location && { location: credentialLocationOf(form.location) }
  if (form.key !== undefined) return { key: { value: form.key, ...location } }
  if (form.secretRef) {
    const key = context.secretKey(form.secretRef, 'Authorization')
    return key === undefined ? undefined : { key: { value: withoutScheme(key), ...location } }
  }
  if (form.passthrough) return { passthrough: { ...location } }
  if (form.aws) return named('aws', awsAuthOf(form.aws, context))
  if (form.azure) return named('azure', azureAuthOf(form.azure, context))
  if (form.gcp) return named('gcp', gcpAuthOf(form.gcp, context))
  if (form.oauthTokenExchange)
    return named('oauthTokenExchange', oauthTokenExchangeOf(form.oauthTokenExchange, context))
  if (form.crossAppAccess) return named('crossAppAccess', crossAppAccessOf(form.crossAppAccess, context))
  if (form.jwtSign) return named('jwtSign', jwtSignOf(form.jwtSign, context))
  return {}
}

const named = <Name extends keyof File.BackendAuthFields>(
  name: Name,
  policy: File.BackendAuthFields[Name] | undefined,
): File.BackendAuthFields | undefined => (policy === undefined ? undefined : { [name]: policy })

/** Secrets often hold the whole header. Of one that has the scheme alone nothing is left, which proxies refuse. */
const withoutScheme = (text: string): string => text.replace(/^Bearer(?: +|$)/i, '')
