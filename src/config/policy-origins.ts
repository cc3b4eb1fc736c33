import type { Origin } from '../model/resources/origin.ts'
import type { ConfigDocument } from './document/document.ts'
import { child } from './document/json-pointer.ts'
import { mergedFrom } from './merge-levels.ts'
import type { OriginRecorder } from './normalize/context.ts'

/**
 * Where the policies of a configuration are written. Kept apart from the resources, and recorded on request only:
 * a gateway needs neither the positions nor the document.
 *
 * @example
 * const origins = new PolicyOrigins()
 * const { resources } = parseConfig(text, 'gateway.yaml', env, files, origins)
 * origins.of(resources.binds[0].listeners[0].policies.cors) // [{ path: 'gateways.default.cors', line: 4, column: 5 }]
 */
export class PolicyOrigins implements OriginRecorder {
  readonly #origins = new WeakMap<object, Origin>()
  #document: ConfigDocument | undefined = undefined
  #pointers: WeakMap<object, string> | undefined = undefined

  /**
   * Records the normal form of one policy.
   *
   * @param container The part of the document that has the policy as a field.
   */
  record(document: ConfigDocument, container: object, name: string, policy: unknown): void {
    if (typeof policy !== 'object' || policy === null) return
    const pointer = this.#pointersOf(document).get(container)
    if (pointer === undefined) return
    const field = child(pointer, name)
    this.#origins.set(policy, { path: document.display(field), ...document.keyAt(field) })
  }

  /** Where a policy is written, outer levels first; several if levels were merged, none if it is a default. */
  of(policy: unknown): readonly Origin[] {
    if (typeof policy !== 'object' || policy === null) return []
    const own = this.#origins.get(policy)
    return own ? [own] : (mergedFrom(policy)?.flatMap((part) => this.of(part)) ?? [])
  }

  #pointersOf(document: ConfigDocument): WeakMap<object, string> {
    if (this.#document !== document || !this.#pointers) {
      this.#document = document
      this.#pointers = new WeakMap()
      addPointers(document.value, '', this.#pointers)
    }
    return this.#pointers
  }
}

const addPointers = (value: unknown, pointer: string, into: WeakMap<object, string>): void => {
  if (typeof value !== 'object' || value === null) return
  into.set(value, pointer)
  if (Array.isArray(value)) value.forEach((item, index) => addPointers(item, child(pointer, index), into))
  else for (const [key, field] of Object.entries(value)) addPointers(field, child(pointer, key), into)
}
