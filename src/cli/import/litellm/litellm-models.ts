import type { LlmModel, LlmVirtualModel } from '../../../config/schema/file-types.gen.ts'
import type { Health } from '../../../config/schema/file-types.gen.ts'
import type { ImportReport } from '../import-report.ts'
import type { LitellmDeployment } from './litellm-deployment.ts'

/** How requests are distributed, of `router_settings` and `litellm_settings`. */
export interface LitellmRouting {
  /** Whether `weight`, `rpm` and `tpm` are shares of the requests. */
  readonly isWeighted: boolean
  /** Model groups to use after a group has failed. */
  readonly fallbacks: ReadonlyMap<string, readonly string[]>
  readonly defaultFallbacks: readonly string[]
  readonly aliases: ReadonlyMap<string, string>
  readonly health: Health | undefined
}

/** Models, and virtual models for groups that have several deployments, fallbacks or other names. */
export const litellmModels = (
  deployments: readonly LitellmDeployment[],
  routing: LitellmRouting,
  report: ImportReport,
): { readonly models: LlmModel[]; readonly virtualModels: LlmVirtualModel[] } => {
  const groups = Map.groupBy(deployments, ({ group }) => group)
  const names = new Map<LitellmDeployment, string>()
  const models: LlmModel[] = []
  const virtualModels: LlmVirtualModel[] = []
  const fallbacksOf = (group: string): readonly string[] =>
    (routing.fallbacks.get(group) ?? routing.defaultFallbacks).filter(
      (one) => one !== group && groups.has(one),
    )
  const isPlain = (group: string): boolean =>
    group.includes('*') || (groups.get(group)?.length === 1 && fallbacksOf(group).length === 0)
  for (const [group, members] of groups)
    for (const [index, deployment] of members.entries()) {
      const name = isPlain(group) ? group : `${group}#${String(index + 1)}`
      names.set(deployment, name)
      const { id, ...fields } = deployment.model
      const model: LlmModel = {
        ...(id === undefined ? {} : { id }),
        name,
        ...(isPlain(group) ? {} : { visibility: 'internal' as const }),
        ...fields,
        ...(routing.health && !isPlain(group) ? { health: routing.health } : {}),
      }
      if (isPlain(group) && index > 0) {
        report.dropped(
          deployment.source.at,
          deployment.source.path,
          'several deployments of a pattern cannot share its requests',
        )
        continue
      }
      report.origin(model, deployment.source.at)
      report.comment(model, `${report.file}:${String(deployment.source.at.line)}: model_name ${group}`)
      models.push(model)
    }
  for (const [group, members] of groups) {
    if (isPlain(group)) continue
    const virtual = virtualModel(
      group,
      members,
      fallbacksOf(group).flatMap((one) => [groups.get(one) ?? []]),
      names,
      routing,
      report,
    )
    virtualModels.push(virtual)
  }
  for (const [alias, group] of routing.aliases) {
    const targets = (groups.get(group) ?? []).map((one) => ({ model: names.get(one) ?? group, priority: 0 }))
    if (targets.length > 0) virtualModels.push({ name: alias, routing: { failover: { targets } } })
  }
  return { models, virtualModels }
}

const virtualModel = (
  name: string,
  members: readonly LitellmDeployment[],
  fallbacks: readonly (readonly LitellmDeployment[])[],
  names: ReadonlyMap<LitellmDeployment, string>,
  { isWeighted }: LitellmRouting,
  report: ImportReport,
): LlmVirtualModel => {
  const nameOf = (one: LitellmDeployment): string => names.get(one) ?? one.group
  const weights = members.map(({ weight = 1 }) => weight)
  const hasWeights = isWeighted && new Set(weights).size > 1
  const hasOrder = members.some(({ order }) => order !== undefined)
  const [first] = members
  if (hasWeights && fallbacks.length === 0 && !hasOrder) {
    if (first)
      report.changed(
        first.source.at,
        `model_name ${name}`,
        'deployments are selected by weight, and a failed request is not sent to another one',
        'use routing.failover instead of weighted',
      )
    const targets = members.map((one, index) => ({ model: nameOf(one), weight: weights[index] ?? 1 }))
    return { name, routing: { weighted: { targets } } }
  }
  if (hasWeights && first)
    report.changed(
      first.source.at,
      `model_name ${name}`,
      'with fallbacks or an order, deployments share the requests without weights',
    )
  const orders = [...new Set(members.map(({ order = Infinity }) => order))].toSorted((a, b) => a - b)
  const targets = [
    ...members.map((one) => ({ model: nameOf(one), priority: orders.indexOf(one.order ?? Infinity) })),
    ...fallbacks.flatMap((group, index) =>
      group.map((one) => ({ model: nameOf(one), priority: orders.length + index })),
    ),
  ]
  return { name, routing: { failover: { targets } } }
}
