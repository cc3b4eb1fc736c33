import { xdsResource } from '../../../config/xds/xds-resource.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { Layer4BackendRef, Layer4Route, Layer4Rule } from '../../kinds/layer-4-route.ts'
import { attempt } from '../attempt.ts'
import { type BackendOfRule, backendReference } from '../backend/backend-reference.ts'
import { proxyRefusal } from '../proxy-check.ts'
import type { Layer4RouteKind } from '../route/route-id.ts'
import { type ConvertedRule, type RuleResource, untranslatedRule } from './converted-rule.ts'
import { addUnsupported, ruleContext, type RuleContext } from './rule-context.ts'
import { ruleIdentity } from './rule-identity.ts'

/** The rules of a route of connections or datagrams. */
export const layer4RouteRules = (
  reads: GraphReads,
  kind: Layer4RouteKind,
  key: string,
): readonly ConvertedRule[] => {
  const route = reads.object(kind, key)
  return (route?.spec.rules ?? []).map((rule, index) => {
    const source = { kind, route, rule, index } as RuleSource
    const converted = attempt(() => convertedRule(reads, source))
    return converted.value ?? failedRule(source, converted.failure)
  })
}

/** A rule, and the route that has it. */
interface RuleSource {
  readonly kind: Layer4RouteKind
  readonly route: Layer4Route
  readonly rule: Layer4Rule
  readonly index: number
}

const convertedRule = (reads: GraphReads, source: RuleSource): ConvertedRule => {
  const { kind, route, rule, index } = source
  const context = ruleContext(reads, kind, route)
  const { backendRefs = [] } = rule
  const resource = ruleResource(
    source,
    backendRefs.length > 0 ? backendRefs.map(backendOf(context)) : [BROKEN],
  )
  const refusal = refusalOf(resource)
  if (refusal !== undefined) addUnsupported(context, refusal)
  const { problems, referenceProblems, services, pools } = context
  const isServed = problems.length === 0
  return {
    index,
    resource: isServed ? resource : brokenResource(source),
    problems,
    referenceProblems,
    services: isServed ? [...services] : [],
    pools: isServed ? [...pools] : [],
    backends: [],
    groups: [],
  }
}

/** A rule whose translation has thrown resets the connections that are its own, or drops the datagrams, where that can be said. */
const failedRule = (source: RuleSource, failure: unknown): ConvertedRule =>
  untranslatedRule(source.index, attempt(() => brokenResource(source)).value, failure)

/** Without the host names that proxies refuse; with none left, it would have those of others. */
const brokenResource = (source: RuleSource): ConvertedRule['resource'] => {
  const isTaken = (hostnames: readonly string[] | undefined): boolean =>
    refusalOf(ruleResource(source, [BROKEN], hostnames)) === undefined
  const { hostnames } = source.route.spec
  const taken = hostnames?.filter((name) => isTaken([name]))
  if (!isTaken(taken) || (hostnames?.length && !taken?.length)) return undefined
  return ruleResource(source, [BROKEN], taken)
}

type Layer4Resource = RuleResource<'tcpRoute' | 'udpRoute'>

const ruleResource = (
  { kind, route, rule, index }: RuleSource,
  backends: Destination[],
  hostnames = route.spec.hostnames,
): Layer4Resource => {
  const identity = ruleIdentity(route, rule.name, index)
  if (kind === 'UDPRoute') return { kind: 'udpRoute', model: { ...identity, backends } }
  const names = hostnames?.length ? { hostnames: [...hostnames] } : {}
  return { kind: 'tcpRoute', model: { ...identity, ...names, backends } }
}

const refusalOf = (resource: Layer4Resource): string | undefined =>
  proxyRefusal(
    resource.kind === 'udpRoute'
      ? xdsResource('udpRoute', '', resource.model)
      : xdsResource('tcpRoute', '', resource.model),
  )

type Destination = { readonly weight?: number } & (BackendOfRule | typeof BROKEN)

/** References that lead nowhere keep their weight, and reset their share of the connections, or drop that of the datagrams. */
const backendOf =
  (context: RuleContext) =>
  (reference: Layer4BackendRef): Destination => {
    const { weight = 1 } = reference
    const backend = backendReference(reference, context)
    return { ...(weight === 1 ? {} : { weight }), ...(backend ?? BROKEN) }
  }

const BROKEN = { invalid: null } as const
