import type { Context } from './normalize/context.ts'
import type { Properties, SchemaNode } from './schema/builders.ts'

/**
 * Where policies stand in a file:
 *
 * - `gateway`: of a gateway or one listener, before a route is known;
 * - `route`: of a route, one rule of it, or attached by target;
 * - `backend`: of a backend, named or inline, or a provider of language models;
 * - `target`: of one MCP server of a backend;
 * - `callout`: of the service of another policy.
 *
 * Frontend policies act on connections and on all requests of a port, without levels to merge: they are no rows.
 */
export type PolicyLevel = 'gateway' | 'route' | 'backend' | 'target' | 'callout'

/**
 * What a policy acts on: requests, replies, both, or `around` all attempts of a route. `call` has no stage: the call of
 * the backend obeys it.
 */
export type PolicyPhase = 'request' | 'reply' | 'both' | 'around' | 'call'

/** Makes the normal form of what a file has. `instance` names the resource that the policy belongs to; reloads keep it. */
export type Normalize = (policy: never, context: Context, instance: string) => unknown

/** How a policy stands at one level. */
export interface LevelCell {
  /** Position among the fields in the schema and the reference; the end without it. */
  readonly documented?: number
  /** Position in dumps and trace events; the end without it. */
  readonly printed?: number
  /** The schema of the field, where it differs from that of the row. */
  readonly field?: SchemaNode
  /** The normal form, where it differs from that of the row. */
  readonly normalize?: Normalize
}

/** Receivers of the policies of a route or a backend, each unless it has its own. */
export type Receiver = 'backends' | 'targets' | 'providers'

/** Everything about a policy, except its stage and the order of the stages. */
export interface PolicyRow {
  /** The schema of its field, normally a reference to one of the definitions. */
  readonly field: SchemaNode
  /** What it adds to the definitions of the schema, unless a section of the file has them. */
  readonly definitions?: Properties
  readonly normalize: Normalize
  readonly phase: PolicyPhase
  /** Whether `conditional` may list several, of which the first whose condition holds applies. */
  readonly conditional?: true
  /** Whether it calls a service whose address is among its fields. */
  readonly callsService?: true
  readonly gateway?: LevelCell
  readonly route?: LevelCell
  readonly backend?: LevelCell
  readonly target?: LevelCell
  readonly callout?: LevelCell
  /** Combines two levels. Without it, the inner one replaces the outer one. */
  readonly merge?: (outer: never, inner: never) => unknown
  /** From a route to its backends, from a backend to its MCP servers (`targets`) or model providers. */
  readonly handedTo?: readonly Receiver[]
  /** From a route into a route group: the group's own policy replaces it, or both are merged. */
  readonly intoGroups?: 'replace' | 'merge'
  /** Paths of expressions that are evaluated before there is a response; lists and objects of them too. */
  readonly beforeResponse?: readonly string[]
  /** Its name in trace events, if not that of the field. */
  readonly tracedAs?: string
}

/** A cell with its positions in the reference and in dumps. */
export const at = (documented: number, printed: number, own: Partial<LevelCell> = {}): LevelCell => ({
  documented,
  printed,
  ...own,
})
