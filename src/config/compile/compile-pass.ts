import type { Evaluate } from '../../model/exchange/expression.ts'
import { type MappedList, mapChanged } from '../../model/resources/list-difference.ts'
import type { ResourceIndex } from '../../model/resources/resource-index.ts'
import type { RouteGroup } from '../../model/resources/resources.ts'
import type { Cel } from '../../model/resources/policies.ts'
import { LlmContentReads } from '../../operators/llm/stage/captured-content.ts'
import type { Registry } from '../../upstream/registry.ts'
import type { RegistryTransaction } from '../../upstream/registry-transaction.ts'
import type { Derived } from '../derived.ts'
import { AffectedParts } from './affected-parts.ts'
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
  /** By kind and scope. */
  readonly #lists = new Map<string, Map<unknown, MappedList<unknown, CompiledPart>>>()
  readonly #inOrder: CompiledPart[] = []
  /** Shared by passes that take over from each other. */
  readonly #users: AffectedParts<CompiledPart>
  /** Parts of the pass before that have found something else than they would find now. */
  readonly #affected: ReadonlySet<CompiledPart>
  /** Compiled in this pass. */
  readonly #new: CompiledPart[] = []

  constructor({ shared, resources, registry, expression, derived, previous }: PassOptions) {
    this.shared = shared
    this.derived = derived
    this.#resources = resources
    this.#registry = registry
    this.#expression = expression
    this.#previous = previous
    this.#users = previous ? previous.#users : new AffectedParts()
    this.#affected = this.#users.of(resources.changed)
  }

  /**
   * Compiles parts, unless they can be taken over; to be called once for a kind and scope. Yields after each part that
   * is compiled.
   *
   * @param kind What is compiled. The type of a kind is the responsibility of its only caller.
   * @param scope What distinguishes parts of the same resource, compared by identity.
   */
  *parts<Resource, Part>(
    kind: string,
    scope: unknown,
    resources: readonly Resource[],
    compile: (resource: Resource, context: CompileContext) => Part,
  ): Generator<undefined, readonly Part[]> {
    const before = (this.#previous && this.#previous.#lists.get(kind)?.get(scope)) as
      MappedList<Resource, CompiledPart> | undefined
    const list = yield* mapChanged(
      resources,
      before,
      (resource) => this.#compile((context) => compile(resource, context)),
      (part) => !this.#affected.has(part),
    )
    const lists = this.#lists.get(kind) ?? new Map<unknown, MappedList<unknown, CompiledPart>>()
    this.#lists.set(kind, lists.set(scope, list))
    for (const part of list.results) this.#inOrder.push(part)
    return list.results.map(({ value }) => value as Part)
  }

  /** The same for one part. */
  *part<Resource, Part>(
    kind: string,
    scope: unknown,
    resource: Resource,
    compile: (resource: Resource, context: CompileContext) => Part,
  ): Generator<undefined, Part> {
    const [part] = yield* this.parts(kind, scope, [resource], compile)
    return part as Part
  }

  /** Compiles a part that depends on the snapshot itself. */
  newPart<T>(compile: (context: CompileContext) => T): T {
    const part = this.#compile(compile)
    this.#inOrder.push(part)
    return part.value as T
  }

  /** A route group by its name, for what is made of parts; a part looks it up itself. */
  routeGroup(name: string): RouteGroup | undefined {
    return this.#resources.routeGroup(name)
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
    this.#users.keepOnly(this.#inOrder)
    this.#previous = undefined
  }

  /** The configuration was rejected: closes what only new parts use. */
  discard(): void {
    for (const { session } of this.#new) session.discard()
  }

  #compile(compile: (context: CompileContext) => unknown): CompiledPart {
    const lookup = new RecordedLookup(this.#resources)
    const llmReads = new LlmContentReads()
    const expression = recorded(this.#expression, llmReads)
    const session = this.#registry.session(lookup, expression, keyOf(expression))
    try {
      const value = compile({ ...this.shared, session, lookup, expression })
      const part = { value, lookup, session, llmReads }
      this.#new.push(part)
      this.#users.add(part)
      return part
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
