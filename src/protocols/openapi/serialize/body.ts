import { isJsonObject } from '../json/json-object.ts'
import type { BodyPlan, FieldPlan } from './open-api-tool.ts'
import { multipartOf } from './multipart-of.ts'
import { writtenPairs } from './query-of.ts'
import { bytesOf } from './base64-bytes.ts'
import { Unsendable } from './unsendable.ts'
import { textOf } from './written-value.ts'

/** The body of a request: its bytes, and what they are. */
export interface Payload {
  readonly bytes: Buffer
  readonly contentType: string
}

/** Writes the argument `body` as the operation wants it. */
export const payloadOf = (plan: BodyPlan, value: unknown): Payload => {
  const { kind, contentType, fields } = plan
  switch (kind) {
    case 'json':
      return { bytes: Buffer.from(JSON.stringify(value)), contentType }
    case 'text':
      return { bytes: Buffer.from(textOf(value)), contentType }
    case 'binary':
      return { bytes: bytesOf(value, 'body'), contentType }
    case 'form':
      return { bytes: Buffer.from(formOf(fields, fieldsIn(value))), contentType }
    case 'multipart':
      return multipartOf(fields, fieldsIn(value))
  }
}

const fieldsIn = (value: unknown): [string, unknown][] => {
  if (!isJsonObject(value)) throw new Unsendable('body must be an object')
  return Object.entries(value)
}

const formOf = (plans: ReadonlyMap<string, FieldPlan>, fields: readonly [string, unknown][]): string =>
  fields
    .flatMap(([name, value]) => {
      const plan = plans.get(name)?.style ?? {
        ...repeated,
        name,
        argument: name,
        isJson: isJsonObject(value),
      }
      return writtenPairs(plan, value, escape)
    })
    .join('&')

const repeated = { style: 'form', explode: true, allowReserved: false } as const

/** As browsers write forms, where a plus is a space. */
const escape = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
