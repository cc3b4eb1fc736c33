import type { JsonObject } from '../../json/json-object.ts'
import { jsonObjectIn } from '../../json/json-object.ts'
import { BadReply, BadRequest } from '../chat/codec.ts'

/** Takes values for what they have to be, and names the field where they are not. Null counts as absent. */
export interface Shapes {
  text(value: unknown, field: string): string
  /** A text that is not empty, such as a name. */
  word(value: unknown, field: string): string
  object(value: unknown, field: string): JsonObject
  list(value: unknown, field: string): readonly unknown[]
  optionalText(value: unknown, field: string): string | undefined
  optionalNumber(value: unknown, field: string): number | undefined
  optionalFlag(value: unknown, field: string): boolean | undefined
  optionalObject(value: unknown, field: string): JsonObject | undefined
  optionalList(value: unknown, field: string): readonly unknown[]
}

const shapes = (Bad: new (message: string) => Error): Shapes => {
  const text = (value: unknown, field: string): string => {
    if (typeof value !== 'string') throw new Bad(`${field} must be a string`)
    return value
  }
  const object = (value: unknown, field: string): JsonObject => {
    const found = jsonObjectIn(value)
    if (!found) throw new Bad(`${field} must be an object`)
    return found
  }
  const list = (value: unknown, field: string): readonly unknown[] => {
    if (!Array.isArray(value)) throw new Bad(`${field} must be an array`)
    return value
  }
  return {
    text,
    word: (value, field) => {
      if (text(value, field) === '') throw new Bad(`${field} must not be empty`)
      return value as string
    },
    object,
    list,
    optionalText: (value, field) => (isAbsent(value) ? undefined : text(value, field)),
    optionalNumber: (value, field) => {
      if (isAbsent(value)) return undefined
      if (typeof value !== 'number') throw new Bad(`${field} must be a number`)
      return value
    },
    optionalFlag: (value, field) => {
      if (isAbsent(value)) return undefined
      if (typeof value !== 'boolean') throw new Bad(`${field} must be true or false`)
      return value
    },
    optionalObject: (value, field) => (isAbsent(value) ? undefined : object(value, field)),
    optionalList: (value, field) => (isAbsent(value) ? [] : list(value, field)),
  }
}

/** Whether a field says nothing. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

/** For what a client wrote: throws `BadRequest`. */
export const asked: Shapes = shapes(BadRequest)

/** For what a provider wrote: throws `BadReply`. */
export const told: Shapes = shapes(BadReply)
