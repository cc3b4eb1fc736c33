import type { LlmModel, LlmVirtualModel } from '../../../config/schema/file-types.gen.ts'
import type { ImportReport } from '../import-report.ts'
import type { SourceValue } from '../source-value.ts'
import type { KubernetesObject, KubernetesObjects } from './kubernetes-objects.ts'
import { mutations, serviceBackend } from './service-backend.ts'

/** Models and virtual models of the rules of an AIGatewayRoute. */
export interface RouteModels {
  readonly models: LlmModel[]
  readonly virtualModels: LlmVirtualModel[]
}

/** The header in which Envoy AI Gateway has the model of a request. */
const MODEL_HEADER = /^x-ai-eg-model$/i

/** Adds the models of an AIGatewayRoute. */
export const addRouteModels = (
  route: KubernetesObject,
  objects: KubernetesObjects,
  into: RouteModels,
  report: ImportReport,
): void => {
  const names = route.spec?.field('hostnames')
  if (names) {
    report.dropped(
      names.at,
      `AIGatewayRoute ${route.name}: hostnames`,
      'the section llm serves its models for every host',
      'give the gateway a listener for the host, and name it in llm.gateways',
    )
    names.ignore()
  }
  for (const rule of route.spec?.field('rules')?.items ?? []) {
    for (const name of ['name', 'modelsOwnedBy', 'modelsCreatedAt']) rule.field(name)?.ignore()
    const timeout = rule.in('timeouts', 'request')?.text ?? rule.in('timeouts', 'backendRequest')?.text
    rule.field('timeouts')?.ignore()
    for (const requested of requestedModels(rule, route, report))
      addRule(rule, requested, timeout, route, objects, into, report)
  }
}

interface RequestedModel {
  readonly name: string
  readonly matches: NonNullable<LlmModel['matches']>
}

/** The names in the conditions of a rule, each with its other headers. */
const requestedModels = (
  rule: SourceValue,
  route: KubernetesObject,
  report: ImportReport,
): readonly RequestedModel[] => {
  const matches = rule.field('matches')?.items ?? []
  if (matches.length === 0) return [{ name: '*', matches: [] }]
  return matches.flatMap((match) => {
    let name: string | undefined = '*'
    const headers: { name: string; value: { exact: string } | { regex: string } }[] = []
    for (const header of match.field('headers')?.items ?? []) {
      const [type = 'Exact', key = '', value = ''] = ['type', 'name', 'value'].map(
        (field) => header.field(field)?.text,
      )
      if (!MODEL_HEADER.test(key))
        headers.push({
          name: key,
          value: type === 'Exact' ? { exact: value } : { regex: value },
        })
      else name = type === 'Exact' ? value : patternOf(value)
      if (name === undefined)
        report.dropped(
          header.at,
          `AIGatewayRoute ${route.name}: ${value}`,
          'names of models may have * at the start or the end only',
          'list the names',
        )
    }
    return name === undefined ? [] : [{ name, matches: headers.length > 0 ? [{ headers }] : [] }]
  })
}

const patternOf = (regex: string): string | undefined => {
  const match = /^\^?(\.\*)?([A-Za-z0-9_/:-]*(?:\\\.[A-Za-z0-9_/:-]*)*)(\.\*)?\$?$/.exec(regex)
  if (!match || (match[1] !== undefined && match[3] !== undefined && match[2] !== '')) return undefined
  const text = (match[2] ?? '').replaceAll('\\', '')
  return (
    `${match[1] === undefined ? '' : '*'}${text}${match[3] === undefined || text === '' ? '' : '*'}` || '*'
  )
}

const addRule = (
  rule: SourceValue,
  { name, matches }: RequestedModel,
  timeout: string | undefined,
  route: KubernetesObject,
  objects: KubernetesObjects,
  { models, virtualModels }: RouteModels,
  report: ImportReport,
): void => {
  const targets = (rule.field('backendRefs')?.items ?? []).flatMap((reference) => {
    const key = reference.field('name')?.text
    for (const field of ['group', 'kind', 'namespace']) reference.field(field)
    const [weight, priority] = [
      reference.field('weight')?.number ?? 1,
      reference.field('priority')?.number ?? 0,
    ]
    const override = reference.field('modelNameOverride')?.text
    const own = mutations(reference)
    const object = objects.find('AIServiceBackend', key, route.namespace)
    const backend = object && serviceBackend(object, objects, report)
    if (!backend) {
      if (!object)
        report.dropped(
          reference.at,
          `AIGatewayRoute ${route.name}: ${key ?? ''}`,
          'there is no AIServiceBackend of this name in the file',
          'InferencePools are not supported: use the addresses of their servers',
        )
      reference.ignore()
      return []
    }
    const isPattern = name.includes('*')
    const params = {
      ...(override !== undefined ? { model: override } : isPattern ? {} : { model: name }),
      ...backend.params,
      ...(timeout === undefined ? {} : { requestTimeout: timeout }),
    }
    return [{ model: { ...backend, ...own, params }, weight, priority, at: reference.at }]
  })
  const [first, ...others] = targets
  if (!first) return
  const taken = new Set(models.map((model) => model.name))
  const add = (model: LlmModel): void => {
    report.origin(model, first.at)
    models.push(model)
  }
  const more = matches.length > 0 ? { matches } : {}
  if (others.length === 0 || name.includes('*')) {
    if (others.length > 0)
      report.dropped(
        first.at,
        `AIGatewayRoute ${route.name}: ${name}`,
        'only the first backend is used: the requests of a pattern cannot be shared',
        'list the names',
      )
    add({ name: name, ...first.model, ...more })
    return
  }
  const named = targets.map((target, index) => {
    let id = `${name}#${String(index + 1)}`
    while (taken.has(id)) id += '#'
    add({ name: id, visibility: 'internal', ...target.model, ...more })
    return { ...target, id: id }
  })
  const isFailover = new Set(targets.map(({ priority }) => priority)).size > 1
  const isWeighted = new Set(targets.map(({ weight }) => weight)).size > 1
  if (isFailover && isWeighted)
    report.changed(
      first.at,
      `AIGatewayRoute ${route.name}: ${name}`,
      'backends of one priority share the requests without weights',
    )
  virtualModels.push({
    name: name,
    routing:
      isWeighted && !isFailover
        ? { weighted: { targets: named.map(({ id, weight }) => ({ model: id, weight })) } }
        : { failover: { targets: named.map(({ id, priority }) => ({ model: id, priority })) } },
  })
}
