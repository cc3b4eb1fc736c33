import { host, parseHostPort } from './address.ts'
import type { FormatCheck } from './format-check.ts'

/** A name that becomes a segment of a path or a part of a query: it must not contain delimiters. */
export const cloudName: FormatCheck = (text) =>
  /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(text)
    ? undefined
    : {
        expectation: 'must be letters, digits, ".", "_", ":" and "-", since it becomes a part of an address',
      }

/** A region or location: it becomes a part of a host name. */
export const cloudRegion: FormatCheck = (text) =>
  /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text) && text.length <= 63
    ? undefined
    : { expectation: 'must be a region such as us-east-1: it becomes a part of a host name' }

/** The identifier of a Bedrock guardrail: its id, or its ARN. */
export const guardrailId: FormatCheck = (text) =>
  /^(?:[a-z0-9]{1,64}|arn:aws(?:-[a-z0-9-]{1,32})?:bedrock:[a-z0-9-]{1,20}:\d{12}:guardrail\/[a-z0-9]{1,64})$/.test(
    text,
  )
    ? undefined
    : { expectation: 'must be the id of a guardrail, lower-case letters and digits, or its ARN' }

/** The ARN of an Amazon Bedrock AgentCore runtime; its region becomes a part of a host name. */
export const agentRuntimeArn: FormatCheck = (text) =>
  /^arn:aws(?:-[a-z0-9-]{1,32})?:bedrock-agentcore:[a-z0-9]+(?:-[a-z0-9]+)*:\d{12}:runtime\/[A-Za-z0-9_-]{1,128}$/.test(
    text,
  )
    ? undefined
    : {
        expectation:
          'must be the ARN of a runtime, such as arn:aws:bedrock-agentcore:us-west-2:123456789012:runtime/agent-0123456789',
      }

/** The version of a Bedrock guardrail. */
export const guardrailVersion: FormatCheck = (text) =>
  /^(?:[1-9]\d{0,7}|DRAFT)$/.test(text)
    ? undefined
    : { expectation: 'must be the version of a guardrail: a number such as 1, or DRAFT' }

/** A host with or without a port, or a URL without a path. */
export const serviceEndpoint: FormatCheck = (text) =>
  parseEndpoint(text) === undefined
    ? {
        expectation:
          'must be a host such as name.cognitiveservices.azure.com, or https:// before it, without a path',
      }
    : undefined

/** The address of a service, and whether the connection is encrypted. */
export interface CloudEndpoint {
  readonly host: string
  readonly port: number
  readonly isEncrypted: boolean
}

/** Parses such an endpoint. Without a scheme it is `https`. */
export function parseEndpoint(text: string): CloudEndpoint | undefined {
  const parts = /^(?:(https?):\/\/)?([^/?#@]+)\/?$/i.exec(text)
  if (parts === null) return undefined
  const isEncrypted = parts[1]?.toLowerCase() !== 'http'
  const authority = parts[2] ?? ''
  const address =
    parseHostPort(authority) ?? (host(authority) === undefined ? { host: authority, port: 0 } : undefined)
  if (address === undefined || (address.port === 0 && authority.endsWith(':0'))) return undefined
  return {
    host: address.host,
    port: address.port === 0 ? (isEncrypted ? 443 : 80) : address.port,
    isEncrypted,
  }
}
