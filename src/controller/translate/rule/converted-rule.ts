import type { XdsModels } from '../../../config/xds/xds-resource.ts'
import { type ReferenceProblem, type RuleProblem, untranslatable } from './rule-context.ts'

/** A rule of a route, converted. */
export interface ConvertedRule<Kind extends RuleKind = RuleKind> {
  readonly index: number
  /** Absent if there is nothing that it could serve. */
  readonly resource: RuleResource<Kind> | undefined
  /** If there are any, the resource replies 500, resets connections, or drops datagrams. */
  readonly problems: readonly RuleProblem[]
  readonly referenceProblems: readonly ReferenceProblem[]
  /** Keys of the Services that it sends traffic to. */
  readonly services: readonly string[]
  /** The same of InferencePools. */
  readonly pools: readonly string[]
  /** Keys of the ProxyBackends that it sends requests to. */
  readonly backends: readonly string[]
  /** Names of the route groups that it delegates to. */
  readonly groups: readonly string[]
  /** What the conversion has thrown: a mistake of the translation, or an object of a shape that its definition forbids. */
  readonly failure?: unknown
}

/** The kinds of resources of rules. */
export type RuleKind = 'route' | 'tcpRoute' | 'udpRoute'

/** What proxies get of a rule, without its parents. */
export type RuleResource<Kind extends RuleKind = RuleKind> = {
  readonly [Each in Kind]: { readonly kind: Each; readonly model: XdsModels[Each] }
}[Kind]

/** A rule that the translation has thrown at, with what takes its place. It sends nothing anywhere. */
export const untranslatedRule = (
  index: number,
  resource: ConvertedRule['resource'],
  failure: unknown,
): ConvertedRule => ({
  index,
  resource,
  problems: [untranslatable],
  referenceProblems: [],
  services: [],
  pools: [],
  backends: [],
  groups: [],
  failure,
})
