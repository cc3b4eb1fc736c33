import type * as File from '../file-types.gen.ts'
import { headerValue } from '../format/http-text.ts'
import { child } from '../instance-path.ts'
import { providerKinds } from '../normalize/llm-provider.ts'
import { knownNames } from './known-names.ts'
import { llmModels, llmProviders } from './llm-sites.ts'
import { missing } from './references.ts'
import { secretOf } from './secret-text.ts'
import type { Examine, View } from './view.ts'

/** Who serves the models of the section `llm`: that it is known, and that all is said that it needs. */
export const examineModelProviders: Examine = (view) => {
  const names = new Map<string, string>()
  for (const { value, pointer } of llmProviders(view)) {
    const first = names.get(value.name)
    if (first === undefined) names.set(value.name, pointer)
    else
      view.wrongValue(
        child(pointer, 'name'),
        `is the name of another provider already: ${view.document.display(first)}`,
        { value: value.name },
      )
    if (referenceOf(value) === undefined) examineProvider(view, value, pointer)
    else
      view.problem(
        child(pointer, 'provider'),
        `llm.providers.${value.name} cannot reference another provider`,
      )
  }
  for (const { value, pointer } of llmModels(view)) {
    const reference = referenceOf(value)
    if (reference === undefined) examineProvider(view, value, pointer)
    else examineReference(view, value, reference, pointer)
  }
}

type Served = Pick<File.LlmModel, 'name' | 'provider' | 'params'>

function referenceOf({ provider }: Served): string | undefined {
  return typeof provider === 'string' ? undefined : provider.reference
}

function examineReference(view: View, { name, params }: Served, reference: string, pointer: string): void {
  const names = knownNames(view.document.value).llmProviders
  if (!names.has(reference))
    missing(view, child(child(pointer, 'provider'), 'reference'), 'provider', reference, names)
  for (const field of Object.keys(params ?? {}))
    if (field !== 'model')
      view.problem(
        child(child(pointer, 'params'), field),
        `model ${name} references provider ${reference} and can only set params.model`,
      )
}

function examineProvider(view: View, { provider, params = {} }: Served, pointer: string): void {
  const at = child(pointer, 'params')
  const kind = typeof provider === 'string' ? (providerKinds[provider] ?? 'preset') : kindOf(provider)
  const shown = typeof provider === 'string' ? provider : kind
  for (const field of needed[kind] ?? [])
    if (params[field] === undefined) view.problem(pointer, `${shown} needs params.${field}`)
  if (kind === 'custom' && params.baseUrl === undefined && params.hostOverride === undefined)
    view.problem(pointer, 'custom needs params.baseUrl')
  for (const field of Object.keys(params)) {
    const owner = owners.get(field)
    if (owner !== undefined && owner !== kind)
      view.warning(child(at, field), 'no_effect', `${field} has an effect on ${owner} only`)
  }
  if (params.apiKey !== undefined) examineKey(view, params.apiKey, child(at, 'apiKey'))
}

function kindOf(provider: Exclude<File.LlmModelProvider, string>): string {
  return provider.mock === undefined ? 'custom' : 'mock'
}

function examineKey(view: View, key: File.SecretText, pointer: string): void {
  const secret = secretOf(view, key, pointer)
  if (secret !== undefined && headerValue(secret) !== undefined)
    view.problem(pointer, 'must be text that a header can carry')
}

/** Without these, nobody could say where such a provider is. */
const needed: Readonly<Record<string, readonly (keyof File.LlmParams)[]>> = {
  vertex: ['vertexProject'],
  bedrock: ['awsRegion'],
  azure: ['azureResourceName', 'azureResourceType'],
}

/** Fields that mean something to one kind of provider only. */
const owners: ReadonlyMap<string, string> = new Map([
  ['awsRegion', 'bedrock'],
  ['vertexRegion', 'vertex'],
  ['vertexProject', 'vertex'],
  ['azureResourceName', 'azure'],
  ['azureResourceType', 'azure'],
  ['azureApiVersion', 'azure'],
  ['azureProjectName', 'azure'],
])
