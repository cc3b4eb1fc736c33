import { functionsOf } from '../cel/custom/functions-of.ts'
import { runAtOnce, runInLongSlices } from '../model/event-loop/time-slicing.ts'
import { ResourceIndex } from '../model/resources/resource-index.ts'
import type { Listener, Resources } from '../model/resources/resources.ts'
import type { CompiledBind, Snapshot } from '../model/resources/snapshot.ts'
import { compileBind } from './compile/bind.ts'
import { basisFor, type CompileBasis, newBasis } from './compile/compile-basis.ts'
import { CompilePass } from './compile/compile-pass.ts'
import type { CompileTools } from './compile/compile-tools.ts'
import { groupCredentialFields } from './compile/credential-sources.ts'
import { expressions } from './compile/expressions.ts'
import { attachedFrontends, compileTracing } from './compile/frontend.ts'
import { observedBy } from './compile/observed-expressions.ts'
import { type ListenerTraits, listenerTraits } from './compile/listener-traits.ts'
import { gatewayExchange } from '../operators/otlp/gateway-exchange.ts'
import { collectors } from '../operators/otlp/stage.ts'
import type { LlmContentReads } from '../operators/llm/stage/captured-content.ts'
import { Derived } from './derived.ts'
import { mergeSteps } from './merge-policies.ts'
import { reuseEqual } from './reuse-equal.ts'

/** The input of compiling. */
export interface Compilable {
  readonly resources: Resources
  readonly hash: string
  /** Only changes were received: nothing is known anew about resources that are the same objects. */
  readonly isUpdate?: boolean
}

/**
 * Compiles resources to a snapshot: parses every expression, indexes every matcher, makes an operator of every
 * policy. None of this is repeated per request.
 *
 * From then on the registry counts the snapshot as the active one.
 *
 * @throws CelError for an expression that does not parse; resources that came from a checked file have none.
 * @throws TypeError for an `internal` backend of a route where the tools have no admin interface.
 */
export const compileConfiguration = (compilable: Compilable, tools: CompileTools): Snapshot =>
  runAtOnce(new ConfigurationCompiler(tools).steps(compilable))

/**
 * Compiles one configuration after the other. Of the one before it takes over every part that depends on nothing that
 * has changed, with its connections.
 */
export class ConfigurationCompiler {
  readonly #tools: CompileTools
  #inForce: CompiledConfiguration | undefined = undefined
  /** Configurations are compiled one after the other: each begins with the parts of the one before. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(tools: CompileTools) {
    this.#tools = tools
  }

  /**
   * Compiles a configuration, yielding to the event loop every five milliseconds.
   *
   * @param signal Ends compiling with its reason; the configuration before stays in force.
   * @throws Like {@link compileConfiguration}.
   */
  compile(compilable: Compilable, signal?: AbortSignal): Promise<Snapshot> {
    return this.#next(() => this.steps(compilable), signal)
  }

  /**
   * Compiles a configuration as {@link compile} does, and puts nothing in force.
   *
   * @throws Like {@link compileConfiguration}.
   */
  tryOut(compilable: Compilable, signal?: AbortSignal): Promise<void> {
    return this.#next(() => this.#trySteps(compilable), signal)
  }

  /** The same as single steps. The last one puts the snapshot in force; no other configuration may begin before. */
  *steps(compilable: Compilable): Generator<undefined, Snapshot> {
    const { snapshot, commit } = yield* this.#prepare(compilable)
    commit()
    return snapshot
  }

  *#trySteps(compilable: Compilable): Generator<undefined, void> {
    const { discard } = yield* this.#prepare(compilable)
    discard()
  }

  #next<T>(steps: () => Generator<undefined, T>, signal: AbortSignal | undefined): Promise<T> {
    const compiled = this.#last.then(() => {
      signal?.throwIfAborted()
      return runInLongSlices(steps(), signal)
    })
    this.#last = compiled.catch(() => undefined)
    return compiled
  }

  *#prepare({ resources: given, hash, isUpdate = false }: Compilable): Generator<undefined, Prepared> {
    const before = this.#inForce
    const resources = yield* reuseEqual(before?.given, given)
    const derived = new Derived(before?.derived)
    const merged = yield* mergeSteps(resources, derived)
    yield
    const index = new ResourceIndex(merged, before?.index)
    yield
    const traits = yield* listenerTraits(merged, derived)
    const start = { tools: this.#tools, resources: merged, index, derived, traits }
    let basis = basisFor(start, before?.basis)
    let compiled = yield* compilePass(start, basis, basis === before?.basis ? before.pass : undefined)
    if (readsLess(compiled.llmReads, basis.shared.llmReads)) {
      // What is captured of conversations only grows in a compiled part: the rest would be captured for nobody.
      compiled.pass.discard()
      basis = newBasis(start)
      compiled = yield* compilePass(start, basis, undefined)
    }
    const { pass, binds, llmReads } = compiled
    try {
      const snapshot: Snapshot = {
        hash,
        resources: merged,
        binds,
        exchanges: 0,
        collectors: pass.newPart((context) =>
          collectors(attachedFrontends(resources, derived), context, () => gatewayExchange(snapshot)),
        ),
      }
      const commit = (): void => {
        basis.shared.llmReads.join(llmReads)
        const { sessions } = pass
        this.#tools.registry.commit(snapshot, sessions)
        if (!isUpdate) for (const session of sessions) session.reloaded()
        this.#inForce = { given: resources, derived, index, basis, pass }
        derived.seal()
        pass.seal()
      }
      return {
        snapshot,
        commit,
        discard: () => {
          pass.discard()
        },
      }
    } catch (error) {
      pass.discard()
      throw error
    }
  }
}

/** A configuration that has been compiled, and is to be put in force or thrown away. */
interface Prepared {
  readonly snapshot: Snapshot
  readonly commit: () => void
  readonly discard: () => void
}

/** What the next configuration takes over. */
interface CompiledConfiguration {
  readonly given: Resources
  readonly derived: Derived
  readonly index: ResourceIndex
  readonly basis: CompileBasis
  readonly pass: CompilePass
}

/** The resources of a configuration, ready to be compiled. */
interface CompileStart {
  readonly tools: CompileTools
  readonly resources: Resources
  readonly index: ResourceIndex
  readonly derived: Derived
  readonly traits: ReadonlyMap<Listener, ListenerTraits>
}

function* compilePass(
  { tools, resources, index, derived, traits }: CompileStart,
  { shared, connections, attributes, observed }: CompileBasis,
  previous: CompilePass | undefined,
): Generator<undefined, CompiledBinds> {
  const expression = expressions(attributes, functionsOf(shared.resources.functions))
  const pass = new CompilePass({
    ...{ shared, resources: index, expression, derived, previous },
    registry: tools.registry,
  })
  try {
    const { routeGroups } = resources
    const groupCredentials = derived.of('group credentials', '', routeGroups, () =>
      groupCredentialFields(routeGroups),
    )
    const attached = attachedFrontends(resources, derived)
    const binds = new Map<string, CompiledBind>()
    const scope = {
      connections,
      groupCredentials,
      traits: traitsIn(traits),
      tracing: yield* compileTracing(attached, pass),
    }
    for (const bind of resources.binds) binds.set(bind.key, yield* compileBind(bind, scope, pass))
    const { llmReads } = pass
    llmReads.join(observed)
    llmReads.join(
      derived.of('observed', '', [shared, attached], () =>
        observedBy(
          attached.map(({ frontend }) => frontend),
          expression,
        ),
      ),
    )
    return { pass, binds, llmReads }
  } catch (error) {
    pass.discard()
    throw error
  }
}

const traitsIn =
  (traits: ReadonlyMap<Listener, ListenerTraits>) =>
  (listener: Listener): ListenerTraits => {
    const found = traits.get(listener)
    if (!found) throw new TypeError(`listener ${listener.key} is in no bind`)
    return found
  }

interface CompiledBinds {
  readonly pass: CompilePass
  readonly binds: ReadonlyMap<string, CompiledBind>
  /** What the expressions of the whole configuration read. */
  readonly llmReads: LlmContentReads
}

const readsLess = (now: LlmContentReads, captured: LlmContentReads): boolean =>
  (captured.prompt && !now.prompt) || (captured.reply && !now.reply)
