/**
 * Fields of values that many policies have: text of a size, durations, expressions, names, addresses.
 *
 * @module
 */
import type { SchemaField, FieldOptions } from './field.ts'
import { integerField, intOrStringField, enumField, stringField } from './scalar-fields.ts'
import { type ValidationRule, validationRule } from './validation-rule.ts'

/** 1 to 64 characters. */
export const tinyStringField = (
  description: string,
  options: FieldOptions<string> = {},
): SchemaField<string> => stringField(description, { minLength: 1, maxLength: 64, ...options })

/** 1 to 256 characters. */
export const shortStringField = (
  description: string,
  options: FieldOptions<string> = {},
): SchemaField<string> => stringField(description, { minLength: 1, maxLength: 256, ...options })

/** 1 to 1024 characters. */
export const longStringField = (
  description: string,
  options: FieldOptions<string> = {},
): SchemaField<string> => stringField(description, { minLength: 1, maxLength: 1024, ...options })

/** A duration such as `1m30s`, with the shortest one that is allowed. */
export const durationTextField = (
  description: string,
  { minimum, ...options }: FieldOptions<string> & { readonly minimum?: string } = {},
): SchemaField<string> =>
  stringField(description, {
    maxLength: 32,
    pattern: '^([0-9]{1,5}(h|m|s|ms)){1,4}$',
    ...options,
    rules: [...(minimum === undefined ? [] : [atLeast(minimum)]), ...(options.rules ?? [])],
  })

/** An expression of CEL. The control plane reports those that cannot be parsed. */
export const celField = (description: string, options: FieldOptions<string> = {}): SchemaField<string> =>
  stringField(description, { minLength: 1, maxLength: 16_384, ...options })

/** A number of bytes, as integer or quantity: `65536`, `64Ki`. */
export const byteSizeField = (
  description: string,
  options: FieldOptions<number | string> = {},
): SchemaField<number | string> =>
  intOrStringField(description, {
    pattern: QUANTITY,
    maxLength: 32,
    ...options,
    rules: [
      validationRule(
        'must be from 1 to 4294967295 bytes',
        // Of a quantity that is text, more than nothing is a byte at least, and too much is the most.
        "type(self) == int ? (self >= 1 && self <= 4294967295) : self.matches('^[+]?[0-9.]*[1-9]')",
      ),
      ...(options.rules ?? []),
    ],
  })

/** An absolute URL of HTTP, without user, query and fragment. */
export const urlField = (description: string, options: FieldOptions<string> = {}): SchemaField<string> =>
  stringField(description, {
    minLength: 1,
    maxLength: 1024,
    pattern: '^https?://[^/?#@]+(/[^?#]*)?$',
    ...options,
  })

/** The name of a header, or a pseudo header of HTTP/2. */
export const headerNameField = (description: string): SchemaField<string> =>
  stringField(description, {
    minLength: 1,
    maxLength: 256,
    pattern: `^:?${TOKEN}$`,
    rules: [
      validationRule(
        'pseudo headers are :authority, :method, :path, :scheme and :status',
        "!self.startsWith(':') || self in [':authority', ':method', ':path', ':scheme', ':status']",
      ),
    ],
  })

/** The name of a header; pseudo headers are none. */
export const httpHeaderNameField = (description: string): SchemaField<string> =>
  stringField(description, { minLength: 1, maxLength: 256, pattern: `^${TOKEN}$` })

/** A DNS name, for SNI; the first label may be `*`. */
export const sniField = (description: string): SchemaField<string> =>
  stringField(description, {
    minLength: 1,
    maxLength: 253,
    pattern: String.raw`^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
  })

/** Whether a request fails that a policy could not decide on. */
export const failureModeField = (description: string): SchemaField<'FailClosed' | 'FailOpen'> =>
  enumField(description, ['FailClosed', 'FailOpen'])

/** A port. */
export const portField = (description: string): SchemaField<number> =>
  integerField(description, { minimum: 1, maximum: 65_535 })

/** A duration of the Gateway API (GEP-2257). */
export const gatewayDurationField = (description: string): SchemaField<string> =>
  stringField(description, { maxLength: 24, pattern: '^([0-9]{1,5}(h|m|s|ms)){1,4}$' })

const atLeast = (minimum: string): ValidationRule =>
  validationRule(`must be at least ${minimum}`, `duration(self) >= duration('${minimum}')`)

const TOKEN = String.raw`[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+`

const QUANTITY = String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`
