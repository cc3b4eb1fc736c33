import { patternLimits } from '../../../protocols/pattern/pattern-size.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import type { RouteObjectKind } from '../route/route-id.ts'

/** Why a rule cannot be served as written. Its requests get 500, its connections are reset. */
export interface RuleProblem {
  readonly reason: 'UnsupportedValue' | 'IncompatibleFilters' | 'TranslationError'
  readonly message: string
}

/** Why a reference of a rule leads nowhere. The rest of the rule is served. */
export interface ReferenceProblem {
  readonly reason:
    'RefNotPermitted' | 'BackendNotFound' | 'InvalidKind' | 'UnsupportedProtocol' | 'UnsupportedValue'
  readonly message: string
}

/** What the conversion of a rule reads, and the problems that it finds. */
export interface RuleContext<Kind extends RouteObjectKind = RouteObjectKind> {
  readonly reads: GraphReads
  /** The kind and namespace that references come from. */
  readonly kind: Kind
  readonly namespace: string
  readonly problems: RuleProblem[]
  readonly referenceProblems: ReferenceProblem[]
  /** What the route's regular expressions may still add up to; its rules share it. */
  readonly patterns: { left: number }
  /** Keys of the Services that the rule sends traffic to. */
  readonly services: Set<string>
  /** Keys of the InferencePools that the rule sends requests to. */
  readonly pools: Set<string>
  /** Keys of the ProxyBackends that it sends requests to. */
  readonly backends: Set<string>
  /** Names of the route groups that it delegates to. */
  readonly groups: Set<string>
}

/** The context of a rule of a route. */
export const ruleContext = <Kind extends RouteObjectKind>(
  reads: GraphReads,
  kind: Kind,
  { metadata }: KubernetesObject,
  patterns: RuleContext['patterns'] = { left: patternLimits.sum },
): RuleContext<Kind> => ({
  reads,
  kind,
  namespace: metadata.namespace ?? '',
  patterns,
  problems: [],
  referenceProblems: [],
  services: new Set(),
  pools: new Set(),
  backends: new Set(),
  groups: new Set(),
})

/** The problem of a rule that the translation has thrown at. */
export const untranslatable: RuleProblem = {
  reason: 'TranslationError',
  message: 'cannot be translated; the log has the error',
}

/** Records that a value is not supported. */
export const addUnsupported = ({ problems }: RuleContext, message: string): void => {
  problems.push({ reason: 'UnsupportedValue', message })
}
