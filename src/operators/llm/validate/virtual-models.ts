import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { nearest } from '../../../config/schema-check/did-you-mean.ts'
import { llmModels } from './locations.ts'
import { declaredNames } from '../../../config/validate/known-names.ts'
import type { Check, Item, ValidationContext } from '../../../config/validate/context.ts'

/** Checks virtual models: each of their models exists and can be chosen. */
export const checkVirtualModels: Check = (view) => {
  const all = view.items(view.file.llm?.virtualModels, '/llm/virtualModels')
  const seen = new Map<string, string>()
  for (const { value, pointer } of all) {
    const first = seen.get(value.name)
    if (first === undefined) seen.set(value.name, pointer)
    else
      view.wrongValue(
        child(pointer, 'name'),
        `is the name of another virtual model already: ${view.document.display(first)}`,
        { value: value.name },
      )
    examineRouting(view, value.routing, child(pointer, 'routing'))
  }
}

function examineRouting(
  view: ValidationContext,
  { weighted, failover, conditional }: File.LlmRouting,
  pointer: string,
): void {
  const known = [...declaredNames(view.document.value).llmModels]
  const ids = new Set(llmModels(view).map(({ value }) => value.id))
  const targets = <T extends { readonly model: string; readonly id?: string }>(
    list: readonly T[] | undefined,
    kind: string,
  ) => {
    const items = view.items(list, child(child(pointer, kind), 'targets'))
    for (const { value, pointer: at } of items)
      if (value.id === undefined) examineTarget(view, value.model, child(at, 'model'), known)
      else if (!ids.has(value.id) && !view.isPartial)
        view.wrongValue(child(at, 'id'), 'is the id of none of llm.models', { value: value.id })
    return items
  }
  const weights = targets(weighted?.targets, 'weighted')
  if (weights.length > 0 && weights.every(({ value }) => value.weight === 0))
    view.problem(child(child(pointer, 'weighted'), 'targets'), 'one of the weights must be above 0')
  targets(failover?.targets, 'failover')
  examineFallback(view, targets(conditional?.targets, 'conditional'))
}

function examineTarget(
  view: ValidationContext,
  model: string,
  pointer: string,
  known: readonly string[],
): void {
  if (known.some((pattern) => fits(pattern, model))) return
  const meant = nearest(
    model,
    known.filter((name) => !name.includes('*')),
  )
  view.wrongValue(pointer, 'matches none of llm.models', {
    value: model,
    hint: meant && `did you mean "${meant}"?`,
  })
}

/** An entry whose condition always holds: those after it are unreachable. */
function examineFallback(
  view: ValidationContext,
  targets: readonly Item<{ readonly when?: string }>[],
): void {
  for (const { value, pointer } of targets.slice(0, -1))
    if (value.when === undefined) view.problem(pointer, 'targets without when must be last')
}

function fits(pattern: string, model: string): boolean {
  if (pattern.endsWith('*')) return model.startsWith(pattern.slice(0, -1))
  if (pattern.startsWith('*')) return model.endsWith(pattern.slice(1))
  return pattern === model
}
