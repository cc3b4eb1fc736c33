import type * as File from '../../../config/schema/file-types.gen.ts'
import type { FormContext } from '../../../controller/schema/form-context.ts'
import type { ClientAuthForm } from './client-auth-field.ts'

/** `clientAuth` of a file; undefined if a Secret is not usable. */
export const clientAuthOf = (
  { clientId, method = 'ClientSecretBasic', secretRef, privateKeyJwt }: ClientAuthForm,
  context: FormContext,
): File.OauthClientAuth | undefined => {
  if (privateKeyJwt) return assertionOf(clientId, privateKeyJwt, context)
  const clientSecret = secretRef && context.secretKey(secretRef, 'clientSecret')
  if (secretRef && clientSecret === undefined) return undefined
  return {
    clientId,
    method: method === 'ClientSecretPost' ? 'clientSecretPost' : 'clientSecretBasic',
    ...(clientSecret === undefined ? {} : { clientSecret }),
  }
}

const assertionOf = (
  clientId: string,
  form: NonNullable<ClientAuthForm['privateKeyJwt']>,
  context: FormContext,
): File.OauthClientAuth | undefined => {
  const { signingKeyRef, assertionAudience, alg = 'RS256', kid, certificateRef, certificateHeader } = form
  const signingKey = context.secretKey(signingKeyRef, 'signingKey')
  const certificate = certificateRef && context.secretKey(certificateRef, 'certificate')
  if (signingKey === undefined || (certificateRef && certificate === undefined)) return undefined
  return {
    clientId,
    method: 'privateKeyJwt',
    signingKey,
    assertionAudience,
    alg,
    ...(kid === undefined ? {} : { kid }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(certificateHeader === undefined ? {} : { certificateHeader }),
  }
}
