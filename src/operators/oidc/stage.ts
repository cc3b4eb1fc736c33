import type { Oidc } from './schema.ts'
import { oidc } from './oidc.ts'
import { stripLoginCookies } from './strip-session-cookies.ts'
import { sequence } from '../../pipeline/sequence.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { IdentityProvider } from '../../upstream/oidc/identity-provider.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'

/** Compiles `oidc`. */
export const oidcStage = (
  policy: Oidc,
  { session, dependencies, sealing, called, evicted }: CompileContext,
): Operator => {
  const make = () => {
    const { endpoints } = policy
    // Browsers with a session pass without the provider, so that it is not required for readiness.
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

/** The stage for routes. Routes without a login of their own remove the cookies of others from upstream requests. */
export const routeOidcStage = (policy: Oidc | undefined, context: CompileContext): Operator | undefined => {
  if (policy) return sequence([oidcStage(policy, context), stripLoginCookies()])
  return context.hasLogins ? stripLoginCookies() : undefined
}
