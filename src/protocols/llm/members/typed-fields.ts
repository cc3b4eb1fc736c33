import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import { BadReply, BadRequest } from '../chat/codec.ts'

/**
 * Checks the types of values. `at` is the location of a value, such as `messages[2].content`. Null counts as absent,
 * since several clients send null for unset fields.
 */
export interface Checked {
  object(value: unknown, at: string): JsonObject
  list(value: unknown, at: string): readonly unknown[]
  text(value: unknown, at: string): string
  /** A non-empty text, such as a name. */
  word(value: unknown, at: string): string
  objectIfAny(value: unknown, at: string): JsonObject | undefined
  /** A list; empty if absent. */
  listOrNone(value: unknown, at: string): readonly unknown[]
  textIfAny(value: unknown, at: string): string | undefined
  numberIfAny(value: unknown, at: string): number | undefined
  booleanIfAny(value: unknown, at: string): boolean | undefined
}

/** Whether a field is absent or null. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

/** @param Complaint The error for a value of another type. */
const checking = (Complaint: new (message: string) => Error): Checked => {
  const object = (value: unknown, at: string): JsonObject => {
    const found = jsonObjectIn(value)
    if (!found) throw new Complaint(`${at} must be an object`)
    return found
  }
  const list = (value: unknown, at: string): readonly unknown[] => {
    if (!Array.isArray(value)) throw new Complaint(`${at} must be an array`)
    return value
  }
  const text = (value: unknown, at: string): string => {
    if (typeof value !== 'string') throw new Complaint(`${at} must be a string`)
    return value
  }
  const word = (value: unknown, at: string): string => {
    const found = text(value, at)
    if (found === '') throw new Complaint(`${at} must not be empty`)
    return found
  }
  const number = (value: unknown, at: string): number => {
    // JSON has numbers that are too large for a double, such as 1e999.
    if (typeof value !== 'number' || !Number.isFinite(value)) throw new Complaint(`${at} must be a number`)
    return value
  }
  const boolean = (value: unknown, at: string): boolean => {
    if (typeof value !== 'boolean') throw new Complaint(`${at} must be a boolean`)
    return value
  }
  return {
    object,
    list,
    text,
    word,
    objectIfAny: ifAny(object),
    listOrNone: (value, at) => (isAbsent(value) ? [] : list(value, at)),
    textIfAny: ifAny(text),
    numberIfAny: ifAny(number),
    booleanIfAny: ifAny(boolean),
  }
}

const ifAny =
  <T>(read: (value: unknown, at: string) => T) =>
  (value: unknown, at: string): T | undefined =>
    isAbsent(value) ? undefined : read(value, at)

/** For values of a client: throws `BadRequest`. */
export const requestValues: Checked = checking(BadRequest)

/** For values of a provider: throws `BadReply`. */
export const responseValues: Checked = checking(BadReply)
