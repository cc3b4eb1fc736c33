import { isJsonObject } from '../../json/json-object.ts'
import type { BodyPlan, FieldPlan } from '../open-api-tool.ts'
import { InvalidArgument } from './invalid-argument.ts'
import { multipartOf, type Payload } from './multipart.ts'
import { writtenPairs } from './query.ts'
import { bytesOf, valueText } from './value.ts'

/** Serialises the argument `body` for the operation. */
export const bodyPayload = (plan: BodyPlan, value: unknown): Payload => {
  const { kind, contentType, fields } = plan
  switch (kind) {
    case 'json':
      return { bytes: Buffer.from(JSON.stringify(value)), contentType }
    case 'text':
      return { bytes: Buffer.from(valueText(value)), contentType }
    case 'binary':
      return { bytes: bytesOf(value, 'body'), contentType }
    case 'form':
      return { bytes: Buffer.from(encodeForm(fields, fieldsIn(value))), contentType }
    case 'multipart':
      return multipartOf(fields, fieldsIn(value))
  }
}

const fieldsIn = (value: unknown): [string, unknown][] => {
  if (!isJsonObject(value)) throw new InvalidArgument('body must be an object')
  return Object.entries(value)
}

const encodeForm = (plans: ReadonlyMap<string, FieldPlan>, fields: readonly [string, unknown][]): string =>
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

/** As browsers encode forms, where a plus is a space. */
const escape = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
