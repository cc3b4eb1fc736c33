import type { CredentialSource } from './credential-source.ts'

/** Describes the location of a credential in a refusal. Empty for `Authorization` alone, the usual location. */
export const sourceDescription = (source: CredentialSource): string => {
  if (source.kind === 'header' && source.name === 'authorization') return ''
  const places = source.kind === 'several' ? source.sources.map(placeOf) : [placeOf(source)]
  const [last = '', ...before] = places.reverse()
  return ` in ${before.length ? `${before.reverse().join(', ')} or ${last}` : last}`
}

const placeOf = (source: CredentialSource): string => {
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
