import { type Authority, parseAuthority } from './authority.ts'
import {
  type ConnectionOptions,
  addConnectionOptions,
  isProtectedField,
  noConnectionOptions,
  withoutFields,
} from './connection-options.ts'
import { parseContentLength } from './content-length.ts'
import type { FieldName } from './field-name.ts'
import { parseTokenList } from './field-syntax.ts'
import { type HeadRefusal, headRefusals } from './head-error.ts'
import { readTrailerNames } from './trailers.ts'

/**
 * A request head under construction. It becomes the `RequestHead` itself: one shape for both versions of
 * HTTP, no copy.
 */
export class HeadDraft {
  readonly method: string
  scheme: 'http' | 'https' | undefined = undefined
  protocol: string | undefined = undefined
  host = ''
  port: number | undefined = undefined
  authority = ''
  path = ''
  query = ''
  target = ''
  headers: string[] = []
  contentLength: number | undefined = undefined
  chunked = false
  hasBody = false
  expectsContinue = false
  upgrade: string | undefined = undefined
  trailerNames: readonly string[] = none
  connectionOptions: readonly string[] = none
  /** The authority of the host field or of `:authority`. */
  named: Authority | undefined = undefined
  #connection: ConnectionOptions = noConnectionOptions
  #takesTrailers = false

  constructor(method: string) {
    this.method = method
  }

  setTarget(target: string, path: string, query: string): void {
    this.target = target
    this.path = path
    this.query = query
  }

  setAuthority(authority: Authority): void {
    this.named = authority
    this.host = authority.host
    this.port = authority.port
    this.authority = authority.authority
  }

  /** Handles a field with special rules; returns the refusal if it is invalid. */
  takeSpecial({ name, kind }: FieldName, value: string): HeadRefusal | undefined {
    switch (kind) {
      case 'host':
        return this.#takeHost(value)
      case 'connection': {
        const connection = addConnectionOptions(this.#connection, value)
        if (!connection) return headRefusals.malformed_connection
        this.#connection = connection
        return undefined
      }
      case 'content-length':
        return this.#takeContentLength(name, value)
      case 'transfer-encoding':
        if (this.chunked) return headRefusals.ambiguous_framing
        if (value !== 'chunked' && value.toLowerCase() !== 'chunked')
          return headRefusals.unsupported_transfer_encoding
        this.chunked = true
        return undefined
      case 'confusable':
        return headRefusals.ambiguous_framing
      case 'te':
        return this.#takeTe(value)
      case 'expect':
        if (value.toLowerCase() !== '100-continue') return headRefusals.unsupported_expectation
        this.expectsContinue = true
        return undefined
      case 'upgrade':
        this.upgrade =
          this.upgrade === undefined ? value.toLowerCase() : `${this.upgrade}, ${value.toLowerCase()}`
        return undefined
      case 'trailer': {
        const names = readTrailerNames(value)
        if ('refused' in names) return names
        this.trailerNames = [...this.trailerNames, ...names]
        return undefined
      }
      case 'hop-by-hop':
        return undefined
      default:
        this.headers.push(name, value)
        return undefined
    }
  }

  /** Removes the fields that Connection lists, and an upgrade that it does not list. */
  applyConnection(httpVersion: string): HeadRefusal | undefined {
    const { options, fields } = this.#connection
    this.connectionOptions = options
    if (this.upgrade !== undefined && (httpVersion === '1.0' || !options.includes('upgrade')))
      this.upgrade = undefined
    if (fields.length === 0) return undefined
    if (fields.some(isProtectedField)) return headRefusals.connection_names_protected_field
    this.headers = withoutFields(this.headers, fields)
    return undefined
  }

  #takeHost(value: string): HeadRefusal | undefined {
    if (this.named) return headRefusals.several_hosts
    const authority = parseAuthority(value)
    if (!authority) return headRefusals.malformed_host
    this.setAuthority(authority)
    this.headers.push('host', authority.authority)
    return undefined
  }

  #takeContentLength(name: string, value: string): HeadRefusal | undefined {
    if (this.contentLength !== undefined) return headRefusals.ambiguous_framing
    this.contentLength = parseContentLength(value)
    if (this.contentLength === undefined) return headRefusals.malformed_content_length
    this.headers.push(name, value)
    return undefined
  }

  /** Only `trailers` is forwarded: the codings of TE are for this hop. */
  #takeTe(value: string): HeadRefusal | undefined {
    const acceptsTrailers =
      value === 'trailers' || value.split(',').some((coding) => parseTokenList(coding)?.[0] === 'trailers')
    if (acceptsTrailers && !this.#takesTrailers) this.headers.push('te', 'trailers')
    this.#takesTrailers ||= acceptsTrailers
    return undefined
  }
}

const none: readonly string[] = Object.freeze([])
