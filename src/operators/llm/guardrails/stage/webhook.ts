import type { ForwardedHeader, GuardRejection, TextScope, WebhookGuard } from '../schema/normal-form.ts'
import type { Guard } from '../guard.ts'
import type { HeaderSelector } from '../webhook/forwarded-headers.ts'
import { webhookGuard } from '../webhook/webhook-guard.ts'
import { pattern } from '../../../../protocols/pattern/pattern.ts'
import { defaults } from '../../../../config/defaults.ts'
import { milliseconds } from '../../../../config/normalize/context.ts'
import { compileHttpCallout } from '../../../callout/stage/http-callout.ts'
import { callTimeoutMs } from '../../../callout/stage/callout-policies.ts'
import type { CompileContext } from '../../../../config/compile/compile-context.ts'

/** Compiles the guard that calls a webhook. All guards with the same target share its connections. */
export const compileWebhookGuard = (
  { service, headers, forwardHeaders, failureMode, timeoutMs }: WebhookGuard,
  rejection: GuardRejection,
  scopes: ReadonlySet<TextScope>,
  context: CompileContext,
): Guard => {
  const pool = context.session.guardrailWebhook
  return webhookGuard({
    callout: compileHttpCallout(service, 'Guardrail', context, pool),
    timeoutMs: timeoutMs ?? callTimeoutMs(service, context, milliseconds(defaults.llm.guards.timeout)),
    maxConnections: pool.poolMaxSize,
    headers: headers.map(([name, value]) => [name, context.expression(value)]),
    forwardHeaders: forwardHeaders.map(shownHeader),
    opensOnFailure: failureMode === 'failOpen',
    rejectionHeaders: rejection.headers,
    scopes,
  })
}

const shownHeader = ({ name, value }: ForwardedHeader): HeaderSelector => ({
  name,
  fits: 'regex' in value ? pattern(value.regex) : (text) => text === value.exact,
})
