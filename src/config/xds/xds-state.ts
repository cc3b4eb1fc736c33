import { createHash } from 'node:crypto'
import { redactText } from '../../model/trace/redact.ts'
import type { ReceivedResource, RefusedResource, XdsDelta } from '../../protocols/xds/delta.ts'
import { ConfigError } from '../errors.ts'
import type { SharedSettings } from '../normalize/context.ts'
import { checkResource } from './check-resource.ts'
import { type NormalResource, normalResource } from './normal-resource.ts'
import { isXdsKind, type XdsDocument } from './xds-document.ts'
import { type XdsResource, xdsName } from './xds-resource.ts'

/** A resource that is in force. */
export interface AcceptedResource {
  readonly resource: XdsResource
  readonly normal: NormalResource
  readonly document: XdsDocument
}

/** The resources of a control plane, checked and normalised one by one. A resource that stays keeps its normal form. */
export class XdsState {
  #accepted: ReadonlyMap<string, AcceptedResource> = new Map()
  readonly #digest = new SetDigest()
  #shared: SharedSettings

  constructor(shared: SharedSettings) {
    this.#shared = shared
  }

  /** By name, in the order of their names. A change makes a new map. */
  get accepted(): ReadonlyMap<string, AcceptedResource> {
    return this.#accepted
  }

  /** Equal for equal names and versions. */
  get digest(): string {
    return this.#digest.text
  }

  /** Applies what is valid, and returns the rest. */
  apply({ resources, removed }: XdsDelta): readonly RefusedResource[] {
    const next = new Map(this.#accepted)
    const refused: RefusedResource[] = []
    const added: string[] = []
    const replace = (name: string, accepted: AcceptedResource | undefined) => {
      const before = next.get(name)
      if (before) this.#digest.toggle(`${name} ${before.resource.version}`)
      if (accepted) {
        this.#digest.toggle(`${name} ${accepted.resource.version}`)
        next.set(name, accepted)
        if (!before) added.push(name)
      } else next.delete(name)
    }
    for (const name of removed) replace(name, undefined)
    for (const received of resources) {
      try {
        replace(received.name, this.#accept(received))
      } catch (error) {
        refused.push({ name: received.name, problem: problemOf(received.name, error) })
      }
    }
    // Nearly sorted already, which costs one comparison a name.
    this.#accepted = added.length > 0 ? new Map([...next].sort(([a], [b]) => (a < b ? -1 : 1))) : next
    return refused
  }

  /** Normalises everything again if the settings differ from those before. */
  use(shared: SharedSettings): void {
    if (JSON.stringify(shared) === JSON.stringify(this.#shared)) return
    this.#shared = shared
    this.#accepted = new Map(
      [...this.#accepted].map(([name, { resource, document }]) => [
        name,
        { resource, document, normal: normalResource(resource, document, shared) },
      ]),
    )
  }

  #accept(received: ReceivedResource): AcceptedResource {
    const { name, kind, key, parents, version } = received
    if (!isXdsKind(kind)) throw problem(name, 'its kind is not known')
    if (name !== xdsName(received)) throw problem(name, `its name must be ${kind}/${key}`)
    const model = parsed(name, received.model)
    const document = checkResource(kind, key, model)
    const resource = { kind, key, parents, version, model } as XdsResource // checked
    return { resource, document, normal: normalResource(resource, document, this.#shared) }
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

/** A digest of a set of texts, which changes with each text in constant time. */
class SetDigest {
  readonly #sum = Buffer.alloc(16)

  /** Adds a text that is not in the set, or removes one that is. */
  toggle(text: string): void {
    const hash = createHash('sha256').update(text).digest()
    for (let i = 0; i < this.#sum.length; i++) this.#sum[i] = (this.#sum[i] ?? 0) ^ (hash[i] ?? 0)
  }

  get text(): string {
    return this.#sum.toString('hex')
  }
}
