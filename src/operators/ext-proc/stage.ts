import type { ExtProc, ProcessorValues } from './schema.ts'
import type { FrontendPolicies } from '../../model/resources/frontend-policies.ts'
import type { Conditional } from '../../model/resources/policies.ts'
import { conditional } from '../conditional.ts'
import type { ExtProcOptions } from './ext-proc.ts'
import { modifyRequestHeaders } from '../headers/request-header-modifier.ts'
import type { Phases } from '../phases.ts'
import { defaults } from '../../config/defaults.ts'
import { milliseconds } from '../../config/normalize/context.ts'
import { callService } from '../callout/stage/grpc-callout.ts'
import { grpcOperators } from '../../config/compile/lazy-grpc.ts'
import { callTimeoutMs } from '../callout/stage/callout-policies.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'

/** Compiles `extProc`, or several of which the first whose condition is true applies. */
export const extProcStages = (
  policy: Conditional<ExtProc> | undefined,
  at: Pick<ExtProcOptions, 'tracedAs' | 'limitMs'>,
  { http: { maxBufferBytes } }: FrontendPolicies,
  context: CompileContext,
): Partial<Phases> | undefined => {
  if (!policy) return undefined
  const { configuredModes, extProc } = grpcOperators.extProc()
  const stages = (one: ExtProc, resultHeaders: readonly string[]): Phases =>
    extProc({
      service: callService(one.service, 'ExtProc', context),
      // A gateway has no timeout of its own that would end the wait for a silent service.
      messageTimeoutMs: callTimeoutMs(one.service, context, milliseconds(defaults.extProcMessageTimeout)),
      failsOpen: one.failureMode === 'failOpen',
      modes: configuredModes(one.processingOptions),
      allowsOverride: one.processingOptions.allowModeOverride,
      metadataContext: one.metadataContext.map(
        ([namespace, values]) => [namespace, expressions(values, context)] as const,
      ),
      requestAttributes: expressions(one.requestAttributes, context),
      responseAttributes: expressions(one.responseAttributes, context),
      resultHeaders,
      bufferLimitBytes: maxBufferBytes,
      ...at,
    })
  if (!('conditional' in policy)) return stages(policy, policy.resultHeaders)
  // Removed from requests whichever alternative applies, and if none does: clients must not send what any of them
  // sets.
  const resultHeaders = [...new Set(policy.conditional.flatMap((one) => one.resultHeaders))]
  const choices = policy.conditional.map(({ condition, ...one }) => ({
    ...stages(one, resultHeaders),
    when: condition === undefined ? undefined : context.expression(condition),
  }))
  const otherwise = { request: modifyRequestHeaders({ add: [], set: [], remove: resultHeaders }) }
  return conditional(resultHeaders.length ? [...choices, otherwise] : choices, maxBufferBytes, true)
}

const expressions = (values: ProcessorValues, { expression }: CompileContext) =>
  values.map(([name, value]) => [name, expression(value)] as const)
