import type * as File from '../file-types.gen.ts'
import { child } from '../instance-path.ts'
import { backendName } from '../normalize/references.ts'
import { httpRoutes } from './sites.ts'
import type { Item, View } from './view.ts'

/** The models of the section `llm`. */
export function llmModels(view: View): readonly Item<File.LlmModel>[] {
  return view.items(view.file.llm?.models, '/llm/models')
}

/** The providers of the section `llm`. */
export function llmProviders(view: View): readonly Item<File.LlmProvider>[] {
  return view.items(view.file.llm?.providers, '/llm/providers')
}

/** What is said there about the way to a provider. */
export interface LlmWay {
  readonly value: Pick<File.LlmModel, 'tls' | 'backendTLS' | 'auth'>
  readonly pointer: string
}

/** All such places of the section `llm`. */
export function llmWays(view: View): readonly LlmWay[] {
  return [
    ...llmModels(view),
    ...llmProviders(view).map(({ value, pointer }) => ({
      value: value.defaults ?? {},
      pointer: child(pointer, 'defaults'),
    })),
  ]
}

/** Language models behind a backend, and where that is written. */
export interface AiSite {
  readonly value: File.AiBackend
  readonly pointer: string
}

/** All of them: of routes, and of the section `backends`. */
export function aiSites(view: View): readonly AiSite[] {
  return [
    ...httpRoutes(view)
      .filter(({ isSection }) => isSection !== true)
      .flatMap((route) =>
        view.items(route.value.backends, child(route.pointer, 'backends')).flatMap(ofBackend),
      ),
    ...view.items(view.file.backends, '/backends').flatMap(ofBackend),
  ]
}

/** A use of language models by a route, with the policies that say something about it, the nearer first. */
export interface AiPlace {
  readonly site: AiSite
  readonly policies: readonly {
    readonly value: Pick<File.BackendPolicies, 'ai'> | undefined
    readonly pointer: string
  }[]
}

/** All of them. Where a group of routes is used is a long story: what the route that leads there says is left out. */
export function aiPlaces(view: View): readonly AiPlace[] {
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

/** The providers of one of them. */
export function providersOf(view: View, { value, pointer }: AiSite): readonly Item<File.AiProvider>[] {
  if (!('groups' in value)) return [{ value, index: 0, pointer }]
  return view
    .items(value.groups, child(pointer, 'groups'))
    .flatMap((group) => view.items(group.value.providers, child(group.pointer, 'providers')))
}

/** The providers of all of them. */
export function aiProviders(view: View): readonly Item<File.AiProvider>[] {
  return aiSites(view).flatMap((site) => providersOf(view, site))
}

function ofBackend({ value, pointer }: Item<File.RouteBackend | File.NamedBackend>): readonly AiSite[] {
  return value.ai === undefined ? [] : [{ value: value.ai, pointer: child(pointer, 'ai') }]
}
