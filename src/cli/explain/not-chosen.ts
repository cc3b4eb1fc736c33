import type { Request } from '../../model/exchange/request.ts'
import type { Bind, Listener, Match, Route } from '../../model/resources/resources.ts'
import { pathDescription } from '../../operators/route/mismatch.ts'
import { whyNotSelected } from '../../operators/route/not-selected.ts'
import { hostSpecificity } from '../../operators/route/precedence.ts'
import type { NotChosen } from './explanation.ts'
import { writtenAt } from './written.ts'

/** Why each other route of a table was not chosen. */
export const otherRoutes = (
  routes: readonly Route[],
  selected: Route | undefined,
  request: Request,
): readonly NotChosen[] =>
  routes
    .filter((route) => route !== selected)
    .map((route) => ({
      key: route.key,
      why: whyNotSelected(route, selected, request),
      written: route.origin && writtenAt(route.origin),
    }))

/** Why each other listener of a bind was not chosen. */
export const otherListeners = (
  { listeners }: Bind,
  chosen: string | undefined,
  host: string,
  isEncrypted: boolean,
): readonly NotChosen[] =>
  listeners
    .filter(({ key }) => key !== chosen)
    .map((listener) => ({
      key: listener.key,
      why: whyNotListener(listener, host, isEncrypted),
      written: listener.origin && writtenAt(listener.origin),
    }))

/** A matcher in words. */
export const matchDescription = ({ path, method, headers = [], query = [] }: Match): string =>
  [
    method,
    pathDescription(path),
    ...headers.map(({ name }) => `header ${name}`),
    ...query.map(({ name }) => `query ${name}`),
  ]
    .filter((part) => part !== undefined)
    .join(', ')

const whyNotListener = ({ protocol, hostname }: Listener, host: string, isEncrypted: boolean): string => {
  const expectsTls = protocol === 'HTTPS' || protocol === 'TLS'
  if (protocol === 'UDP') return 'protocol: it is for datagrams'
  if (protocol === 'TCP') return 'protocol: it proxies TCP connections'
  if (expectsTls !== isEncrypted)
    return expectsTls
      ? 'protocol: it expects TLS, the request is cleartext'
      : 'protocol: it is cleartext, the request came over TLS'
  const specificity = hostSpecificity(hostname === '' ? [] : [hostname], host)
  return specificity === undefined
    ? `host: ${host || 'none'} does not fit ${hostname}`
    : 'precedence: another listener has a more specific host name, or comes first'
}
