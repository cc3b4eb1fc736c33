import { isFieldValue } from '../http/field-syntax.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { formFieldsOf } from './form-schema.ts'
import { ConversionError } from './conversion-error.ts'
import type { ArgumentGroup } from './input-schema.ts'
import type { BodyPlan } from './open-api-tool.ts'
import type { Operation } from './operations.ts'
import { own } from './own-property.ts'
import type { References } from './references.ts'
import type { SchemaPool } from './schema-pool.ts'

/** The body of an operation's requests: the argument, and how it is serialised. */
export interface RequestBody {
  readonly group: ArgumentGroup
  readonly plan: BodyPlan
}

/** Chooses one of the media types of an operation; undefined if its requests have no body. */
export const bodyOf = (
  { method, source }: Operation,
  references: References,
  pool: SchemaPool,
): RequestBody | undefined => {
  const body = references.follow(own(source, 'requestBody'))
  if (body === undefined) return undefined
  const content = isJsonObject(body) ? own(body, 'content') : undefined
  if (!isJsonObject(body) || !isJsonObject(content)) throw new ConversionError('has a body without `content`')
  // The body of a GET has no general meaning (RFC 9110 §9.3.1): it is used only if it is required.
  if ((method === 'GET' || method === 'HEAD') && body.required !== true) return undefined
  const offers = Object.entries(content).map(([type, media]) => ({
    type,
    kind: isAnything(type) ? kindOfAnything(media, references) : kindOf(type),
    media,
  }))
  const [chosen] = offers.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  if (!chosen) return undefined
  const { type, kind } = chosen
  if (!isFieldValue(type)) throw new ConversionError('has a body whose media type is none')
  const media = references.follow(chosen.media)
  const group = {
    name: 'body',
    isRequired: body.required === true,
    ...argument(kind, type, isJsonObject(media) ? media : {}, references, pool),
  }
  return { group, plan: group.plan }
}

type Kind = BodyPlan['kind']

/** The most expressive first: types, then names, then text, then bytes. */
const order: readonly Kind[] = ['json', 'multipart', 'form', 'text', 'binary']

const isAnything = (type: string): boolean => /^(\*|application)\/\*/.test(type)

/** Frameworks declare any media type and mean JSON; a schema of bytes means bytes. */
const kindOfAnything = (media: unknown, references: References): Kind => {
  const schema = isJsonObject(media) ? references.follow(own(media, 'schema')) : undefined
  return isJsonObject(schema) && schema.format === 'binary' ? 'binary' : 'json'
}

const kindOf = (type: string): Kind => {
  const essence = (type.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (/^[^/]+\/(.+\+)?json$/.test(essence)) return 'json'
  if (essence === 'multipart/form-data') return 'multipart'
  if (essence === 'application/x-www-form-urlencoded') return 'form'
  return /^text\/|[/+](xml|yaml|x-yaml|jsonl|x-ndjson|graphql|javascript|sql)$/.test(essence)
    ? 'text'
    : 'binary'
}

const argument = (
  kind: Kind,
  type: string,
  media: JsonObject,
  references: References,
  pool: SchemaPool,
): Pick<ArgumentGroup, 'schema' | 'parts'> & { readonly plan: BodyPlan } => {
  const contentType = type.includes('*') ? (kind === 'json' ? 'application/json' : 'text/plain') : type
  const plan = { kind, contentType, fields: new Map() }
  if (kind === 'text') return { plan, parts: [], schema: { type: 'string', description: `As ${type}.` } }
  if (kind === 'binary') {
    const description = `The bytes (${type}) in base64.`
    return {
      plan: { ...plan, contentType: type.includes('*') ? 'application/octet-stream' : type },
      parts: [],
      schema: { type: 'string', contentEncoding: 'base64', description },
    }
  }
  if (kind === 'json') {
    const converted = pool.convert(own(media, 'schema'))
    return { plan, parts: [converted], schema: converted.schema }
  }
  const { fields, parts, schema } = formFieldsOf(media, kind === 'multipart', references, pool)
  return { plan: { ...plan, fields }, parts, schema }
}
