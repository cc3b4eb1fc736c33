import { child } from '../../../config/document/json-pointer.ts'
import { backendName } from '../../../config/normalize/references.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { backendLocations } from '../../../config/validate/backend-locations.ts'
import type { Item, ValidationContext } from '../../../config/validate/context.ts'
import { policyContainers } from '../../../config/validate/policy-locations.ts'
import { httpRoutes } from '../../../config/validate/route-locations.ts'

/** A location of guards in the file. */
export interface GuardLocation {
  readonly value: File.LlmGuards
  readonly pointer: string
}

/** All locations of guards, each once. */
export function guardLocations(view: ValidationContext): readonly GuardLocation[] {
  return [
    ...sectionSites(view),
    ...llmModels(view).flatMap(({ value, pointer }) => site(value.guardrails, child(pointer, 'guardrails'))),
    ...promptGuards(view),
  ]
}

/** The locations of guards for each model, the outer ones first. */
export function modelLevels(view: ValidationContext): readonly (readonly GuardLocation[])[] {
  const shared = sectionSites(view)
  return [
    ...llmModels(view).map(({ value, pointer }) => [
      ...shared,
      ...site(value.guardrails, child(pointer, 'guardrails')),
    ]),
    ...promptGuards(view).map((one) => [one]),
  ]
}

/** An `ai` policy, and its location. */
export interface AiPolicyLocation {
  readonly value: File.AiPolicy
  readonly pointer: string
}

/** All `ai` policies of the file. */
export function aiPolicyLocations(view: ValidationContext): readonly AiPolicyLocation[] {
  const holders: readonly { readonly policies: { ai?: File.AiPolicy }; readonly pointer: string }[] = [
    ...policyContainers(view),
    ...backendLocations(view),
    ...aiProviders(view).map(({ value, pointer }) => ({
      policies: value.policies ?? {},
      pointer: child(pointer, 'policies'),
    })),
  ]
  return holders.flatMap(({ policies: { ai }, pointer }) =>
    ai === undefined ? [] : [{ value: ai, pointer: child(pointer, 'ai') }],
  )
}

function sectionSites({ file: { llm } }: ValidationContext): readonly GuardLocation[] {
  return [
    ...site(llm?.policies?.guardrails, '/llm/policies/guardrails'),
    ...site(llm?.guardrails, '/llm/guardrails'),
  ]
}

function promptGuards(view: ValidationContext): readonly GuardLocation[] {
  return aiPolicyLocations(view).flatMap(({ value, pointer }) =>
    site(value.promptGuard, child(pointer, 'promptGuard')),
  )
}

function site(value: File.LlmGuards | undefined, pointer: string): readonly GuardLocation[] {
  return value === undefined ? [] : [{ value, pointer }]
}

/** The models of the section `llm`. */
export function llmModels(view: ValidationContext): readonly Item<File.LlmModel>[] {
  return view.items(view.file.llm?.models, '/llm/models')
}

/** The providers of the section `llm`. */
export function llmProviders(view: ValidationContext): readonly Item<File.LlmProvider>[] {
  return view.items(view.file.llm?.providers, '/llm/providers')
}

/** The connection settings of a model or a provider. */
export interface LlmWay {
  readonly value: Pick<File.LlmModel, 'tls' | 'backendTLS' | 'auth'>
  readonly pointer: string
}

/** All connection settings of the section `llm`. */
export function llmWays(view: ValidationContext): readonly LlmWay[] {
  return [
    ...llmModels(view),
    ...llmProviders(view).map(({ value, pointer }) => ({
      value: value.defaults ?? {},
      pointer: child(pointer, 'defaults'),
    })),
  ]
}

/** Language models behind a backend, and their location. */
export interface AiBackendLocation {
  readonly value: File.AiBackend
  readonly pointer: string
}

/** All such backends: of routes, and of the section `backends`. */
export function aiBackendLocations(view: ValidationContext): readonly AiBackendLocation[] {
  return [
    ...httpRoutes(view)
      .filter(({ isSection }) => isSection !== true)
      .flatMap((route) =>
        view.items(route.value.backends, child(route.pointer, 'backends')).flatMap(ofBackend),
      ),
    ...view.items(view.file.backends, '/backends').flatMap(ofBackend),
  ]
}

/** A use of language models by a route, with the policies that apply to it, the nearest first. */
export interface AiProviderLocation {
  readonly site: AiBackendLocation
  readonly policies: readonly {
    readonly value: Pick<File.BackendPolicies, 'ai'> | undefined
    readonly pointer: string
  }[]
}

/** All uses. In a group of routes, the policies of the route that delegates to it are left out. */
export function aiProviderLocations(view: ValidationContext): readonly AiProviderLocation[] {
  const named = view.items(view.file.backends, '/backends')
  return httpRoutes(view)
    .filter(({ isSection }) => isSection !== true)
    .flatMap((route) =>
      view.items(route.value.backends, child(route.pointer, 'backends')).flatMap((backend) => {
        const { backend: reference } = backend.value
        const meant =
          reference === undefined
            ? undefined
            : named.find(({ value }) => value.name === backendName(reference))
        const [site] = ofBackend(meant ?? backend)
        if (site === undefined) return []
        const levels = [backend, ...(meant === undefined ? [] : [meant]), route]
        return [
          {
            site,
            policies: levels.map(({ value, pointer }) => ({
              value: value.policies,
              pointer: child(pointer, 'policies'),
            })),
          },
        ]
      }),
    )
}

/** The providers of a backend. */
export function providersOf(
  view: ValidationContext,
  { value, pointer }: AiBackendLocation,
): readonly Item<File.AiProvider>[] {
  if (!('groups' in value)) return [{ value, index: 0, pointer }]
  return view
    .items(value.groups, child(pointer, 'groups'))
    .flatMap((group) => view.items(group.value.providers, child(group.pointer, 'providers')))
}

/** The providers of all such backends. */
export function aiProviders(view: ValidationContext): readonly Item<File.AiProvider>[] {
  return aiBackendLocations(view).flatMap((site) => providersOf(view, site))
}

function ofBackend({
  value,
  pointer,
}: Item<File.RouteBackend | File.NamedBackend>): readonly AiBackendLocation[] {
  return value.ai === undefined ? [] : [{ value: value.ai, pointer: child(pointer, 'ai') }]
}
