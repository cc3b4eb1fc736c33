import { hideSecrets, Redaction } from '../../model/trace/redact.ts'
import { redactValue } from '../../model/trace/redact-value.ts'
import type { Hiding } from '../dump/value.ts'
import type { Dumpable } from '../dump.ts'
import { type ChangedField, changedFields, changedSecrets, equalValues } from './compare-values.ts'
import { type ListedResource, listResources } from './list-resources.ts'
import { withoutShared } from './without-shared.ts'

/** A resource by its kind and name. */
export interface ResourceName {
  readonly kind: string
  readonly name: string
}

/** A resource that has other values. */
export interface ChangedResource extends ResourceName {
  readonly fields: readonly ChangedField[]
  /** Changed fields beyond the limit. */
  readonly omittedFields: number
}

/** What differs between two configurations. */
export interface ConfigChanges {
  readonly added: readonly ResourceName[]
  readonly removed: readonly ResourceName[]
  readonly changed: readonly ChangedResource[]
  /** Resources beyond the limit. */
  readonly omitted: number
}

/** Limits, so that the difference of two large configurations is small itself. */
const MAX_RESOURCES = 500
const MAX_FIELDS = 40

/**
 * Compares two configurations, a resource at a time. What it keeps is bounded; the configurations can be released
 * afterwards.
 *
 * @example
 * const diff = new ConfigDiff(before, after)
 * for (const _ of diff.steps()) await pause()
 * diff.changes.added // [{ kind: 'route', name: '…' }]
 */
export class ConfigDiff {
  readonly #before: Dumpable
  readonly #after: Dumpable
  readonly #added: ResourceName[] = []
  readonly #removed: ResourceName[] = []
  readonly #changed: ChangedResource[] = []
  #omitted = 0

  constructor(before: Dumpable, after: Dumpable) {
    this.#before = before
    this.#after = after
  }

  get changes(): ConfigChanges {
    return {
      added: this.#added,
      removed: this.#removed,
      changed: this.#changed,
      omitted: this.#omitted,
    }
  }

  /** Compares; every step takes well under a millisecond for usual resources. */
  *steps(): Generator<undefined> {
    const unmatched = new Map<string, ListedResource>()
    const [left, right] = withoutShared(this.#before.resources, this.#after.resources)
    yield
    for (const one of listResources(left, this.#before.process)) {
      unmatched.set(keyOf(one), one)
      yield
    }
    const [old, current] = [hidingOf(this.#before), hidingOf(this.#after)]
    for (const one of listResources(right, this.#after.process)) {
      const before = unmatched.get(keyOf(one))
      unmatched.delete(keyOf(one))
      // A section without settings is no resource.
      if (before?.value === undefined) this.#add(this.#added, one)
      else if (one.value === undefined) this.#add(this.#removed, before)
      else if (!equalValues(before.value, one.value)) this.#change(before, one, old, current)
      yield
    }
    for (const one of unmatched.values()) {
      this.#add(this.#removed, one)
      yield
    }
  }

  #add(list: ResourceName[], { kind, name, value }: ListedResource): void {
    if (value !== undefined && this.#hasRoom()) list.push({ kind, name })
  }

  #change(before: ListedResource, after: ListedResource, old: Hiding, current: Hiding): void {
    if (!this.#hasRoom()) return
    const fields: ChangedField[] = []
    let omittedFields = 0
    const add = (field: ChangedField): void => {
      if (fields.length < MAX_FIELDS) fields.push(field)
      else omittedFields++
    }
    for (const field of changedFields(shownOf(before, old), shownOf(after, current))) add(field)
    for (const path of changedSecrets(before.value, after.value)) add({ path, old: hidden, new: hidden })
    // Something that is never printed, such as the text of a file.
    if (fields.length === 0) add({ path: '', old: hidden, new: hidden })
    const { kind, name } = after
    this.#changed.push({ kind, name, fields, omittedFields })
  }

  #hasRoom(): boolean {
    const count = this.#added.length + this.#removed.length + this.#changed.length
    if (count >= MAX_RESOURCES) this.#omitted++
    return count < MAX_RESOURCES
  }
}

const hidden = '"<redacted>"'

const keyOf = ({ kind, name }: ListedResource): string => JSON.stringify([kind, name])

const hidingOf = ({ process, secrets = [] }: Dumpable): Hiding => ({
  redaction: new Redaction(process.sensitiveHeaders),
  secrets,
})

/** As `/config_dump` shows it, as plain data. */
const shownOf = (resource: ListedResource, hiding: Hiding): unknown => {
  const json = JSON.stringify(redactValue(resource.print(hiding), hiding.redaction)) as string | undefined
  return json === undefined ? undefined : (JSON.parse(json, readShown(hiding)) as unknown)
}

/**
 * Hides secrets wherever they occur. Dumps list policies as objects of one field each; they are compared by name,
 * whatever their number.
 */
const readShown =
  ({ secrets }: Hiding) =>
  (key: string, value: unknown): unknown => {
    if (typeof value === 'string') return hideSecrets(value, secrets)
    const isList = key === 'inlinePolicies' && Array.isArray(value)
    return isList ? (Object.assign({}, ...(value as readonly object[])) as unknown) : value
  }
