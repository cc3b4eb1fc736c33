import type * as File from '../../../config/schema/file-types.gen.ts'
import { hostAndPort } from '../../../controller/schema/backend-form.ts'
import type { FormContext } from '../../../controller/schema/form-context.ts'
import type { AiBackendForm, AiProviderForm } from './ai-backend-field.ts'
import { azureEndpoint, providerKindOf } from './provider-kind.ts'

/** Translates the policies of a provider. `path` is that of the object that has them. */
export type ProviderPolicies = (
  policies: Readonly<Record<string, unknown>>,
  path: string,
) => File.BackendPolicies

/**
 * `ai` of a ProxyBackend in the notation of a file; undefined if no provider is left. Providers that cannot be used are
 * left out: the others serve.
 */
export const aiBackendOf = (
  { provider, groups = [] }: AiBackendForm,
  context: FormContext,
  policiesOf: ProviderPolicies,
): File.AiBackend | undefined => {
  if (provider) return providerOf({ ...provider, name: 'backend' }, 'provider', context, policiesOf)
  const names = new Set<string>()
  const translated = groups
    .map(({ providers }, group) =>
      providers.flatMap((one, i) => {
        // Names are unique in a group here, and in a backend there. Names of objects have no slash.
        const name = names.has(one.name) ? `${one.name}/${group}` : one.name
        names.add(one.name)
        const path = `groups[${group}].providers[${i}]`
        return providerOf({ ...one, name }, path, context, policiesOf) ?? []
      }),
    )
    .filter((providers) => providers.length > 0)
  return translated.length === 0 ? undefined : { groups: translated.map((providers) => ({ providers })) }
}

const providerOf = (
  form: AiProviderForm & { readonly name: string },
  path: string,
  context: FormContext,
  policiesOf: ProviderPolicies,
): File.AiProvider | undefined => {
  const kind = providerKindOf(form)
  const address = addressOf(form, path, context)
  if (!kind) context.report(`${path} has no kind that is known`)
  if (!kind || !address) return undefined
  const { policies: implied, ...connection } = address
  const policies = { ...implied, ...(form.policies && policiesOf(form.policies, `${path}.policies`)) }
  return {
    name: form.name,
    provider: kind,
    ...connection,
    ...(form.path === undefined ? {} : { pathOverride: form.path }),
    ...(form.pathPrefix === undefined ? {} : { pathPrefix: form.pathPrefix }),
    ...(Object.keys(policies).length === 0 ? {} : { policies }),
  }
}

type Address = Pick<File.AiProvider, 'hostOverride' | 'service' | 'pathPrefix' | 'policies'>

/** Nothing for addresses that follow from the provider; undefined for one that leads nowhere. */
const addressOf = (
  { host, port = 443, azureopenai, custom }: AiProviderForm,
  path: string,
  context: FormContext,
): Address | undefined => {
  if (host !== undefined) return { hostOverride: hostAndPort({ host, port }) }
  if (azureopenai) {
    const endpoint = azureEndpoint(azureopenai.endpoint)
    if (endpoint === undefined) {
      context.report(`${path}.azureopenai.endpoint ${JSON.stringify(azureopenai.endpoint)} is no host name`)
      return undefined
    }
    // The file has the names of resources, and keeps the paths of clients where an address is given.
    return /^[^.]+\.openai\.azure\.com:443$/.test(endpoint)
      ? {}
      : { hostOverride: endpoint, pathPrefix: '/', policies: { backendTLS: {} } }
  }
  return custom?.backendRef ? context.modelServer(custom.backendRef) : {}
}
