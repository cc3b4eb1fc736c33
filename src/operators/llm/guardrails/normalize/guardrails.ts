import type {
  ForwardedHeader,
  GuardRejection,
  GuardStreaming,
  LlmGuards,
  RegexGuard,
  RegexRule,
  RequestGuard,
  ResponseGuard,
  TextScope,
  WebhookGuard,
} from '../schema/normal-form.ts'
import { defaults } from '../../../../config/defaults.ts'
import type * as File from '../../../../config/schema/file-types.gen.ts'

import { type Context, milliseconds } from '../../../../config/normalize/context.ts'
import { headerModifier, headerPairs } from '../../../headers/normalize.ts'
import { armor, bedrockGuardrailsSettings, contentSafetySettings, moderation } from './services.ts'
import { simpleBackend, tlsOfHost } from '../../../../config/normalize/references.ts'
import { namedMatch } from '../../../route/normalize/match.ts'

/**
 * Merges the guards of several levels, the outer ones first; the nearest `streaming` wins. Undefined if there are no
 * guards.
 *
 * @param levels the outer ones first
 */
export function llmGuards(
  levels: readonly (File.LlmGuards | undefined)[],
  context: Context,
): LlmGuards | undefined {
  const merged: LlmGuards = {
    request: levels.flatMap((level) => (level?.request ?? []).map((guard) => requestGuard(guard, context))),
    response: levels.flatMap((level) =>
      (level?.response ?? []).map((guard) => responseGuard(guard, context)),
    ),
    streaming: streaming(levels.findLast((level) => level?.streaming !== undefined)?.streaming),
  }
  return merged.request.length + merged.response.length === 0 ? undefined : merged
}

/** No guards. */
export const noGuards: LlmGuards = { request: [], response: [], streaming: { mode: 'Buffer' } }

const { guards } = defaults.llm
const allScopes: readonly TextScope[] = ['systemPrompt', 'messages', 'toolOutput', 'toolInput']

/** Without a scope, a guard checks everything that the model gets. */
function requestGuard(source: File.LlmRequestGuard, context: Context): RequestGuard {
  const { openAIModeration, scope } = source
  return {
    kind: openAIModeration === undefined ? anyKind(source, context) : moderation(openAIModeration, context),
    rejection: rejection(source.rejection),
    scopes: new Set(scope ?? allScopes),
  }
}

function responseGuard(source: File.LlmResponseGuard, context: Context): ResponseGuard {
  return { kind: anyKind(source, context), rejection: rejection(source.rejection) }
}

function anyKind(
  source: Omit<File.LlmRequestGuard, 'openAIModeration'>,
  context: Context,
): ResponseGuard['kind'] {
  const { regex, webhook, bedrockGuardrails, googleModelArmor, azureContentSafety, invalid } = source
  if (regex !== undefined) return regexGuard(regex)
  if (webhook !== undefined) return webhookGuard(webhook, context)
  if (bedrockGuardrails !== undefined) return bedrockGuardrailsSettings(bedrockGuardrails, context)
  if (googleModelArmor !== undefined) return armor(googleModelArmor, context)
  if (azureContentSafety !== undefined) return contentSafetySettings(azureContentSafety, context)
  if (invalid !== undefined) return { type: 'invalid', reason: invalid }
  throw new TypeError('a guard without a kind; the checks should have refused it')
}

function regexGuard({ action, rules }: File.LlmRegexGuard): RegexGuard {
  return { type: 'regex', action: action ?? guards.action, rules: rules.map(regexRule) }
}

/** A rule of the guard `regex`. */
export function regexRule({ builtin, pattern, luhn }: File.LlmRegexRule): RegexRule {
  if (builtin === undefined) return { pattern: pattern ?? '' }
  return builtin === 'creditCard' ? { builtin, luhn: luhn ?? false } : { builtin }
}

function webhookGuard(source: File.LlmWebhookGuard, context: Context): WebhookGuard {
  const policies = { ...tlsOfHost(source.target.host), ...context.calloutPolicies(source.policies) }
  return {
    type: 'webhook',
    service: { backend: simpleBackend(source.target), policies },
    headers: headerPairs(source.headers).filter(([name]) => !idle.has(name)),
    forwardHeaders: (source.forwardHeaderMatches ?? []).map((match): ForwardedHeader =>
      namedMatch(match, match.name.toLowerCase()),
    ),
    failureMode: source.failureMode ?? guards.failureMode,
    ...(source.timeout !== undefined && { timeoutMs: milliseconds(source.timeout) }),
  }
}

/** Pseudo-headers without an effect on a callout. */
const idle = new Set([':scheme', ':status'])

function rejection(source: File.LlmGuardRejection = {}): GuardRejection {
  return { ...guards.rejection, ...source, headers: headerModifier(source.headers ?? {}) }
}

function streaming(source: File.LlmGuardStreaming = 'Buffer'): GuardStreaming {
  if (source === 'Buffer' || source === 'Disabled') return { mode: source }
  const { windowBytes, overlapBytes } = source === 'Enabled' ? {} : source
  return {
    mode: 'Enabled',
    windowBytes: windowBytes ?? guards.windowBytes,
    overlapBytes: overlapBytes ?? guards.overlapBytes,
  }
}
