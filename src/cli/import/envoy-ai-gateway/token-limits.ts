import type { LocalLimit, LocalLimitEntry, LocalRateLimit } from '../../../config/schema/file-types.gen.ts'
import { celString, secondsText } from '../config-text.ts'
import type { ImportReport } from '../import-report.ts'
import type { SourceValue } from '../source-value.ts'
import type { KubernetesObjects } from './kubernetes-objects.ts'

/** Limits of BackendTrafficPolicies. Limits per value of a header need a service, and are reported. */
export const tokenLimits = (objects: KubernetesObjects, report: ImportReport): LocalRateLimit | undefined => {
  const types = new Map(
    objects.ofKind('AIGatewayRoute').flatMap(({ spec }) =>
      (spec?.field('llmRequestCosts')?.items ?? []).map((item) => {
        const entry = [item.field('metadataKey')?.text ?? '', item.field('type')?.text ?? ''] as const
        item.ignore()
        return entry
      }),
    ),
  )
  const shared: LocalLimit[] = []
  const conditional: LocalLimitEntry[] = []
  for (const { spec, name } of objects.ofKind('BackendTrafficPolicy')) {
    for (const rules of [spec?.in('rateLimit', 'global', 'rules'), spec?.in('rateLimit', 'local', 'rules')])
      for (const rule of rules?.items ?? []) {
        const limit = limitOf(rule, types, `BackendTrafficPolicy ${name}`, report)
        if (limit?.condition === undefined) shared.push(...(limit ? [limit.limit] : []))
        else conditional.push({ condition: limit.condition, ...limit.limit })
      }
    spec?.in('rateLimit', 'type')
  }
  if (conditional.length === 0) return shared.length > 0 ? shared : undefined
  if (conditional.length + shared.length > 1)
    for (const { at, name } of objects.ofKind('BackendTrafficPolicy').slice(0, 1))
      report.changed(
        at,
        `BackendTrafficPolicy ${name}`,
        'the first limit whose condition holds applies, not all of them',
      )
  return { conditional: [...conditional, ...shared.slice(0, 1)] }
}

const limitOf = (
  rule: SourceValue,
  types: ReadonlyMap<string, string>,
  subject: string,
  report: ImportReport,
): { readonly limit: LocalLimit; readonly condition: string | undefined } | undefined => {
  const count = rule.in('limit', 'requests')?.number
  const unit = UNITS[rule.in('limit', 'unit')?.text ?? '']
  const key = rule.in('cost', 'response', 'metadata', 'key')?.text
  const conditions: string[] = []
  let distinct: string | undefined
  for (const selector of rule.field('clientSelectors')?.items ?? [])
    for (const header of selector.field('headers')?.items ?? []) {
      const [type = 'Exact', name = '', value = ''] = ['type', 'name', 'value'].map(
        (field) => header.field(field)?.text,
      )
      if (type === 'Distinct') distinct = name
      else {
        const field = /^x-ai-eg-model$/i.test(name)
          ? 'default(llmRequest.model, "")'
          : `default(request.headers[${celString(name.toLowerCase())}], "")`
        conditions.push(
          type === 'Exact' ? `${field} == ${celString(value)}` : `${field}.matches(${celString(value)})`,
        )
      }
    }
  const unread = rule.unread.filter(({ path }) => !path.includes('.cost.'))
  rule.ignore()
  if (distinct !== undefined || count === undefined || unit === undefined || unread.length > 0) {
    const why =
      distinct === undefined
        ? 'its selectors have no counterpart'
        : `local buckets are not per value of ${distinct}`
    report.dropped(
      rule.at,
      `${subject}: a limit`,
      why,
      'use llm.policies.remoteRateLimit with a descriptor and type tokens',
    )
    return undefined
  }
  const counted = key === undefined ? undefined : (types.get(key) ?? 'unknown')
  if (counted !== undefined && counted !== 'TotalToken')
    report.changed(rule.at, `${subject}: ${key ?? ''}`, `counts all tokens of a request, not ${counted}`)
  return {
    limit: {
      maxTokens: count,
      tokensPerFill: count,
      fillInterval: secondsText(unit),
      ...(counted === undefined ? {} : { type: 'tokens' as const }),
    },
    condition: conditions.length > 0 ? conditions.join(' && ') : undefined,
  }
}

const UNITS: Readonly<Record<string, number>> = { Second: 1, Minute: 60, Hour: 3600, Day: 86_400 }
