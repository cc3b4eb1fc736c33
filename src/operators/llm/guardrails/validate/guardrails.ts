import type * as File from '../../../../config/schema/file-types.gen.ts'
import { child } from '../../../../config/document/json-pointer.ts'
import { defaults } from '../../../../config/defaults.ts'
import { checkContentSafety, checkGuardServices } from './services.ts'
import { guardLocations, modelLevels } from '../../validate/locations.ts'
import { checkWebhookGuard } from './webhook.ts'
import { checkGuardTimeout } from './timeout.ts'
import type { Check, Item, ValidationContext } from '../../../../config/validate/context.ts'

/** Checks the guards of requests and responses: each must be able to work. */
export const checkGuardrails: Check = (view) => {
  for (const { value, pointer } of guardLocations(view)) {
    for (const guard of view.items(value.request, child(pointer, 'request'))) {
      examineScope(view, guard)
      examineGuard(view, guard, 'request')
      const { openAIModeration } = guard.value
      if (openAIModeration !== undefined)
        checkGuardServices(
          view,
          openAIModeration,
          child(guard.pointer, 'openAIModeration'),
          'openAIModeration',
        )
    }
    for (const guard of view.items(value.response, child(pointer, 'response')))
      examineGuard(view, guard, 'response')
    examineWindow(view, value.streaming, child(pointer, 'streaming'))
  }
  examineUnchecked(view)
}

type AnyGuard = File.LlmResponseGuard & Pick<File.LlmRequestGuard, 'azureContentSafety'>

function examineGuard(
  view: ValidationContext,
  { value, pointer }: Item<AnyGuard>,
  phase: 'request' | 'response',
): void {
  const { regex, webhook, azureContentSafety } = value
  checkRegexRules(view, regex?.rules, child(child(pointer, 'regex'), 'rules'))
  if (webhook !== undefined) {
    checkWebhookGuard(view, webhook, child(pointer, 'webhook'), phase)
    checkGuardTimeout(view, webhook.timeout, child(pointer, 'webhook'))
  }
  for (const kind of ['bedrockGuardrails', 'googleModelArmor', 'azureContentSafety'] as const) {
    const cloud = value[kind]
    if (cloud !== undefined) checkGuardServices(view, cloud, child(pointer, kind), kind)
  }
  if (azureContentSafety !== undefined)
    checkContentSafety(view, azureContentSafety, child(pointer, 'azureContentSafety'), phase)
}

/** Checks the patterns of a guard, or of a log that masks like one. */
export function checkRegexRules(
  view: ValidationContext,
  rules: readonly File.LlmRegexRule[] | undefined,
  pointer: string,
): void {
  for (const rule of view.items(rules, pointer))
    if (rule.value.luhn !== undefined && rule.value.builtin !== 'creditCard')
      view.problem(child(rule.pointer, 'luhn'), 'belongs to creditCard: nothing else has such a check digit')
}

/** Only two kinds support scopes. */
function examineScope(view: ValidationContext, { value, pointer }: Item<File.LlmRequestGuard>): void {
  const { scope, regex, bedrockGuardrails } = value
  if (scope === undefined || regex !== undefined || bedrockGuardrails !== undefined) return
  const isUsual = scope.length === 2 && scope.includes('systemPrompt') && scope.includes('messages')
  if (isUsual) return
  view.problem(
    child(pointer, 'scope'),
    'can be something else than systemPrompt and messages for regex and bedrockGuardrails only',
    'without scope, the others look at all texts',
  )
}

function examineWindow(
  view: ValidationContext,
  streaming: File.LlmGuards['streaming'],
  pointer: string,
): void {
  if (typeof streaming !== 'object') return
  const { windowBytes = guards.windowBytes, overlapBytes = guards.overlapBytes } = streaming
  if (overlapBytes < windowBytes) return
  view.problem(
    child(pointer, streaming.overlapBytes === undefined ? 'windowBytes' : 'overlapBytes'),
    `overlapBytes (${String(overlapBytes)}) must be less than windowBytes (${String(windowBytes)})`,
  )
}

const { guards } = defaults.llm

/** Streams that pass unchecked although there are guards of responses. */
function examineUnchecked(view: ValidationContext): void {
  const warned = new Set<string>()
  for (const levels of modelLevels(view)) {
    const speaker = levels.findLast(({ value }) => value.streaming !== undefined)
    const isGuarded = levels.some(({ value }) => (value.response ?? []).length > 0)
    if (speaker?.value.streaming !== 'Disabled' || !isGuarded) continue
    const at = child(speaker.pointer, 'streaming')
    if (!warned.has(at)) view.warning(at, 'streams_unchecked', UNCHECKED)
    warned.add(at)
  }
}

const UNCHECKED =
  'answers that are streams go to clients unchecked: the guards in response look at other answers only'
