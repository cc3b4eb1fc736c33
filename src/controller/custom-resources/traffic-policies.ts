import { apiKeyAuthenticationField } from '../../operators/api-key/kubernetes.ts'
import { trafficAuthorizationField } from '../../operators/authorization/kubernetes.ts'
import { basicAuthenticationField } from '../../operators/basic-auth/kubernetes.ts'
import { bufferField } from '../../operators/buffer/kubernetes.ts'
import { corsField } from '../../operators/cors/kubernetes.ts'
import { csrfField } from '../../operators/csrf/kubernetes.ts'
import { delayField } from '../../operators/delay/kubernetes.ts'
import { directResponseField } from '../../operators/direct-response/kubernetes.ts'
import { conditionalExtAuthField } from '../../operators/ext-authz/kubernetes.ts'
import { extProcField } from '../../operators/ext-proc/kubernetes.ts'
import { headerModifiersField } from '../../operators/headers/kubernetes.ts'
import { jwtAuthenticationField } from '../../operators/jwt-auth/kubernetes.ts'
import { retryField } from '../../operators/retry/kubernetes.ts'
import { timeoutsField } from '../../operators/timeout/kubernetes.ts'
import { conditionalTransformationField } from '../../operators/transformations/kubernetes.ts'
import { hostRewriteField } from '../../operators/url-rewrite/kubernetes.ts'
import { rateLimitField } from './rate-limit.ts'

/** The fields of `traffic`. */
export const trafficPolicyFields = {
  transformation: conditionalTransformationField,
  extProc: extProcField,
  extAuth: conditionalExtAuthField,
  rateLimit: rateLimitField,
  directResponse: directResponseField,
  cors: corsField,
  csrf: csrfField,
  headerModifiers: headerModifiersField,
  hostRewrite: hostRewriteField,
  timeouts: timeoutsField,
  retry: retryField,
  authorization: trafficAuthorizationField,
  jwtAuthentication: jwtAuthenticationField,
  basicAuthentication: basicAuthenticationField,
  apiKeyAuthentication: apiKeyAuthenticationField,
  buffer: bufferField,
  delay: delayField,
} as const
