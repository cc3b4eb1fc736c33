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
  const known = providersOf(view, location.site).map(({ value }) => ({
    name: value.name,
    formats: formatsOf(value),
  }))
  const { routes, pointer } = routesOf(view, location)
  const types = Object.entries(routes ?? { '*': 'completions' as const })
  const unable = types.filter(
    ([, type]) =>
      isTranslated(type) &&
      !known.some(({ formats }) => formats === undefined || upstreamFormat(type, formats) !== undefined),
  )
  const names = known.map(({ name }) => name).join(', ')
  const supported = [...new Set(known.flatMap(({ formats }) => formats ?? []))].join(', ')
  for (const [suffix, type] of unable) {
    const at = routes === undefined ? location.site.pointer : child(pointer, suffix)
    const why = `unsupported conversion: from ${type} to provider ${names} (supported: [${supported}])`
    if (unable.length === types.length) view.problem(at, why)
    else view.warning(at, 'unsupported_conversion', why)
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
