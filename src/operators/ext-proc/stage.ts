import type { ExtProc, ProcessorValues } from '../../model/ext-proc.ts'
import type { FrontendPolicies } from '../../model/frontend-policies.ts'
import type { Conditional } from '../../model/policies.ts'
import { choose } from '../../operators/choose.ts'
import type { ProcessExternallyOptions } from '../../operators/ext-proc.ts'
import { modifyRequestHeaders } from '../../operators/modify-request-headers.ts'
import type { Phases } from '../../operators/phases.ts'
import { callService } from './call-service.ts'
import { grpcOperators } from './grpc-operators.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stages that let a service process exchanges, or the first of several whose condition holds. */
export const extProcStages = (
  policy: Conditional<ExtProc> | undefined,
  at: Pick<ProcessExternallyOptions, 'tracedAs' | 'limitMs'>,
  { http: { maxBufferBytes } }: FrontendPolicies,
  workshop: Workshop,
): Partial<Phases> | undefined => {
  if (!policy) return undefined
  const { configuredModes, processExternally } = grpcOperators.extProc()
  const stages = (one: ExtProc, resultHeaders: readonly string[]): Phases =>
    processExternally({
      service: callService(one.service, 'ExtProc', workshop),
      patienceMs: one.messageTimeoutMs,
      failsOpen: one.failureMode === 'failOpen',
      modes: configuredModes(one.processingOptions),
      allowsOverride: one.processingOptions.allowModeOverride,
      metadataContext: one.metadataContext.map(
        ([namespace, values]) => [namespace, expressions(values, workshop)] as const,
      ),
      requestAttributes: expressions(one.requestAttributes, workshop),
      responseAttributes: expressions(one.responseAttributes, workshop),
      resultHeaders,
      bufferLimitBytes: maxBufferBytes,
      ...at,
    })
  if (!('conditional' in policy)) return stages(policy, policy.resultHeaders)
  // Whichever of them is asked, and if none is: what any of them sets, the client may not send.
  const resultHeaders = [...new Set(policy.conditional.flatMap((one) => one.resultHeaders))]
  const choices = policy.conditional.map(({ condition, ...one }) => ({
    ...stages(one, resultHeaders),
    when: condition === undefined ? undefined : workshop.expression(condition),
  }))
  const otherwise = { request: modifyRequestHeaders({ add: [], set: [], remove: resultHeaders }) }
  return choose(resultHeaders.length ? [...choices, otherwise] : choices, maxBufferBytes, true)
}

const expressions = (values: ProcessorValues, { expression }: Workshop) =>
  values.map(([name, value]) => [name, expression(value)] as const)
