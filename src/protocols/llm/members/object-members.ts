import type { JsonObject } from '../../json/json-object.ts'
import type { Members } from './members.ts'

/** The fields of an object in memory. Changes that object, but not its values. */
export class ObjectMembers implements Members {
  readonly object: JsonObject

  constructor(object: JsonObject) {
    this.object = object
  }

  has(name: string): boolean {
    return Object.hasOwn(this.object, name)
  }

  get(name: string): unknown {
    return this.has(name) ? this.object[name] : undefined
  }

  /** `undefined` deletes the field. */
  set(name: string, value: unknown): void {
    if (value === undefined) this.delete(name)
    else if (name === '__proto__')
      Object.defineProperty(this.object, name, {
        value,
        configurable: true,
        enumerable: true,
        writable: true,
      })
    else this.object[name] = value
  }

  delete(name: string): void {
    Reflect.deleteProperty(this.object, name)
  }

  /** Replaces a field that already has the new name. */
  rename(from: string, to: string): void {
    if (from === to || !this.has(from)) return
    const value = this.get(from)
    this.delete(from)
    this.set(to, value)
  }
}
