import { BufferBody } from '../../../model/body.ts'
import type { Exchange } from '../../../model/exchange.ts'
import { Headers } from '../../../model/headers.ts'
import { Reply } from '../../../model/reply.ts'
import { modelList } from '../../../protocols/llm/model-list.ts'
import { listedNames } from '../../../protocols/llm/model-names.ts'
import { clientFormat } from './client-format.ts'
import type { ModelRouter } from './model-router.ts'

/** The list of models that a caller may ask for: the concrete ones that are public, then those that stand for several. */
export const listModels = (x: Exchange, { models, virtualModels }: ModelRouter, createdS: number): Reply => {
  const { allowedModels } = x.identity
  const names = new Set<string>()
  for (const { name, isPublic, fits, mayUse } of models)
    if (isPublic && fits(x) && mayUse(x)) for (const one of listedNames(name, allowedModels)) names.add(one)
  for (const { name } of virtualModels) for (const one of listedNames(name, allowedModels)) names.add(one)
  const body = new BufferBody(JSON.stringify(modelList(clientFormat(x.request), [...names], createdS)))
  return new Reply(200, new Headers(['content-type', 'application/json']), body, 'DirectResponse')
}
