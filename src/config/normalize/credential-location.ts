import type { CredentialLocation, CredentialField } from '../../model/policies/credential-location.ts'

interface CredentialFieldInFile {
  readonly header?: { readonly name: string; readonly prefix?: string }
  readonly queryParameter?: { readonly name: string }
  readonly cookie?: { readonly name: string }
}

interface LocationInFile extends CredentialFieldInFile {
  readonly expression?: string
}

/** The location of a credential in requests: one, or several. */
export function credentialLocation(location: LocationInFile | readonly LocationInFile[]): CredentialLocation {
  if (!isList(location)) return oneLocation(location)
  const [first, ...more] = location
  return first && more.length === 0
    ? oneLocation(first)
    : { kind: 'several', locations: location.map(oneLocation) }
}

/** `Array.isArray` does not narrow readonly lists. */
const isList = (
  location: LocationInFile | readonly LocationInFile[],
): location is readonly LocationInFile[] => Array.isArray(location)

function oneLocation(location: LocationInFile): CredentialLocation {
  if (location.expression !== undefined) return { kind: 'expression', expression: location.expression }
  return normalizeCredentialLocation(location)
}

/** The location at which a credential is put. */
export function normalizeCredentialLocation({
  header,
  queryParameter,
  cookie,
}: CredentialFieldInFile): CredentialField {
  if (header !== undefined) {
    const name = header.name.toLowerCase()
    return { kind: 'header', name, ...(header.prefix === undefined ? {} : { prefix: header.prefix }) }
  }
  if (queryParameter !== undefined) return { kind: 'queryParameter', name: queryParameter.name }
  if (cookie !== undefined) return { kind: 'cookie', name: cookie.name }
  throw new TypeError('a location without a kind; the checks should have refused it')
}
