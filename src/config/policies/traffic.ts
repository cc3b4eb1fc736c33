import { buffer } from '../../operators/buffer/normalize.ts'
import { bufferDefinitions } from '../../operators/buffer/schema.ts'
import { normalizeCors } from '../../operators/cors/normalize.ts'
import { corsDefinitions } from '../../operators/cors/schema.ts'
import { normalizeCsrf } from '../../operators/csrf/normalize.ts'
import { csrfDefinitions } from '../../operators/csrf/schema.ts'
import { normalizeDelay } from '../../operators/delay/normalize.ts'
import { delayDefinitions } from '../../operators/delay/schema.ts'
import { normalizeDirectResponse } from '../../operators/direct-response/normalize.ts'
import { directResponseDefinitions } from '../../operators/direct-response/schema.ts'
import { headerModifier, mergeHeaderModifiers } from '../../operators/headers/normalize.ts'
import { headerDefinitions } from '../../operators/headers/schema.ts'
import { normalizeRequestMirror } from '../../operators/request-mirror/normalize.ts'
import { requestMirrorDefinitions } from '../../operators/request-mirror/schema.ts'
import { normalizeRequestRedirect } from '../../operators/request-redirect/normalize.ts'
import { requestRedirectDefinitions } from '../../operators/request-redirect/schema.ts'
import { normalizeRetry } from '../../operators/retry/normalize.ts'
import { retryDefinitions } from '../../operators/retry/schema.ts'
import { timeout } from '../../operators/timeout/normalize.ts'
import { timeoutDefinitions } from '../../operators/timeout/schema.ts'
import { plainTransformations, transformations } from '../../operators/transformations/normalize.ts'
import { transformationDefinitions } from '../../operators/transformations/schema.ts'
import { normalizeUrlRewrite } from '../../operators/url-rewrite/normalize.ts'
import { urlRewriteDefinitions } from '../../operators/url-rewrite/schema.ts'
import { at, type PolicyRow } from '../policy-row.ts'
import { oneOrMany, ours, ref } from '../schema/builders.ts'

/** Policies that change requests and replies, or make replies. */
export const trafficPolicies = {
  cors: {
    field: ref('Cors'),
    definitions: corsDefinitions,
    normalize: normalizeCors,
    phase: 'both',
    gateway: at(1, 1),
    route: at(7, 1),
  },
  csrf: {
    field: ref('Csrf'),
    definitions: csrfDefinitions,
    normalize: normalizeCsrf,
    phase: 'request',
    route: at(8, 14),
  },
  requestMirror: {
    field: oneOrMany(ref('Mirror'), 'Sends copies of requests to other backends.'),
    definitions: requestMirrorDefinitions,
    normalize: normalizeRequestMirror,
    phase: 'request',
    route: at(5, 19),
    backend: at(19, 19, {
      field: ours(oneOrMany(ref('Mirror'), 'Sends copies of requests to other backends.')),
    }),
  },
  directResponse: {
    field: ref('ConditionalDirectResponse'),
    definitions: directResponseDefinitions,
    normalize: normalizeDirectResponse,
    phase: 'request',
    conditional: true,
    route: at(6, 20),
    beforeResponse: ['condition', 'bodyExpression', 'headers'],
  },
  transformations: {
    field: ref('ConditionalTransformations'),
    definitions: transformationDefinitions,
    normalize: transformations,
    phase: 'both',
    conditional: true,
    gateway: at(2, 9),
    route: at(21, 21),
    backend: at(4, 4, { field: ref('Transformations'), normalize: plainTransformations }),
    target: at(2, 4, { field: ref('Transformations'), normalize: plainTransformations }),
    callout: at(6, 4, {
      field: ref(
        'Transformations',
        'Modifies requests to the service and its responses by expressions. For gRPC only request metadata. Not supported for token endpoints.',
      ),
      normalize: plainTransformations,
    }),
    beforeResponse: ['request'],
    tracedAs: 'transformation',
  },
  timeout: {
    field: ref('Timeout'),
    definitions: timeoutDefinitions,
    normalize: timeout,
    phase: 'around',
    route: at(23, 22),
  },
  retry: {
    field: ref('Retry'),
    definitions: retryDefinitions,
    normalize: normalizeRetry,
    phase: 'around',
    route: at(24, 23),
    beforeResponse: ['precondition'],
  },
  buffer: {
    field: ref('Buffer'),
    definitions: bufferDefinitions,
    normalize: buffer,
    phase: 'both',
    route: at(22, 24),
  },
  delay: {
    field: ref('Delay'),
    definitions: delayDefinitions,
    normalize: normalizeDelay,
    phase: 'request',
    route: at(25, 25),
    beforeResponse: ['duration'],
  },
  requestRedirect: {
    field: ref('Redirect'),
    definitions: requestRedirectDefinitions,
    normalize: normalizeRequestRedirect,
    phase: 'request',
    route: at(3, 17),
    backend: at(3, 3),
  },
  urlRewrite: {
    field: ref('Rewrite'),
    definitions: urlRewriteDefinitions,
    normalize: normalizeUrlRewrite,
    phase: 'request',
    route: at(4, 18),
  },
  requestHeaderModifier: {
    field: ref('HeaderModifier', 'Modifies headers of requests.'),
    definitions: headerDefinitions,
    normalize: headerModifier,
    phase: 'request',
    route: at(1, 15),
    backend: at(1, 1),
    target: at(1, 1, { field: ref('HeaderModifier', 'Modifies headers of requests to the server.') }),
    callout: at(1, 1, { field: ref('HeaderModifier', 'Modifies headers of requests to the service.') }),
    merge: mergeHeaderModifiers,
  },
  responseHeaderModifier: {
    field: ref('HeaderModifier', 'Modifies headers of responses.'),
    normalize: headerModifier,
    phase: 'reply',
    route: at(2, 16),
    backend: at(2, 2),
    merge: mergeHeaderModifiers,
  },
} as const satisfies Readonly<Record<string, PolicyRow>>
