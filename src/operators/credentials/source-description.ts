import type { CredentialSource } from './credential-source.ts'

/** Describes the location of a credential in a refusal. Empty for `Authorization` alone, the usual location. */
export const sourceDescription = (source: CredentialSource): string => {
  if (source.kind === 'header' && source.name === 'authorization') return ''
  const locations = source.kind === 'several' ? source.sources.map(locationOf) : [locationOf(source)]
  const [last = '', ...before] = locations.reverse()
  return ` in ${before.length ? `${before.reverse().join(', ')} or ${last}` : last}`
}

const locationOf = (source: CredentialSource): string => {
  switch (source.kind) {
    case 'header':
      return source.name === 'authorization' ? 'Authorization' : source.name
    case 'queryParameter':
      return `?${source.name}=`
    case 'cookie':
      return `the cookie ${source.name}`
    default:
      return 'what an expression gives'
  }
}
