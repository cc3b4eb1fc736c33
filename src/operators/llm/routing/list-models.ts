import { BufferBody } from '../../../model/exchange/body.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Headers } from '../../../model/exchange/headers.ts'
import { Reply } from '../../../model/exchange/reply.ts'
import { modelItem, modelList } from '../../../protocols/llm/models/model-list.ts'
import { listedNames } from '../../../protocols/llm/models/model-patterns.ts'
import { clientFormat } from '../request/client-format.ts'
import { modelNotFound } from '../refusals.ts'
import type { ModelRouter } from './model-router.ts'

/** The list of models that a caller may request: the concrete public ones, then the virtual ones. */
export const listModels = (x: Exchange, { models, virtualModels }: ModelRouter, createdS: number): Reply => {
  const { allowedModels } = x.identity
  const names = new Set<string>()
  for (const { name, isPublic, fits, mayUse } of models)
    if (isPublic && fits(x) && mayUse(x)) for (const one of listedNames(name, allowedModels)) names.add(one)
  for (const { name } of virtualModels) for (const one of listedNames(name, allowedModels)) names.add(one)
  return json(modelList(clientFormat(x.request), [...names], createdS))
}

/** One model of that list; 404 if it does not exist or the caller may not use it. */
export const showModelEntry = (x: Exchange, router: ModelRouter, model: string, createdS: number): Reply =>
  router.shows(x, model) ? json(modelItem(clientFormat(x.request), model, createdS)) : modelNotFound(model)

const json = (value: object): Reply =>
  new Reply(
    200,
    new Headers(['content-type', 'application/json']),
    new BufferBody(JSON.stringify(value)),
    'DirectResponse',
  )
