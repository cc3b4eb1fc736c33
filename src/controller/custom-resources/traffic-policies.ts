import { apiKeyAuthenticationForm } from '../../operators/api-key/kubernetes/api-key-form.ts'
import { authorizationForm } from '../../operators/authorization/kubernetes.ts'
import { basicAuthenticationForm } from '../../operators/basic-auth/kubernetes.ts'
import { bufferForm } from '../../operators/buffer/kubernetes.ts'
import { corsForm } from '../../operators/cors/kubernetes.ts'
import { csrfForm } from '../../operators/csrf/kubernetes.ts'
import { delayForm } from '../../operators/delay/kubernetes.ts'
import { directResponseForm } from '../../operators/direct-response/kubernetes.ts'
import { extAuthForm } from '../../operators/ext-authz/kubernetes.ts'
import { extProcForm } from '../../operators/ext-proc/kubernetes.ts'
import { headerModifiersForm } from '../../operators/headers/kubernetes.ts'
import { jwtAuthenticationForm } from '../../operators/jwt-auth/kubernetes.ts'
import { rateLimitForm } from '../../operators/local-rate-limit/kubernetes.ts'
import { retryForm } from '../../operators/retry/kubernetes.ts'
import { timeoutsForm } from '../../operators/timeout/kubernetes.ts'
import { transformationForm } from '../../operators/transformations/kubernetes.ts'
import { hostRewriteForm } from '../../operators/url-rewrite/kubernetes.ts'

/** The fields of `traffic` of a ProxyPolicy. */
export const trafficForms = {
  transformation: transformationForm,
  extProc: extProcForm,
  extAuth: extAuthForm,
  rateLimit: rateLimitForm,
  directResponse: directResponseForm,
  cors: corsForm,
  csrf: csrfForm,
  headerModifiers: headerModifiersForm,
  hostRewrite: hostRewriteForm,
  timeouts: timeoutsForm,
  retry: retryForm,
  authorization: authorizationForm,
  jwtAuthentication: jwtAuthenticationForm,
  basicAuthentication: basicAuthenticationForm,
  apiKeyAuthentication: apiKeyAuthenticationForm,
  buffer: bufferForm,
  delay: delayForm,
} as const
