import type {
  LlmGuards,
  LlmRegexRule,
  LlmRequestGuard,
  LlmResponseGuard,
} from '../../../config/schema/file-types.gen.ts'
import type { ImportReport } from '../import-report.ts'
import type { SourceValue } from '../source-value.ts'
import { litellmText } from './litellm-secret.ts'

/** The guards of `guardrails`, for all models. */
export const litellmGuardrails = (
  list: SourceValue | undefined,
  report: ImportReport,
): LlmGuards | undefined => {
  const request: LlmRequestGuard[] = []
  const response: LlmResponseGuard[] = []
  for (const item of list?.items ?? []) {
    const name = item.field('guardrail_name')?.text ?? item.path
    const params = item.field('litellm_params')
    if (!params) continue
    const guards = guardsOf(params, name, report)
    const modes = params.field('mode')
    const written = modes?.text === undefined ? (modes?.items ?? []).map(({ text }) => text) : [modes.text]
    if (guards.length > 0 && params.field('default_on')?.isTrue !== true)
      report.changed(item.at, `guardrail ${name}`, 'checks every request, not only those that name it')
    for (const mode of written)
      if (guards.length > 0 && mode === 'during_call')
        report.changed(
          modes?.at ?? item.at,
          `guardrail ${name}`,
          'checks a request before the model is called, not during the call',
        )
      else if (mode === 'logging_only')
        report.dropped(modes?.at ?? item.at, `guardrail ${name}`, 'guards do not check logs')
    if (written.some((mode) => mode !== 'post_call' && mode !== 'logging_only')) request.push(...guards)
    if (written.includes('post_call'))
      response.push(...guards.filter((guard) => !('openAIModeration' in guard)))
  }
  if (request.length + response.length === 0) return undefined
  return { ...(request.length > 0 ? { request } : {}), ...(response.length > 0 ? { response } : {}) }
}

type AnyGuard = LlmRequestGuard & LlmResponseGuard

const guardsOf = (params: SourceValue, name: string, report: ImportReport): AnyGuard[] => {
  const kind = params.field('guardrail')?.text ?? ''
  switch (kind) {
    case 'presidio':
      return presidio(params, name, report)
    case 'bedrock':
      return [
        {
          bedrockGuardrails: {
            guardrailIdentifier: litellmText(params.field('guardrailIdentifier')?.text ?? ''),
            guardrailVersion: litellmText(params.field('guardrailVersion')?.text ?? 'DRAFT'),
            region: litellmText(params.field('aws_region_name')?.text ?? 'os.environ/AWS_REGION'),
          },
        },
      ]
    case 'openai_moderation':
      return [{ openAIModeration: {} }]
    default:
      report.dropped(
        params.at,
        `guardrail ${name}`,
        `the service ${kind} is not known`,
        'a guardrail webhook calls a service of your own',
      )
      params.ignore()
      return []
  }
}

/** Entities that have a built-in pattern. */
const ENTITIES: Readonly<Record<string, NonNullable<LlmRegexRule['builtin']>>> = {
  CREDIT_CARD: 'creditCard',
  EMAIL_ADDRESS: 'email',
  PHONE_NUMBER: 'phoneNumber',
  US_SSN: 'ssn',
}

const presidio = (params: SourceValue, name: string, report: ImportReport): AnyGuard[] => {
  const entities = params.field('pii_entities_config')
  const rules = { mask: [] as LlmRegexRule[], reject: [] as LlmRegexRule[] }
  for (const entity of entities?.fields ?? []) {
    const builtin = ENTITIES[entity.name]
    if (builtin) rules[entity.text === 'BLOCK' ? 'reject' : 'mask'].push({ builtin })
    else
      report.dropped(
        entity.at,
        `guardrail ${name}: ${entity.name}`,
        'there is no pattern for this entity',
        'add one as regex.rules[].pattern, or call Presidio as a webhook',
      )
  }
  if (!entities) {
    rules.mask.push(...Object.values(ENTITIES).map((builtin) => ({ builtin })))
    report.changed(
      params.at,
      `guardrail ${name}`,
      'masks four kinds of data by patterns, not all that Presidio recognizes',
      'a webhook can call Presidio',
    )
  } else
    report.changed(
      params.at,
      `guardrail ${name}`,
      'is a list of patterns, without the recognition of Presidio',
    )
  for (const field of [
    'presidio_language',
    'presidio_filter_scope',
    'output_parse_pii',
    'presidio_score_thresholds',
    'presidio_ad_hoc_recognizers',
  ]) {
    const value = params.field(field)
    if (value) report.dropped(value.at, value.path, 'patterns have no such setting')
    value?.ignore()
  }
  return (['reject', 'mask'] as const).flatMap((action) =>
    rules[action].length > 0 ? [{ regex: { action, rules: rules[action] } }] : [],
  )
}
