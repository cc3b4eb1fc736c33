import type { McpGuardrails } from './schema.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import type { Context } from '../../../config/normalize/context.ts'
import { pairs } from '../../headers/normalize.ts'
import { policyBackend } from '../../../config/normalize/policy-backend.ts'

/** `mcpGuardrails`, with defaults filled in. */
export function mcpGuardrails({ processors }: File.McpGuardrails, context: Context): McpGuardrails {
  return {
    processors: processors.map((processor) => ({
      service: policyBackend(processor, context),
      failureMode: processor.failureMode ?? 'failClosed',
      methods: Object.entries(processor.methods ?? {}),
      metadata: pairs(processor.metadata),
      requestHeaders: {
        allowed: lowerCase(processor.requestHeaders?.allowed),
        disallowed: lowerCase(processor.requestHeaders?.disallowed),
      },
    })),
  }
}

function lowerCase(names: readonly string[] = []): readonly string[] {
  return names.map((name) => name.toLowerCase())
}
