import type * as File from '../../../config/schema/file-types.gen.ts'
import { isSendable } from '../../../config/format/http-fields.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { providerKinds } from '../normalize/provider.ts'
import { declaredNames } from '../../../config/validate/known-names.ts'
import { llmModels, llmProviders } from './locations.ts'
import { missingReference } from '../../../config/validate/references.ts'
import { secretOf } from '../../../config/validate/secret-text.ts'
import type { Check, ValidationContext } from '../../../config/validate/context.ts'

/** Checks the providers of the models of the section `llm`: they are known and complete. */
export const checkModelProviders: Check = (view) => {
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

function examineReference(
  view: ValidationContext,
  { name, params }: Served,
  reference: string,
  pointer: string,
): void {
  const names = declaredNames(view.document.value).llmProviders
  if (!names.has(reference))
    missingReference(view, child(child(pointer, 'provider'), 'reference'), 'provider', reference, names)
  for (const field of Object.keys(params ?? {}))
    if (field !== 'model')
      view.problem(
        child(child(pointer, 'params'), field),
        `model ${name} references provider ${reference} and can only set params.model`,
      )
}

function examineProvider(view: ValidationContext, { provider, params = {} }: Served, pointer: string): void {
  const at = child(pointer, 'params')
  const kind = typeof provider === 'string' ? (providerKinds[provider] ?? 'preset') : kindOf(provider)
  const shown = typeof provider === 'string' ? provider : kind
  for (const field of needed[kind] ?? [])
    if (params[field] === undefined) view.problem(pointer, `${shown} needs params.${field}`)
  const { baseUrl, hostOverride, service } = params
  if (kind === 'custom' && baseUrl === undefined && hostOverride === undefined && service === undefined)
    view.problem(pointer, 'custom needs params.baseUrl')
  if (service !== undefined && (baseUrl !== undefined || hostOverride !== undefined))
    view.problem(child(at, 'service'), "cannot be set with 'baseUrl' or 'hostOverride'")
  if ((params.awsGuardrailIdentifier === undefined) !== (params.awsGuardrailVersion === undefined))
    view.problem(at, "'awsGuardrailIdentifier' and 'awsGuardrailVersion' belong together")
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

function examineKey(view: ValidationContext, key: File.SecretText, pointer: string): void {
  const secret = secretOf(view, key, pointer)
  if (secret !== undefined && !isSendable(secret))
    view.problem(pointer, 'must be text that a header can carry')
}

/** Without these, the address of such a provider is unknown. */
const needed: Readonly<Record<string, readonly (keyof File.LlmParams)[]>> = {
  vertex: ['vertexProject'],
  bedrock: ['awsRegion'],
  azure: ['azureResourceName', 'azureResourceType'],
}

/** Fields of a single kind of provider. */
const owners: ReadonlyMap<string, string> = new Map([
  ['awsRegion', 'bedrock'],
  ['awsGuardrailIdentifier', 'bedrock'],
  ['awsGuardrailVersion', 'bedrock'],
  ['vertexRegion', 'vertex'],
  ['vertexProject', 'vertex'],
  ['azureResourceName', 'azure'],
  ['azureResourceType', 'azure'],
  ['azureApiVersion', 'azure'],
  ['azureProjectName', 'azure'],
])
