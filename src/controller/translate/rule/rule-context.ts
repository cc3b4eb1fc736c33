import type { GraphReads } from '../../graph/query.ts'
import type { RouteObjectKind } from '../route/route-id.ts'

/** Why a rule cannot be served as written. Its requests get 500. */
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
export interface RuleContext {
  readonly reads: GraphReads
  /** The kind and namespace that references come from. */
  readonly kind: RouteObjectKind
  readonly namespace: string
  readonly problems: RuleProblem[]
  readonly referenceProblems: ReferenceProblem[]
  /** What the route's regular expressions may still add up to; its rules share it. */
  readonly patterns: { left: number }
  /** Keys of the Services that the rule sends requests to. */
  readonly services: Set<string>
  /** Keys of the ProxyBackends that it sends requests to. */
  readonly backends: Set<string>
}

/** Records that a value is not supported. */
export const addUnsupported = ({ problems }: RuleContext, message: string): void => {
  problems.push({ reason: 'UnsupportedValue', message })
}
