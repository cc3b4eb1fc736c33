import type { ExtProc, ProcessingOptions } from './schema.ts'
import type { Conditional } from '../../model/resources/policies.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { Context } from '../../config/normalize/context.ts'
import { pairs } from '../headers/normalize.ts'
import { policyBackend } from '../../config/normalize/policy-backend.ts'

/** `extProc`, conditional or not. */
export function normalizeExtProc(policy: File.ConditionalExtProc, context: Context): Conditional<ExtProc> {
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
