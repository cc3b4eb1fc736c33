import type {
  Backend,
  Bind,
  Listener,
  Route,
  TargetedPolicy,
  TcpRoute,
  UdpRoute,
} from '../../model/resources/resources.ts'
import type { Service, Workload } from '../../model/resources/service.ts'
import { namedBackends } from '../../operators/backend/normalize/backends.ts'
import { services, workloads } from '../../operators/backend/normalize/services.ts'
import { sentModels } from '../../operators/llm/normalize/llm-section.ts'
import { httpRoute, tcpRoute, udpRoute } from '../../operators/route/normalize/route.ts'
import { oldBinds, oldListener } from '../../streams/http/port/normalize/binds.ts'
import { noFiles } from '../document/referenced-files.ts'
import { type Context, originOf, type SharedSettings } from '../normalize/context.ts'
import { calloutPolicies } from '../normalize/policies.ts'
import { targetedPolicies } from '../normalize/targeted-policies.ts'
import type { XdsDocument } from './xds-document.ts'
import { XDS_ORIGIN, type XdsResource } from './xds-resource.ts'

/** A resource in the form of the model, and the backends that are written inside it. */
export type NormalResource = { readonly inlineBackends: readonly Backend[] } & (
  | { readonly kind: 'bind'; readonly bind: Bind }
  | { readonly kind: 'listener'; readonly listener: Listener }
  /** One route for each parent: its key, and those of its inline backends, depend on it. */
  | { readonly kind: 'route'; readonly routes: ReadonlyMap<string, Route> }
  | { readonly kind: 'tcpRoute'; readonly routes: ReadonlyMap<string, TcpRoute> }
  | { readonly kind: 'udpRoute'; readonly routes: ReadonlyMap<string, UdpRoute> }
  | { readonly kind: 'backend'; readonly backend: Backend | undefined }
  | { readonly kind: 'policy'; readonly policy: TargetedPolicy }
  | { readonly kind: 'service'; readonly service: Service }
  | { readonly kind: 'workload'; readonly workload: Workload }
)

/** Normalises a checked resource, by the settings of the file that it joins. */
export const normalResource = (
  resource: XdsResource,
  document: XdsDocument,
  shared: SharedSettings,
): NormalResource => {
  const context: Context = {
    ...shared,
    document: withNameInPaths(document),
    files: noFiles,
    inlineBackends: [],
    calloutPolicies: (policies) => calloutPolicies(policies, context),
  }
  const normal = normalForm(resource, document, context)
  const { inlineBackends } = context
  return { ...normal, inlineBackends: inlineBackends.length > 0 ? inlineBackends : none }
}

type NormalForm = NormalResource extends infer Each
  ? Each extends NormalResource
    ? Omit<Each, 'inlineBackends'>
    : never
  : never

const normalForm = (
  resource: XdsResource,
  { value: file, file: name, pointer }: XdsDocument,
  context: Context,
): NormalForm => {
  const origin = originOf(context, pointer)
  switch (resource.kind) {
    case 'bind':
      return { kind: 'bind', bind: { ...only(oldBinds(file, context)), origin } }
    case 'listener': {
      const [bind = ''] = resource.parents
      const listener = oldListener(resource.model, 0, bind, pointer, context)
      return { kind: 'listener', listener: { ...listener, key: resource.key } }
    }
    case 'route': {
      const parent = (owner: string) => ({ owner, index: 0, pointer, resource: name })
      return {
        kind: 'route',
        routes: new Map(
          resource.parents.map((owner) => [owner, httpRoute(resource.model, parent(owner), context)]),
        ),
      }
    }
    case 'tcpRoute': {
      const parent = (owner: string) => ({ owner, index: 0, pointer, resource: name })
      return {
        kind: 'tcpRoute',
        routes: new Map(
          resource.parents.map((owner) => [owner, tcpRoute(resource.model, parent(owner), context)]),
        ),
      }
    }
    case 'udpRoute': {
      const parent = (owner: string) => ({ owner, index: 0, pointer, resource: name })
      return {
        kind: 'udpRoute',
        routes: new Map(
          resource.parents.map((owner) => [owner, udpRoute(resource.model, parent(owner), context)]),
        ),
      }
    }
    case 'models': {
      const { backend, routeOn } = sentModels(resource.model, name, context)
      context.inlineBackends.push(backend)
      return { kind: 'route', routes: new Map(resource.parents.map((owner) => [owner, routeOn(owner)])) }
    }
    case 'backend':
      return { kind: 'backend', backend: namedBackends(file, context)[0] }
    case 'policy':
      return { kind: 'policy', policy: only(targetedPolicies(file, context)) }
    case 'service':
      return { kind: 'service', service: { ...only(services(file)), origin } }
    case 'workload':
      return { kind: 'workload', workload: { ...only(workloads(file)), origin } }
  }
}

const none: readonly never[] = []

const only = <T>([one]: readonly T[]): T => {
  if (one === undefined)
    throw new TypeError('a resource has no normal form; the checks should have refused it')
  return one
}

/** Where a resource came from is its name, in place of a location in a file. */
const withNameInPaths = (document: XdsDocument): XdsDocument => ({
  ...document,
  display: (pointer) => {
    const field = document.display(pointer)
    return `${XDS_ORIGIN}${document.file}${field === '' ? '' : ` ${field}`}`
  },
})
