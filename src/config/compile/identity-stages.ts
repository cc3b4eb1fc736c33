import type { IdentityStages } from '../../gateway.ts'
import type { ApiKeys } from '../../model/api-key.ts'
import type { BasicAuth } from '../../model/basic-auth.ts'
import type { GatewayPolicies, RoutePolicies } from '../../model/policies.ts'
import { apiKey } from '../../operators/auth/api-key.ts'
import { basicAuth } from '../../operators/auth/basic-auth.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { Passwords } from '../../upstream/passwords/passwords.ts'
import { credentialSource } from './credential-source.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stages that prove who is calling by what the configuration itself holds. */
export const identityStages = (
  policies: GatewayPolicies | RoutePolicies,
  workshop: Workshop,
): Pick<IdentityStages, 'basicAuth' | 'apiKey'> => ({
  basicAuth: policies.basicAuth && { request: basicAuthStage(policies.basicAuth, workshop) },
  apiKey: policies.apiKey && { request: apiKeyStage(policies.apiKey, workshop) },
})

const basicAuthStage = ({ location, ...policy }: BasicAuth, workshop: Workshop): Operator => {
  // One for the process: whoever checks passwords must share the threads, and may share what is remembered.
  const passwords = workshop.session.keep(
    'passwords',
    () => new Passwords(undefined, () => workshop.evicted('passwords')),
  )
  return basicAuth({
    ...policy,
    source: credentialSource(location, workshop),
    bufferLimitBytes: workshop.resources.frontend.http.maxBufferBytes,
    verify: (claim) => passwords.verify(claim),
  })
}

const apiKeyStage = ({ location, ...policy }: ApiKeys, workshop: Workshop): Operator =>
  apiKey({
    ...policy,
    source: credentialSource(location, workshop),
    bufferLimitBytes: workshop.resources.frontend.http.maxBufferBytes,
  })
