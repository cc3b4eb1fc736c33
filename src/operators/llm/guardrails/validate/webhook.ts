import { CelError } from '../../../../cel/engine/compile-error.ts'
import { compile } from '../../../../cel/compile.ts'
import type * as File from '../../../../config/schema/file-types.gen.ts'
import { child } from '../../../../config/document/json-pointer.ts'
import { checkCallout } from '../../../../config/validate/policy-backends.ts'
import type { ValidationContext } from '../../../../config/validate/context.ts'

/** Checks that a webhook can be called, and that its headers can have values. */
export function checkWebhookGuard(
  view: ValidationContext,
  { target, policies, headers }: File.LlmWebhookGuard,
  pointer: string,
  phase: 'request' | 'response',
): void {
  checkCallout(view, target, policies, child(pointer, 'target'), child(pointer, 'policies'))
  for (const [name, text] of Object.entries(headers ?? {})) {
    const at = child(child(pointer, 'headers'), name)
    if (name === ':scheme' || name === ':status')
      view.warning(at, 'no_effect', `${name} has no effect on the question`)
    else if (reads(text, 'response'))
      view.warning(at, 'expression_reads_response', 'is about the request of the client: it always fails')
    else if (phase === 'response' && reads(text, 'llmRequest'))
      view.warning(
        at,
        'expression_reads_llm_request',
        'llmRequest is known when requests are looked at only: it always fails',
      )
  }
}

function reads(text: string, variable: string): boolean {
  try {
    return compile(text).references.variables.has(variable)
  } catch (error) {
    // The expression calls custom functions of the file, or is invalid, which is reported elsewhere.
    if (error instanceof CelError) return false
    throw error
  }
}
