import { BufferBody } from '../../../model/body.ts'
import type { Exchange } from '../../../model/exchange.ts'
import { Headers } from '../../../model/headers.ts'
import { Reply } from '../../../model/reply.ts'
import { modelList, type ModelListFormat } from '../../../protocols/llm/model-list.ts'
import { listedNames } from '../../../protocols/llm/model-names.ts'
import type { ModelRouter } from './model-router.ts'

/** The list of models that a caller may ask for: the concrete ones that are public, then those that stand for several. */
export const listModels = (x: Exchange, { models, virtualModels }: ModelRouter, createdS: number): Reply => {
  const { allowedModels } = x.identity
  const names = new Set<string>()
  for (const { name, isPublic, fits, mayUse } of models)
    if (isPublic && fits(x) && mayUse(x)) for (const one of listedNames(name, allowedModels)) names.add(one)
  for (const { name } of virtualModels) for (const one of listedNames(name, allowedModels)) names.add(one)
  const body = new BufferBody(JSON.stringify(modelList(formatFor(x), [...names], createdS)))
  return new Reply(200, new Headers(['content-type', 'application/json']), body, 'DirectResponse')
}

/** Every client asks at a path that ends alike: others tell who they are by what theirs have to say. */
const formatFor = ({ request: { path, headers } }: Exchange): ModelListFormat => {
  if (headers.has('x-goog-api-key') || geminiPath.test(path)) return 'generateContent'
  return headers.has('anthropic-version') ? 'messages' : 'completions'
}

/** The version of an interface of Google that nobody else has. */
const geminiPath = /\/v1(?:alpha|beta)\d*\/models\/?$/
