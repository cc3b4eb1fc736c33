import { secondsText } from '../config-text.ts'
import type { ImportReport } from '../import-report.ts'
import type { SourceValue } from '../source-value.ts'
import type { LitellmRouting } from './litellm-models.ts'

/** Reads what selects a deployment, from `router_settings` and `litellm_settings`. */
export const litellmRouting = (
  router: SourceValue | undefined,
  settings: SourceValue | undefined,
  report: ImportReport,
): LitellmRouting => {
  const strategy = router?.field('routing_strategy')
  const name = strategy?.text ?? 'simple-shuffle'
  if (strategy && name !== 'simple-shuffle')
    report.changed(
      strategy.at,
      strategy.path,
      `${name}: the better of two random deployments is used, by failures, latency and active requests`,
    )
  for (const retries of [router?.field('num_retries'), settings?.field('num_retries')])
    if (retries)
      report.changed(
        retries.at,
        retries.path,
        'each deployment of a group is tried at most once, and only groups with several targets are retried',
        'add the fallbacks that a request may use',
      )
  const fallbacks = new Map<string, readonly string[]>()
  for (const list of [router?.field('fallbacks'), settings?.field('fallbacks')])
    for (const entry of list?.items ?? [])
      for (const { name: group, items } of entry.fields)
        fallbacks.set(
          group,
          items.flatMap(({ text }) => text ?? []),
        )
  const defaults = settings?.field('default_fallbacks') ?? router?.field('default_fallbacks')
  const aliases = new Map<string, string>()
  for (const alias of router?.field('model_group_alias')?.fields ?? []) {
    const target = alias.text ?? alias.field('model')?.text
    const hidden = alias.field('hidden')
    if (hidden?.isTrue) report.changed(hidden.at, hidden.path, 'the alias is listed by /v1/models')
    if (target !== undefined) aliases.set(alias.name, target)
  }
  const fails = (router?.field('allowed_fails') ?? settings?.field('allowed_fails'))?.number
  const cooldown = router?.field('cooldown_time')?.number
  return {
    isWeighted: name === 'simple-shuffle',
    fallbacks,
    defaultFallbacks: (defaults?.items ?? []).flatMap(({ text }) => text ?? []),
    aliases,
    health:
      fails === undefined && cooldown === undefined
        ? undefined
        : {
            eviction: {
              consecutiveFailures: (fails ?? 3) + 1,
              ...(cooldown === undefined ? {} : { duration: secondsText(cooldown) }),
            },
          },
  }
}
