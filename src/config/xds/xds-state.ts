import { hash } from 'node:crypto'
import { sortSteps } from '../../model/event-loop/sort-steps.ts'
import { SerialSteps } from '../../model/event-loop/serial-steps.ts'
import { runAtOnce } from '../../model/event-loop/time-slicing.ts'
import { redactText } from '../../model/trace/redact.ts'
import type { ReceivedResource, RefusedResource, XdsDelta } from '../../protocols/xds/delta.ts'
import { ConfigError, warningText } from '../errors.ts'
import type { SharedSettings } from '../normalize/context.ts'
import type { AcceptedResource } from './accepted-resource.ts'
import { type AcceptedChange, type AssembledResources, ResourceAssembly } from './assemble.ts'
import { checkResource, sentDocument } from './check-resource.ts'
import { normalResource } from './normal-resource.ts'
import { compareNames, type NamedChange } from './sorted-by-name.ts'
import { isXdsKind } from './xds-document.ts'
import { type XdsResource, xdsName } from './xds-resource.ts'

/** A delta whose resources have been checked one by one. */
export interface CheckedDelta {
  /** In the order of the names. */
  readonly changes: readonly NamedChange<AcceptedResource>[]
  readonly refused: readonly RefusedResource[]
  readonly warnings: readonly ResourceWarning[]
}

/** What is allowed in a resource, and hardly meant. */
export interface ResourceWarning {
  /** The name of the resource. */
  readonly name: string
  readonly warning: string
}

/**
 * The resources of a control plane, checked and normalised one by one. A resource that stays keeps its normal form.
 * There may be thousands: changes take as many turns of the event loop as they need, one after the other.
 */
export class XdsState {
  readonly #accepted = new Map<string, AcceptedResource>()
  readonly #assembly = new ResourceAssembly()
  readonly #digest = new SetDigest()
  readonly #work = new SerialSteps()
  #shared: SharedSettings

  constructor(shared: SharedSettings) {
    this.#shared = shared
  }

  /** Number of resources. */
  get size(): number {
    return this.#accepted.size
  }

  /** The name and the version of each resource. */
  get versions(): readonly { readonly name: string; readonly version: string }[] {
    return Array.from(this.#accepted.values(), ({ name, version }) => ({ name, version }))
  }

  /** Equal for equal names and versions. */
  get digest(): string {
    return this.#digest.text
  }

  /** The names of the binds that a port is made of. */
  bindsAt(key: string): readonly string[] {
    return this.#assembly.bindsAt(key)
  }

  /** All resources, in the form of a configuration. */
  assemble(): AssembledResources {
    return this.#assembly.assemble()
  }

  /** Checks a delta, a resource a step. The state stays as it is: a delta is applied as a whole. */
  *check({ resources, removed }: XdsDelta): Generator<undefined, CheckedDelta> {
    const refused: RefusedResource[] = []
    const warnings: ResourceWarning[] = []
    const changes = new Map<string, NamedChange<AcceptedResource>>()
    for (const name of removed) changes.set(name, { name, after: undefined })
    for (const received of resources) {
      const { name } = received
      try {
        changes.set(name, { name, after: this.#accept(received, warnings) })
      } catch (error) {
        refused.push({ name, problem: problemOf(name, error) })
      }
      yield
    }
    return { changes: yield* sortSteps([...changes.values()], compareNames), refused, warnings }
  }

  /**
   * Applies changes that have been checked. Resolves with those that take them back.
   *
   * @param changes In the order of the names.
   */
  commit(
    changes: readonly NamedChange<AcceptedResource>[],
  ): Promise<readonly NamedChange<AcceptedResource>[]> {
    return this.#work.run(() => this.#commit(changes))
  }

  /** Applies what passes the checks at once, and returns the rest: for few resources. */
  apply(delta: XdsDelta): readonly RefusedResource[] {
    const { changes, refused } = runAtOnce(this.check(delta))
    runAtOnce(this.#commit(changes))
    return refused
  }

  /** Reads while no change is half applied, by the settings of a file. If these are new, everything is normalised again. */
  read<T>(shared: SharedSettings, read: () => T): Promise<T> {
    return this.#work.run(() => this.#read(shared, read))
  }

  *#read<T>(shared: SharedSettings, read: () => T): Generator<undefined, T> {
    if (shared !== this.#shared && JSON.stringify(shared) !== JSON.stringify(this.#shared)) {
      this.#shared = shared
      const all = yield* sortSteps([...this.#accepted.values()], compareNames)
      yield* this.#commit(all.map((after) => ({ name: after.name, after })))
    }
    return read()
  }

  *#commit(
    changes: readonly NamedChange<AcceptedResource>[],
  ): Generator<undefined, readonly NamedChange<AcceptedResource>[]> {
    // Nothing has changed yet when a resource cannot be normalised.
    const real: AcceptedChange[] = []
    for (const { name, after: given } of changes) {
      const after = given && this.#current(given)
      const before = this.#accepted.get(name)
      if (before || after) real.push({ name, before, after })
      yield
    }
    for (const { name, before, after } of real) {
      if (before) this.#digest.toggle(digestOf(before))
      if (after) {
        this.#digest.toggle(digestOf(after))
        this.#accepted.set(name, after)
      } else this.#accepted.delete(name)
      yield
    }
    yield* this.#assembly.update(real)
    return real.map(({ name, before }) => ({ name, after: before }))
  }

  /** A file that was read again meanwhile may have other settings. */
  #current(accepted: AcceptedResource): AcceptedResource {
    const shared = this.#shared
    if (accepted.shared === shared) return accepted
    const { name, kind, key, model: text } = accepted
    const model = parsed(name, text)
    const resource = { ...accepted, model } as XdsResource // checked when it was accepted
    return { ...accepted, shared, normal: normalResource(resource, sentDocument(kind, key, model), shared) }
  }

  #accept(received: ReceivedResource, warnings: ResourceWarning[]): AcceptedResource {
    const { name, kind, key, parents, version } = received
    if (!isXdsKind(kind)) throw problem(name, 'its kind is not known')
    if (name !== xdsName(received)) throw problem(name, `its name must be ${kind}/${key}`)
    const model = parsed(name, received.model)
    const { document, warnings: found } = checkResource(kind, key, model)
    const resource = { kind, key, parents, version, model } as XdsResource // checked
    const shared = this.#shared
    const normal = normalResource(resource, document, shared)
    warnings.push(...found.map((one) => ({ name, warning: warningText(one) })))
    // Without a spread: its objects take more memory, and there may be ten thousand.
    return { name, version, kind, key, parents, model: received.model, shared, normal }
  }
}

/** A resource that passed the checks and cannot be normalised is refused all the same: others must not suffer. */
const problemOf = (name: string, error: unknown): string => {
  if (error instanceof ConfigError) return error.message
  return `${name}: ${redactText(error instanceof Error ? error.message : String(error))}`
}

const parsed = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw problem(name, 'its model is not JSON')
  }
}

const problem = (name: string, expectation: string): ConfigError =>
  new ConfigError([{ file: name, line: 0, column: 0, pointer: '', path: '', expectation }])

const DIGEST_WORDS = 4

/** Made by `hash`: an object of `createHash` is freed by a callback, and thousands of those stall requests. */
const digestOf = ({ name, version }: AcceptedResource): readonly number[] => {
  const hex = hash('sha256', `${name} ${version}`)
  return Array.from({ length: DIGEST_WORDS }, (_, i) => Number.parseInt(hex.slice(i * 8, i * 8 + 8), 16))
}

/** A digest of a set of digests, which changes with each in constant time. */
class SetDigest {
  readonly #sum = new Int32Array(DIGEST_WORDS)

  /** Adds one that is not in the set, or removes one that is. */
  toggle(digest: readonly number[]): void {
    for (let i = 0; i < DIGEST_WORDS; i++) this.#sum[i] = (this.#sum[i] ?? 0) ^ (digest[i] ?? 0)
  }

  get text(): string {
    return Buffer.from(this.#sum.buffer).toString('hex')
  }
}
