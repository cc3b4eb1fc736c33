import type { Insertion } from '../../insert-stages.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Listener, Route } from '../../model/resources/resources.ts'
import { onRequest } from '../../pipeline/stage.ts'
import type { OfflineResources } from './offline-resources.ts'
import type { Assumptions } from './undecided-policies.ts'

/** Stages that identify the caller by given claims, where `jwtAuth` or `mcpAuthentication` would verify a token. */
export const callerIdentity = (
  { resources, undecided }: OfflineResources,
  { claims }: Assumptions,
): readonly Insertion[] => {
  if (!claims) return []
  const verifies = ({ key }: Pick<Listener | Route, 'key'>): boolean =>
    (undecided.get(key) ?? []).some(({ policy }) => policy === 'jwtAuth' || policy === 'mcpAuthentication')
  const identify = (x: Exchange): void => {
    x.identity = { ...x.identity, jwt: claims }
  }
  const listeners = new Set(
    resources.binds.flatMap((bind) =>
      bind.listeners
        .filter(verifies)
        .map((one) => labelOf(bind.key, `${one.gatewayNamespace}/${one.gatewayName}`, one.listenerName)),
    ),
  )
  const holders = [...resources.binds.flatMap((bind) => bind.listeners), ...resources.routeGroups]
  const routes = holders
    .flatMap((one) => one.routes)
    .filter(verifies)
    .map(({ namespace, name }) => `${namespace}/${name}`)
  const atListener = onRequest('jwt', (x) => {
    const { bind, gateway, listener } = x.labels
    if (listeners.has(labelOf(bind, gateway, listener))) identify(x)
  })
  return [
    { level: 'listener', before: 'jwtAuth', operator: atListener },
    ...(routes.length === 0
      ? []
      : [{ level: 'route', before: 'jwtAuth', routes, operator: onRequest('jwt', identify) } as const]),
  ]
}

const labelOf = (...parts: readonly (string | undefined)[]): string => parts.join(' ')
