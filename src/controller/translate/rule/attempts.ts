import type * as File from '../../../config/schema/file-types.gen.ts'
import type { HTTPRouteRule } from '../../kinds/http-route.ts'
import { parseGatewayDuration } from './gateway-duration.ts'
import { addUnsupported, type RuleContext } from './rule-context.ts'

/** Timeouts. A timeout of zero is none. */
export const timeoutPolicy = (
  timeouts: HTTPRouteRule['timeouts'],
  context: RuleContext,
): File.Timeout | undefined => {
  const request = positiveDuration(timeouts?.request, 'request timeout', context)
  const backendRequest = positiveDuration(timeouts?.backendRequest, 'backend request timeout', context)
  if (request === undefined && backendRequest === undefined) return undefined
  return {
    ...(request === undefined ? {} : { requestTimeout: request }),
    ...(backendRequest === undefined ? {} : { backendRequestTimeout: backendRequest }),
  }
}

/** Retries. Connections that fail are retried whatever the codes; no attempts are no retries. */
export const retryPolicy = (retry: HTTPRouteRule['retry'], context: RuleContext): File.Retry | undefined => {
  if (!retry || retry.attempts === 0) return undefined
  const { attempts, codes = [] } = retry
  const backoff = positiveDuration(retry.backoff, 'retry backoff', context)
  return {
    ...(attempts === undefined ? {} : { attempts: Math.min(attempts, MAX_ATTEMPTS) }),
    codes: [...codes],
    ...(backoff === undefined ? {} : { backoff }),
  }
}

const positiveDuration = (
  text: string | undefined,
  what: string,
  context: RuleContext,
): string | undefined => {
  if (text === undefined) return undefined
  const ms = parseGatewayDuration(text)
  if (ms === undefined) addUnsupported(context, `${what} "${text}" is not a duration such as 10s or 1m30s`)
  return ms ? text : undefined
}

const MAX_ATTEMPTS = 255
