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
    const whole = rule.in('timeouts', 'request')
    const each = rule.in('timeouts', 'backendRequest')
    if (whole && each)
      report.dropped(
        whole.at,
        `AIGatewayRoute ${route.name}: timeouts.request`,
        'the timeout of a model is for one call: that of backendRequest is used',
      )
    const timeout = (each ?? whole)?.text
    rule.field('timeouts')?.ignore()
    const requested = requestedModels(rule, route, report)
    if (requested.length === 0) rule.ignore()
    for (const one of requested) addRule(rule, one, timeout, route, objects, into, report)
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
    const elsewhere = ['path', 'method', 'queryParams'].flatMap((field) => match.field(field) ?? [])
    const [condition] = elsewhere.filter((one) => !SAME_PATHS.has(one.field('value')?.text ?? ''))
    if (condition) {
      report.dropped(
        match.at,
        `AIGatewayRoute ${route.name}: a match with ${condition.name}`,
        'models are found by their names and by headers: without this condition the rule would get other requests',
        'use a route with an ai backend',
      )
      match.ignore()
      return []
    }
    for (const one of elsewhere) one.ignore()
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

/** Prefixes of the paths of all requests to models. */
const SAME_PATHS: ReadonlySet<string> = new Set(['/', '/v1', '/v1/'])

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
    const model = { ...backend, ...merged(backend, own), params }
    return [{ model, weight, priority, at: reference.at }]
  })
  const [first, ...others] = targets
  if (!first) return
  const taken = new Set(models.map((model) => model.name))
  const isVirtual = others.length > 0 && !name.includes('*')
  const isHidden =
    models.some((model) => model.name === name && (isVirtual || !model.matches)) ||
    virtualModels.some((model) => model.name === name)
  if (isHidden) {
    report.dropped(
      first.at,
      `AIGatewayRoute ${route.name}: ${name}`,
      'an earlier rule has the requests for this name',
      'name the models differently, or use one model with matches for each header',
    )
    return
  }
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

/** The changes of a backend and those of a reference to it, which win. */
const merged = (
  backend: Pick<LlmModel, 'requestHeaders' | 'overrides'>,
  own: Pick<LlmModel, 'requestHeaders' | 'overrides'>,
): Pick<LlmModel, 'requestHeaders' | 'overrides'> => {
  const set = { ...backend.requestHeaders?.set, ...own.requestHeaders?.set }
  const remove = [...(backend.requestHeaders?.remove ?? []), ...(own.requestHeaders?.remove ?? [])]
  const kept = remove.filter((name) => !(name in set))
  const overrides = { ...backend.overrides, ...own.overrides }
  return {
    ...(Object.keys(set).length + kept.length > 0
      ? {
          requestHeaders: {
            ...(Object.keys(set).length > 0 ? { set } : {}),
            ...(kept.length > 0 ? { remove: kept } : {}),
          },
        }
      : {}),
    ...(Object.keys(overrides).length > 0 ? { overrides } : {}),
  }
}
