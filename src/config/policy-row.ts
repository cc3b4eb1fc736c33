import type { Context } from './normalize/context.ts'
import type { Properties, SchemaNode } from './schema/builders.ts'

/** Where policies stand in a file: of a gateway or listener, of a route or one rule of it, of a backend. */
export type PolicyLevel = 'gateway' | 'route' | 'backend'

/** From what a file has to the normal form. `instance` is the name of what the policy belongs to; reloads keep it. */
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
  readonly gateway?: LevelCell
  /** Includes rules and policies that are attached by target. */
  readonly route?: LevelCell
  readonly backend?: LevelCell
  /** Whether it applies to callouts too: the requests of other policies to their services. */
  readonly callout?: true
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
