import type { ForwardedHeader, GuardRejection, TextScope, WebhookGuard } from '../../model/llm-guards.ts'
import type { Guard } from '../../operators/guard/guard.ts'
import type { ShownHeader } from '../../operators/guard/webhook/forwarded-fields.ts'
import { webhookGuard } from '../../operators/guard/webhook/webhook-guard.ts'
import { pattern } from '../../protocols/pattern/pattern.ts'
import { askService } from './ask-service.ts'
import type { Workshop } from './workshop.ts'

/** Makes the guard that asks a webhook. All guards that ask one target share its connections. */
export const compileWebhookGuard = (
  { service, headers, forwardHeaders, failureMode, timeoutMs }: WebhookGuard,
  rejection: GuardRejection,
  scopes: ReadonlySet<TextScope>,
  workshop: Workshop,
): Guard => {
  const pool = workshop.session.guardrailWebhook
  return webhookGuard({
    ask: askService(service, 'Guardrail', workshop, pool),
    timeoutMs,
    maxConnections: pool.poolMaxSize,
    headers: headers.map(([name, value]) => [name, workshop.expression(value)]),
    forwardHeaders: forwardHeaders.map(shownHeader),
    opensOnFailure: failureMode === 'failOpen',
    rejectionHeaders: rejection.headers,
    scopes,
  })
}

const shownHeader = ({ name, value }: ForwardedHeader): ShownHeader => ({
  name,
  fits: 'regex' in value ? pattern(value.regex) : (text) => text === value.exact,
})
