import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource } from '../../../config/xds/xds-resource.ts'
import type { VirtualModelForm } from '../../../operators/llm/kubernetes/virtual-model-field.ts'
import {
  type ResolvedTarget,
  virtualRoutingOf,
  type VirtualTargetForm,
} from '../../../operators/llm/kubernetes/virtual-model.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { ProxyModel } from '../../kinds/custom-resources.ts'
import { attempt } from '../attempt.ts'
import { proxyRefusal } from '../proxy-check.ts'
import { knownModel, modelName } from './known-model.ts'
import type { ModelFindings } from './model-findings.ts'

/** A name for several models of its namespace. Requests for a target that leads nowhere get 404. */
export const virtualModel = (
  reads: GraphReads,
  object: ProxyModel,
  { targets, problems, failures }: ModelFindings,
): File.LlmVirtualModel => {
  const name = modelName(object)
  const { namespace = '' } = object.metadata
  const report = (path: string, message: string) => problems.push(`virtualModel.${path}: ${message}`)
  const resolve = ({ modelRef, model }: VirtualTargetForm, path: string): ResolvedTarget => {
    const key = `${namespace}/${modelRef.name}`
    const known = reads.tryQuery(knownModel, key)
    const problem = targetProblem(key, known, model)
    if (problem === undefined) {
      targets.add(key)
      return { model: model ?? known?.name ?? '', id: key }
    }
    report(path, problem)
    return { model: model ?? known?.name ?? modelRef.name, id: UNRESOLVED }
  }
  const outcome = attempt(() => virtualRoutingOf(object.spec.virtualModel as VirtualModelForm, resolve))
  if ('failure' in outcome) {
    failures.push(outcome.failure)
    problems.push('virtualModel: cannot be translated; the log has the error')
  }
  const routing = outcome.value
  if (!routing) return unresolved(name)
  const refusal = proxyRefusal(
    xdsResource('models', '', { models: [], virtualModels: [{ name, routing }] }),
  )?.replaceAll('virtualModels[0].routing.', 'virtualModel.')
  if (refusal === undefined) return { name, routing }
  problems.push(refusal)
  return unresolved(name)
}

const targetProblem = (
  key: string,
  known: { readonly name: string; readonly isVirtual: boolean } | undefined,
  model: string | undefined,
): string | undefined => {
  if (!known) return `model target ${key} not found`
  if (known.isVirtual) return `model target ${key} is a virtual model`
  return known.name.includes('*') && model === undefined
    ? `model target ${key} requires model when the referenced model is a wildcard`
    : undefined
}

/** No model has this id: those of models have a slash. */
const UNRESOLVED = 'unresolved'

/** A virtual model without a target. */
export const unresolved = (name: string): File.LlmVirtualModel => ({
  name,
  routing: { weighted: { targets: [{ model: name, id: UNRESOLVED }] } },
})
