import type * as File from '../../../config/schema/file-types.gen.ts'
import type { FormContext } from '../../../controller/schema/form-context.ts'
import { modelProviders, type ModelProviderForm } from './model-fields.ts'
import { providerFormats } from './provider-fields.ts'

/** Who serves a model, in the notation of a file. */
export type ServedBy = Pick<File.LlmModel, 'provider' | 'params'>

/**
 * The provider of a ProxyModel in the notation of a file; undefined if it is not known, or its address leads nowhere,
 * after a report.
 */
export const modelProviderOf = (form: ModelProviderForm, context: FormContext): ServedBy | undefined => {
  const { provider: name, baseURL, custom } = form
  const provider = name && providerOf(name, custom)
  if (!provider) {
    context.report('its name is not known')
    return undefined
  }
  const address = baseURL === undefined ? serviceOf(custom, context) : { baseUrl: baseURL }
  if (!address) return undefined
  const params = { ...settingsOf(form), ...address }
  return { provider, ...(Object.keys(params).length === 0 ? {} : { params }) }
}

type Custom = ModelProviderForm['custom']

const providerOf = (name: keyof typeof modelProviders, custom: Custom): File.LlmModelProvider | undefined => {
  if (!Object.hasOwn(modelProviders, name)) return undefined
  const provider = modelProviders[name]
  if (provider !== 'custom') return provider
  return custom && { custom: { formats: formatsOf(custom) } }
}

const formatsOf = ({ formats }: NonNullable<Custom>): File.LlmCustomProvider['formats'] =>
  formats.map(({ type, path }) => ({ type: providerFormats[type], ...(path === undefined ? {} : { path }) }))

/** Nothing for addresses that follow from the provider; undefined for one that leads nowhere. */
const serviceOf = (custom: Custom, context: FormContext): Pick<File.LlmParams, 'service'> | undefined => {
  return custom?.backendRef ? context.modelServer(custom.backendRef) : {}
}

const settingsOf = ({ azure, bedrock, vertexai }: ModelProviderForm): File.LlmParams => ({
  ...(azure && {
    azureResourceName: azure.resourceName,
    azureResourceType: azure.resourceType === 'Foundry' ? 'foundry' : 'openAI',
    ...(azure.projectName === undefined ? {} : { azureProjectName: azure.projectName }),
    ...(azure.apiVersion === undefined ? {} : { azureApiVersion: azure.apiVersion }),
  }),
  ...(bedrock && {
    awsRegion: bedrock.region ?? 'us-east-1',
    ...(bedrock.guardrail && {
      awsGuardrailIdentifier: bedrock.guardrail.identifier,
      awsGuardrailVersion: bedrock.guardrail.version,
    }),
  }),
  ...(vertexai && {
    vertexProject: vertexai.projectId,
    ...(vertexai.region === undefined ? {} : { vertexRegion: vertexai.region }),
  }),
})
