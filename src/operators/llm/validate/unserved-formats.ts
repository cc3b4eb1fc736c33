import type { LlmProviderKind, LlmRouteType } from '../../../model/llm/llm-backend.ts'
import type { Format } from '../../../protocols/llm/format.ts'
import { providers } from '../../../protocols/llm/providers/providers.ts'
import { translations, upstreamFormat } from '../../../protocols/llm/translations.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { child } from '../../../config/document/json-pointer.ts'
import { aiIdentity } from '../normalize/ai-backend.ts'
import { type AiProviderLocation, aiProviderLocations, providersOf } from './locations.ts'
import type { Check, ValidationContext } from '../../../config/validate/context.ts'

/**
 * Reports request types that none of the providers behind a route supports: an error if the route has no others, else a
 * warning, since such requests get 400.
 */
export const checkAiFormats: Check = (view) => {
  // The effect of those depends on their targets, which are known only when policies are merged.
  if (view.file.policies?.some(({ policy }) => policy.ai?.routes !== undefined) === true) return
  for (const location of aiProviderLocations(view)) examineLocation(view, location)
}

function examineLocation(view: ValidationContext, location: AiProviderLocation): void {
  const { routes, pointer } = routesOf(view, location)
  const { unserved, isWhole } = unservedTypes(
    routes,
    providersOf(view, location.site).map(({ value }) => value),
  )
  for (const { suffix, why } of unserved) {
    const at = routes === undefined ? location.site.pointer : child(pointer, suffix)
    if (isWhole) view.problem(at, why)
    else view.warning(at, 'unsupported_conversion', why)
  }
}

/** Why every request to a backend is refused, if no policy but its own says what requests are. */
export const unservedBackend = ({ ai, policies }: File.NamedBackend): string | undefined => {
  if (!ai) return undefined
  const providers = 'groups' in ai ? ai.groups.flatMap((group) => group.providers) : [ai]
  const alone = providers.length === 1 ? providers[0] : undefined
  const routes = alone?.policies?.ai?.routes ?? policies?.ai?.routes
  const { unserved, isWhole } = unservedTypes(routes, providers)
  return isWhole ? unserved[0]?.why : undefined
}

/** The request types that no provider supports; without a table all requests are of one type. */
function unservedTypes(routes: File.AiPolicy['routes'], providers: readonly File.AiProvider[]) {
  const known = providers.map((one) => ({ name: one.name, formats: formatsOf(one) }))
  const types = Object.entries(routes ?? { '*': 'completions' as const })
  const unable = types.filter(
    ([, type]) =>
      isTranslated(type) &&
      !known.some(({ formats }) => formats === undefined || upstreamFormat(type, formats) !== undefined),
  )
  const names = known.map(({ name }) => name).join(', ')
  const supported = [...new Set(known.flatMap(({ formats }) => formats ?? []))].join(', ')
  return {
    unserved: unable.map(([suffix, type]) => ({
      suffix,
      why: `unsupported conversion: from ${type} to provider ${names} (supported: [${supported}])`,
    })),
    isWhole: unable.length === types.length && unable.length > 0,
  }
}

/** The nearest table of request types, and its location. */
function routesOf(
  view: ValidationContext,
  { site, policies }: AiProviderLocation,
): { readonly routes: File.AiPolicy['routes']; readonly pointer: string } {
  const providers = providersOf(view, site)
  const alone = providers.length === 1 ? providers[0] : undefined
  const levels = [
    ...(alone === undefined
      ? []
      : [{ ai: alone.value.policies?.ai, pointer: child(child(alone.pointer, 'policies'), 'ai') }]),
    ...policies.map(({ value, pointer }) => ({ ai: value?.ai, pointer: child(pointer, 'ai') })),
  ]
  const nearest = levels.find(({ ai }) => ai?.routes !== undefined)
  return { routes: nearest?.ai?.routes, pointer: child(nearest?.pointer ?? '', 'routes') }
}

/** The formats of a provider; undefined if they depend on the model, which clients choose. */
function formatsOf(source: File.AiProvider): readonly Format[] | undefined {
  const { kind, model, settings } = aiIdentity(source)
  if (model === undefined && BY_MODEL.has(kind)) return undefined
  return providers[kind].formats(model ?? '', { hostOverridden: false, ...settings })
}

const BY_MODEL: ReadonlySet<LlmProviderKind> = new Set(['vertex', 'bedrock', 'azure', 'copilot'])

/** Tokens are counted here if no provider can; unknown types are not translated. */
function isTranslated(type: LlmRouteType): type is Format {
  return Object.hasOwn(translations, type) && type !== 'anthropicTokenCount' && type !== 'geminiCountTokens'
}
