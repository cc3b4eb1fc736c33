import type { Evaluate } from '../../model/exchange/expression.ts'
import type { ResourceIndex } from '../../model/resources/resource-index.ts'
import type { Cel } from '../../model/resources/policies.ts'
import { LlmContentReads } from '../../operators/llm/stage/captured-content.ts'
import type { Registry } from '../../upstream/registry.ts'
import type { RegistryTransaction } from '../../upstream/registry-transaction.ts'
import type { Derived } from '../derived.ts'
import type { CompileContext } from './compile-context.ts'
import { type CompileExpression, keyExpression } from './expressions.ts'
import { RecordedLookup } from './recorded-lookup.ts'

/** The compile context of all parts; each adds what it uses of its own. */
export type SharedContext = Omit<CompileContext, 'session' | 'lookup' | 'expression'>

/** What one configuration is compiled with. */
export interface PassOptions {
  readonly shared: SharedContext
  readonly resources: ResourceIndex
  readonly registry: Registry
  readonly expression: CompileExpression
  /** What is made of compiled parts. */
  readonly derived: Derived
  /** The pass of the configuration before, if its parts may be taken over. */
  readonly previous: CompilePass | undefined
}

/** A part of a snapshot, and everything that it depends on besides the resource that it is compiled from. */
interface CompiledPart {
  readonly value: unknown
  readonly lookup: RecordedLookup
  readonly session: RegistryTransaction
  readonly llmReads: LlmContentReads
}

/**
 * Compiles one configuration part by part. A part is taken over from the configuration before if it was compiled from
 * the same resource, and if everything that it looked up is still the same object.
 */
export class CompilePass {
  readonly shared: SharedContext
  readonly derived: Derived
  readonly #resources: ResourceIndex
  readonly #registry: Registry
  readonly #expression: CompileExpression
  #previous: CompilePass | undefined
  /** By kind, scope and resource. */
  readonly #parts = new Map<string, Map<unknown, Map<unknown, CompiledPart>>>()
  readonly #inOrder: CompiledPart[] = []

  constructor({ shared, resources, registry, expression, derived, previous }: PassOptions) {
    this.shared = shared
    this.derived = derived
    this.#resources = resources
    this.#registry = registry
    this.#expression = expression
    this.#previous = previous
  }

  /**
   * Compiles parts, unless they can be taken over.
   *
   * @param kind What is compiled. The type of a kind is the responsibility of its only caller.
   * @param scope What distinguishes parts of the same resource, compared by identity.
   */
  parts<Resource, Part>(
    kind: string,
    scope: unknown,
    compile: (resource: Resource, context: CompileContext) => Part,
  ): (resource: Resource) => Part {
    const parts = this.#partsOf(kind, scope)
    const before = this.#previous && this.#previous.#partsOf(kind, scope)
    return (resource) => {
      const known = parts.get(resource)
      if (known) return known.value as Part // the same resource twice
      const last = before?.get(resource)
      const part = last?.lookup.isCurrent(this.#resources)
        ? last
        : this.#compile((context) => compile(resource, context))
      parts.set(resource, part)
      this.#inOrder.push(part)
      return part.value as Part
    }
  }

  /** Compiles a part that depends on the snapshot itself. */
  newPart<T>(compile: (context: CompileContext) => T): T {
    const part = this.#compile(compile)
    this.#inOrder.push(part)
    return part.value as T
  }

  /** What the expressions of all parts read of conversations. */
  get llmReads(): LlmContentReads {
    const all = new LlmContentReads()
    for (const { llmReads } of this.#inOrder) all.join(llmReads)
    return all
  }

  /** The uses of shared resources, in the order of the configuration. */
  get sessions(): readonly RegistryTransaction[] {
    return this.#inOrder.map(({ session }) => session)
  }

  /** To be called at the end, so that a configuration does not keep the ones before. */
  seal(): void {
    this.#previous = undefined
  }

  /** The configuration was rejected: closes what only new parts use. */
  discard(): void {
    for (const { session } of this.#inOrder) session.discard()
  }

  #partsOf(kind: string, scope: unknown): Map<unknown, CompiledPart> {
    const scopes = this.#parts.get(kind) ?? new Map<unknown, Map<unknown, CompiledPart>>()
    this.#parts.set(kind, scopes)
    const parts = scopes.get(scope) ?? new Map<unknown, CompiledPart>()
    scopes.set(scope, parts)
    return parts
  }

  #compile(compile: (context: CompileContext) => unknown): CompiledPart {
    const lookup = new RecordedLookup(this.#resources)
    const llmReads = new LlmContentReads()
    const expression = recorded(this.#expression, llmReads)
    const session = this.#registry.session(lookup, expression, keyOf(expression))
    try {
      const value = compile({ ...this.shared, session, lookup, expression })
      return { value, lookup, session, llmReads }
    } catch (error) {
      session.discard()
      throw error
    } finally {
      lookup.seal()
    }
  }
}

const recorded =
  (expression: CompileExpression, llmReads: LlmContentReads): ((text: Cel) => Evaluate) =>
  (text) =>
    expression(text, (references) => {
      llmReads.add(references)
    })

const keyOf =
  (expression: (text: Cel) => Evaluate): ((text: Cel) => Evaluate) =>
  (text) =>
    keyExpression(expression(text))
