import type { Evaluate } from '../../model/exchange/expression.ts'
import type { ExtAuthz } from './schema.ts'
import type { Cel, Conditional } from '../../model/resources/policies.ts'
import { bodiesReadBy } from '../body/buffer-body.ts'
import { conditional } from '../conditional.ts'
import { extAuthz } from './ext-authz.ts'
import { stripSpoofedFields } from './strip-spoofed-headers.ts'
import { httpAuthzClient } from './http-client.ts'
import type { AuthzClient } from './check-result.ts'
import { DecisionCache } from './decision-cache.ts'
import type { Phases } from '../phases.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'
import { onRequest } from '../../pipeline/stage.ts'
import { compileHttpCallout } from '../callout/stage/http-callout.ts'
import { callService } from '../callout/stage/grpc-callout.ts'
import { grpcOperators } from '../../config/compile/lazy-grpc.ts'
import { callTimeoutMs } from '../callout/stage/callout-policies.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'

/** Compiles `extAuthz`, or several of which the first whose condition is true applies. */
export const extAuthzStages = (policy: Conditional<ExtAuthz>, context: CompileContext): Phases => {
  const { maxBufferBytes } = context.resources.frontend.http
  if (!('conditional' in policy)) return stages(policy, policy.resultHeaders, maxBufferBytes, context)
  // Removed from requests whichever alternative applies, and if none does: clients must not send what any of them may
  // set.
  const resultHeaders = [...new Set(policy.conditional.flatMap((one) => one.resultHeaders))]
  const choices = policy.conditional.map(({ condition, ...rest }) => ({
    ...stages(rest, resultHeaders, maxBufferBytes, context),
    when: condition === undefined ? undefined : context.expression(condition),
  }))
  const otherwise = {
    request: onRequest('ext-authz', ({ request }) => {
      stripSpoofedFields(request, resultHeaders)
    }),
  }
  return conditional([...choices, otherwise], maxBufferBytes, true)
}

/** Timeout of the service, unless its policies set one. */
const TIME_OUT_MS = 2_000
/** Maximum number of pending calls to one service. */
const WAITING_LIMIT = 1_024

const stages = (
  policy: ExtAuthz,
  resultHeaders: readonly string[],
  bufferLimitBytes: number,
  context: CompileContext,
): Phases => {
  const { cache, failureMode, includeRequestBody } = policy
  const used: Evaluate[] = []
  const expression = (text: Cel): Evaluate => {
    const evaluate = context.expression(text)
    used.push(evaluate)
    return evaluate
  }
  const decide = deciderOf(policy, expression, context)
  const decisions = cache && {
    key: cache.key.map(expression),
    ttl: expression(cache.ttl),
    maxEntries: cache.maxEntries,
    now: Date.now,
    evicted: () => {
      context.evicted('decisions')
    },
  }
  return extAuthz({
    decide,
    concurrencyLimit: new ConcurrencyLimit(WAITING_LIMIT),
    failureMode,
    resultHeaders,
    body: includeRequestBody,
    cache: decisions && new DecisionCache(decisions),
    held: bodiesReadBy(used),
    bufferLimitBytes,
  })
}

const deciderOf = (
  policy: ExtAuthz,
  expression: (text: Cel) => Evaluate,
  context: CompileContext,
): AuthzClient => {
  const { protocol, service, includeRequestHeaders, includeRequestBody } = policy
  const timeoutMs = callTimeoutMs(service, context, TIME_OUT_MS)
  const perhaps = (text: Cel | undefined) => (text === undefined ? undefined : expression(text))
  const values = (pairs: readonly (readonly [name: string, value: Cel])[]) =>
    pairs.map(([name, value]) => [name, expression(value)] as const)
  if (protocol.type === 'grpc')
    return grpcOperators.extAuthz().grpcAuthzClient({
      service: callService(service, 'ExtAuthz', context),
      timeoutMs,
      includeRequestHeaders,
      context: protocol.context,
      metadata: protocol.metadata && values(protocol.metadata),
      packAsBytes: includeRequestBody?.packAsBytes ?? false,
    })
  return httpAuthzClient({
    callout: compileHttpCallout(service, 'ExtAuthz', context),
    timeoutMs,
    path: perhaps(protocol.path),
    redirect: perhaps(protocol.redirect),
    body: perhaps(protocol.body),
    includeRequestHeaders,
    addRequestHeaders: values(protocol.addRequestHeaders),
    includeResponseHeaders: protocol.includeResponseHeaders,
    metadata: values(protocol.metadata),
  })
}
