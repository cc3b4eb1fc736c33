import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { llmModels } from './locations.ts'
import type { Item, ValidationContext } from '../../../config/validate/context.ts'

/** Checks models: they are distinct, and each of them can be called. */
export function checkModels(view: ValidationContext): void {
  const models = llmModels(view)
  examineIds(view, models)
  examineShadows(view, models)
  for (const { value, pointer } of models)
    if (value.authorization?.rules.length === 0)
      view.warning(
        child(child(pointer, 'authorization'), 'rules'),
        'authorization_without_rules',
        'without rules, nobody is refused',
      )
}

function examineIds(view: ValidationContext, models: readonly Item<File.LlmModel>[]): void {
  const seen = new Map<string, string>()
  for (const { value, pointer } of models) {
    if (value.id === undefined) continue
    const first = seen.get(value.id)
    if (first === undefined) seen.set(value.id, pointer)
    else
      view.wrongValue(
        child(pointer, 'id'),
        `is the id of another model already: ${view.document.display(first)}`,
        {
          value: value.id,
        },
      )
  }
}

/** The first model that matches is used, unless its rules refuse the caller. */
function examineShadows(view: ValidationContext, models: readonly Item<File.LlmModel>[]): void {
  const taken = new Map<string, string>()
  for (const { value, pointer } of models) {
    const first = taken.get(value.name)
    if (first !== undefined)
      view.warning(
        child(pointer, 'name'),
        'model_never_chosen',
        `can never be chosen: ${view.document.display(first)} takes every request for ${value.name}`,
      )
    else if (takesAll(value)) taken.set(value.name, pointer)
  }
}

function takesAll({ matches = [], authorization, visibility }: File.LlmModel): boolean {
  const always = matches.length === 0 || matches.some(({ headers = [] }) => headers.length === 0)
  return always && authorization === undefined && visibility !== 'internal'
}
