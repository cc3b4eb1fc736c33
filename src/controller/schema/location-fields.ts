/**
 * Where in a request a credential is.
 *
 * @module
 */
import type * as File from '../../config/schema/file-types.gen.ts'
import { type FormOf, requiredField } from './field.ts'
import { objectField } from './object-fields.ts'
import { exactlyOneOf } from './validation-rule.ts'
import { celField, httpHeaderNameField, shortStringField } from './value-fields.ts'

const locations = {
  header: objectField('A header.', {
    name: requiredField(httpHeaderNameField('Name of the header.')),
    prefix: shortStringField('What comes before the credential, such as `Bearer `.'),
  }),
  queryParameter: objectField('A parameter of the query.', {
    name: requiredField(shortStringField('Name of the parameter.')),
  }),
  cookie: objectField('A cookie.', { name: requiredField(shortStringField('Name of the cookie.')) }),
}

/** Where a credential is put. */
export const insertLocationField = (description: string) =>
  objectField(description, locations, { rules: [exactlyOneOf('header', 'queryParameter', 'cookie')] })

/** What `insertLocationField` holds. */
export type InsertLocationForm = FormOf<ReturnType<typeof insertLocationField>>

/** Where a credential is read. */
export const extractionLocationField = (description: string) =>
  objectField(
    description,
    { ...locations, expression: celField('An expression that gives the credential.') },
    { rules: [exactlyOneOf('header', 'queryParameter', 'cookie', 'expression')] },
  )

/** What `extractionLocationField` holds. */
export type ExtractionLocationForm = FormOf<ReturnType<typeof extractionLocationField>>

/** A location in the notation of a file. */
export const credentialLocationOf = ({
  header,
  queryParameter,
  cookie,
  expression,
}: ExtractionLocationForm): File.OneCredentialLocation => ({
  ...(header === undefined ? {} : { header: { ...header } }),
  ...(queryParameter === undefined ? {} : { queryParameter: { ...queryParameter } }),
  ...(cookie === undefined ? {} : { cookie: { ...cookie } }),
  ...(expression === undefined ? {} : { expression }),
})
