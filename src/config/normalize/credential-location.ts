import type { CredentialLocation, CredentialPlace } from '../../model/credential-location.ts'

interface PlaceInFile {
  readonly header?: { readonly name: string; readonly prefix?: string }
  readonly queryParameter?: { readonly name: string }
  readonly cookie?: { readonly name: string }
}

interface LocationInFile extends PlaceInFile {
  readonly expression?: string
}

/** Where a credential is looked for. */
export function credentialLocation(location: LocationInFile): CredentialLocation {
  if (location.expression !== undefined) return { kind: 'expression', expression: location.expression }
  return credentialPlace(location)
}

/** Where a credential is put. */
export function credentialPlace({ header, queryParameter, cookie }: PlaceInFile): CredentialPlace {
  if (header !== undefined) {
    const name = header.name.toLowerCase()
    return { kind: 'header', name, ...(header.prefix === undefined ? {} : { prefix: header.prefix }) }
  }
  if (queryParameter !== undefined) return { kind: 'queryParameter', name: queryParameter.name }
  if (cookie !== undefined) return { kind: 'cookie', name: cookie.name }
  throw new TypeError('a place without a kind; the checks should have refused it')
}
