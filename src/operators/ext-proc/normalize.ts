import type { ExtProc, ProcessingOptions } from '../../model/ext-proc.ts'
import type { Conditional } from '../../model/policies.ts'
import { defaults } from '../defaults.ts'
import type * as File from '../file-types.gen.ts'
import { type Context, milliseconds } from './context.ts'
import { pairs } from './headers.ts'
import { policyBackend } from './policy-backend.ts'

/** `extProc`, conditional or not. */
export function extProc(policy: File.ConditionalExtProc, context: Context): Conditional<ExtProc> {
  if (!('conditional' in policy)) return plain(policy, context)
  return {
    conditional: policy.conditional.map((entry) => ({
      ...plain(entry, context),
      ...(entry.condition === undefined ? {} : { condition: entry.condition }),
    })),
  }
}

function plain(policy: File.ExtProc, context: Context): ExtProc {
  return {
    service: policyBackend(policy, context),
    // A gateway has no time-out of its own that would end the wait for a service that says nothing.
    messageTimeoutMs: milliseconds(policy.policies?.http?.requestTimeout ?? defaults.extProcMessageTimeout),
    failureMode: policy.failureMode ?? 'failClosed',
    metadataContext: Object.entries(policy.metadataContext ?? {}).map(
      ([namespace, values]) => [namespace, pairs(values)] as const,
    ),
    requestAttributes: pairs(policy.requestAttributes),
    responseAttributes: pairs(policy.responseAttributes),
    processingOptions: { ...usual, ...policy.processingOptions },
    resultHeaders: [...new Set((policy.resultHeaders ?? []).map((name) => name.toLowerCase()))],
  }
}

const usual: ProcessingOptions = {
  requestBodyMode: 'fullDuplexStreamed',
  responseBodyMode: 'fullDuplexStreamed',
  requestHeaderMode: 'send',
  responseHeaderMode: 'send',
  requestTrailerMode: 'send',
  responseTrailerMode: 'send',
  allowModeOverride: false,
}
