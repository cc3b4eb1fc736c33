import { parseHostPort } from './address.ts'
import { host } from './address.ts'
import type { Check } from './complaint.ts'

/** A name that becomes a part of a path or a query: nothing in it can end that part. */
export const cloudName: Check = (text) =>
  /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(text)
    ? undefined
    : {
        expectation: 'must be letters, digits, ".", "_", ":" and "-", since it becomes a part of an address',
      }

/** A region or location: it becomes a part of a host name. */
export const cloudRegion: Check = (text) =>
  /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text) && text.length <= 63
    ? undefined
    : { expectation: 'must be a region such as us-east-1: it becomes a part of a host name' }

/** What identifies a guardrail of Bedrock: its id, or its ARN. */
export const guardrailId: Check = (text) =>
  /^(?:[a-z0-9]{1,64}|arn:aws(?:-[a-z0-9-]{1,32})?:bedrock:[a-z0-9-]{1,20}:\d{12}:guardrail\/[a-z0-9]{1,64})$/.test(
    text,
  )
    ? undefined
    : { expectation: 'must be the id of a guardrail, lower-case letters and digits, or its ARN' }

/** The version of a guardrail of Bedrock. */
export const guardrailVersion: Check = (text) =>
  /^(?:[1-9]\d{0,7}|DRAFT)$/.test(text)
    ? undefined
    : { expectation: 'must be the version of a guardrail: a number such as 1, or DRAFT' }

/** A host with or without a port, or the address of one: there is no path to it. */
export const serviceEndpoint: Check = (text) =>
  parseEndpoint(text) === undefined
    ? {
        expectation:
          'must be a host such as name.cognitiveservices.azure.com, or https:// before it, without a path',
      }
    : undefined

/** Where a service is, and whether what is said to it is encrypted. */
export interface Endpoint {
  readonly host: string
  readonly port: number
  readonly isEncrypted: boolean
}

/** Takes such an endpoint apart. Without a scheme it is `https`. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const parts = /^(?:(https?):\/\/)?([^/?#@]+)\/?$/i.exec(text)
  if (parts === null) return undefined
  const isEncrypted = parts[1]?.toLowerCase() !== 'http'
  const authority = parts[2] ?? ''
  const place =
    parseHostPort(authority) ?? (host(authority) === undefined ? { host: authority, port: 0 } : undefined)
  if (place === undefined || (place.port === 0 && authority.endsWith(':0'))) return undefined
  return { host: place.host, port: place.port === 0 ? (isEncrypted ? 443 : 80) : place.port, isEncrypted }
}
