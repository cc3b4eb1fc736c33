import type { Evaluate } from '../../model/evaluate.ts'
import type { ExtAuthz } from '../../model/ext-authz.ts'
import type { FrontendPolicies } from '../../model/frontend-policies.ts'
import type { Cel, Conditional } from '../../model/policies.ts'
import { bodiesReadBy } from '../../operators/body/hold.ts'
import { choose } from '../../operators/choose.ts'
import { authorizeExternally } from '../../operators/ext-authz.ts'
import { dropForged } from '../../operators/ext-authz/drop-forged.ts'
import { httpDecider } from '../../operators/ext-authz/http-decider.ts'
import type { Decider } from '../../operators/ext-authz/judgement.ts'
import { Remembered } from '../../operators/ext-authz/remembered.ts'
import type { Phases } from '../../operators/phases.ts'
import { Turnstile } from '../../operators/turnstile.ts'
import { onRequest } from '../../pipeline/stage.ts'
import { askService } from './ask-service.ts'
import { callService } from './call-service.ts'
import { grpcOperators } from './grpc-operators.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stages that let a service decide, or the first of several whose condition holds. */
export const extAuthzStages = (
  policy: Conditional<ExtAuthz> | undefined,
  { http: { maxBufferBytes } }: FrontendPolicies,
  workshop: Workshop,
): Partial<Phases> | undefined => {
  if (!policy) return undefined
  if (!('conditional' in policy)) return stages(policy, policy.resultHeaders, maxBufferBytes, workshop)
  // Whichever of them is asked, and if none is: what any of them may set, the client may not send.
  const resultHeaders = [...new Set(policy.conditional.flatMap((one) => one.resultHeaders))]
  const choices = policy.conditional.map(({ condition, ...rest }) => ({
    ...stages(rest, resultHeaders, maxBufferBytes, workshop),
    when: condition === undefined ? undefined : workshop.expression(condition),
  }))
  const otherwise = {
    request: onRequest('ext-authz', ({ request }) => {
      dropForged(request, resultHeaders)
    }),
  }
  return choose([...choices, otherwise], maxBufferBytes, true)
}

/** How long a service may think, unless its policies say something else. */
const TIME_OUT_MS = 2_000
/** How many requests may wait for one service. */
const WAITING_LIMIT = 1_024

const stages = (
  policy: ExtAuthz,
  resultHeaders: readonly string[],
  bufferLimitBytes: number,
  workshop: Workshop,
): Phases => {
  const { cache, failureMode, includeRequestBody } = policy
  const used: Evaluate[] = []
  const expression = (text: Cel): Evaluate => {
    const evaluate = workshop.expression(text)
    used.push(evaluate)
    return evaluate
  }
  const decide = deciderOf(policy, expression, workshop)
  const remembered = cache && {
    key: cache.key.map(expression),
    ttl: expression(cache.ttl),
    maxEntries: cache.maxEntries,
    now: Date.now,
    evicted: () => {
      workshop.evicted('decisions')
    },
  }
  return authorizeExternally({
    decide,
    turnstile: new Turnstile(WAITING_LIMIT),
    failureMode,
    resultHeaders,
    body: includeRequestBody,
    remembered: remembered && new Remembered(remembered),
    held: bodiesReadBy(used),
    bufferLimitBytes,
  })
}

const deciderOf = (policy: ExtAuthz, expression: (text: Cel) => Evaluate, workshop: Workshop): Decider => {
  const { protocol, service, includeRequestHeaders, includeRequestBody } = policy
  const timeoutMs = service.policies.http?.requestTimeoutMs ?? TIME_OUT_MS
  const perhaps = (text: Cel | undefined) => (text === undefined ? undefined : expression(text))
  const values = (pairs: readonly (readonly [name: string, value: Cel])[]) =>
    pairs.map(([name, value]) => [name, expression(value)] as const)
  if (protocol.type === 'grpc')
    return grpcOperators.extAuthz().grpcDecider({
      service: callService(service, 'ExtAuthz', workshop),
      timeoutMs,
      includeRequestHeaders,
      context: protocol.context,
      metadata: protocol.metadata && values(protocol.metadata),
      packAsBytes: includeRequestBody?.packAsBytes ?? false,
    })
  return httpDecider({
    ask: askService(service, 'ExtAuthz', workshop),
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
