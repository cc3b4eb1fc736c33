import type { ConfigFile } from '../../../config/schema/file-types.gen.ts'
import { CommandFailure } from '../../command-failure.ts'
import { secondsText, variable } from '../config-text.ts'
import type { ImportReport } from '../import-report.ts'
import { readSourceValues } from '../source-value.ts'
import { litellmAccess } from './litellm-access.ts'
import { litellmDeployment, type LitellmPrice } from './litellm-deployment.ts'
import { litellmGuardrails } from './litellm-guardrails.ts'
import { litellmModels } from './litellm-models.ts'
import { litellmReason } from './litellm-reasons.ts'
import { litellmRouting } from './litellm-routing.ts'

/**
 * Converts a `config.yaml` of the LiteLLM proxy.
 *
 * @throws {CommandFailure} if it cannot be read, or has no model that can be reached.
 */
export const importLitellm = (text: string, report: ImportReport): ConfigFile => {
  const [root] = readSourceValues(text, report.file)
  if (!root?.field('model_list')) throw new CommandFailure(`${report.file} has no model_list`)
  const router = root.field('router_settings')
  const settings = root.field('litellm_settings')
  const timeout = router?.field('timeout')?.number ?? settings?.field('request_timeout')?.number
  const deployments = (root.field('model_list')?.items ?? []).flatMap(
    (item) => litellmDeployment(item, timeout === undefined ? undefined : secondsText(timeout), report) ?? [],
  )
  if (deployments.length === 0)
    throw new CommandFailure(`${report.file} has no model with a provider that is known`, {
      hint: report.findings
        .map(({ line, subject, reason }) => `line ${String(line)}: ${subject}: ${reason}`)
        .join('\n'),
    })
  const { models, virtualModels } = litellmModels(
    deployments,
    litellmRouting(router, settings, report),
    report,
  )
  const policies = litellmAccess(root.field('general_settings'), report)
  const guardrails = litellmGuardrails(root.field('guardrails') ?? settings?.field('guardrails'), report)
  for (const { path, at } of root.unread) {
    const { kind, ...why } = litellmReason(path)
    report.add(kind, at, path, why)
  }
  const prices = deployments.flatMap(({ price }) => price ?? [])
  return {
    ...(prices.length > 0 ? { config: { modelCatalog: [{ inline: catalogOf(prices) }] } } : {}),
    gateways: { default: { port: variable('PORT', '4000') as unknown as number } },
    llm: {
      ...(Object.keys(policies).length > 0 ? { policies } : {}),
      ...(guardrails ? { guardrails } : {}),
      models,
      ...(virtualModels.length > 0 ? { virtualModels } : {}),
    },
  }
}

const catalogOf = (prices: readonly LitellmPrice[]): { readonly providers: Record<string, unknown> } => ({
  providers: Object.fromEntries(
    [...Map.groupBy(prices, ({ provider }) => provider)].map(([provider, list]) => [
      provider,
      { models: Object.fromEntries(list.map(({ model, rates }) => [model, { rates }])) },
    ]),
  ),
})
