import type { Oidc } from './schema.ts'
import type { Resources } from '../../model/resources/resources.ts'
import { oidc } from './oidc.ts'
import { stripLoginCookies } from './strip-session-cookies.ts'
import { sequence } from '../../pipeline/sequence.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { IdentityProvider } from '../../upstream/oidc/identity-provider.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'

/** Makes the stage that signs browsers in. */
export const oidcStage = (
  policy: Oidc,
  { session, dependencies, sealing, called, evicted }: CompileContext,
): Operator => {
  const make = () => {
    const { endpoints } = policy
    // Whoever is signed in passes without the provider, so that nobody has to wait for it to be there.
    const report = endpoints.kind === 'given' ? undefined : dependencies.add(`oidc ${policy.issuer}`, false)
    return new IdentityProvider(policy, {
      ...(report && { report }),
      called: (seconds) => {
        called('Oidc', seconds)
      },
    })
  }
  const provider = session.keep(`identity-provider ${JSON.stringify(policy)}`, make)
  return oidc({
    policy,
    provider,
    ring: sealing(),
    evicted: () => {
      evicted('logins')
    },
  })
}

/** The stage for routes: those without logins of their own keep the cookies of others from their backends. */
export const routeOidcStage = (policy: Oidc | undefined, context: CompileContext): Operator | undefined => {
  if (policy) return sequence([oidcStage(policy, context), stripLoginCookies()])
  return hasLogins(context.resources) ? stripLoginCookies() : undefined
}

/** Whether anybody signs in anywhere. */
const hasLogins = (resources: Resources): boolean => {
  const known = cache.get(resources)
  if (known !== undefined) return known
  const { binds, routeGroups } = resources
  const listeners = binds.flatMap((bind) => bind.listeners)
  const routes = [...listeners, ...routeGroups].flatMap((one) => one.routes)
  const found = [...listeners, ...routes].some(({ policies }) => policies.oidc !== undefined)
  cache.set(resources, found)
  return found
}

/** Asked for each route, and the same for all of them. */
const cache = new WeakMap<Resources, boolean>()
