/** Endpoints and capabilities of an identity provider. */
export interface ProviderMetadata {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly jwks_uri: string
  /** Algorithms that its ID tokens may be signed with: asymmetric ones only. */
  readonly id_token_signing_alg_values_supported: string[]
  /** Whether its authorization responses name the issuer (RFC 9207). */
  readonly authorization_response_iss_parameter_supported?: boolean
}

/** All asymmetric algorithms of RFC 7518 and RFC 8037. */
export const asymmetricAlgorithms: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/**
 * Parses the metadata of a provider (OpenID Connect Discovery 1.0 §3), as far as they are used.
 *
 * @param issuer The expected issuer, compared exactly: metadata of another issuer are an attack, or a mistake.
 * @throws Error with a sentence for the log.
 */
export const readProviderMetadata = (text: string, issuer: string): ProviderMetadata => {
  const document = parse(text)
  if (document.issuer !== issuer)
    throw new Error(`it says that its issuer is ${JSON.stringify(document.issuer)}`)
  const algorithms = document.id_token_signing_alg_values_supported
  const named: readonly unknown[] = Array.isArray(algorithms) ? algorithms : ['RS256']
  const usable = asymmetricAlgorithms.filter((one) => named.includes(one))
  if (usable.length === 0) throw new Error('it signs ID tokens with no algorithm that is safe')
  return {
    issuer,
    authorization_endpoint: address(document, 'authorization_endpoint'),
    token_endpoint: address(document, 'token_endpoint'),
    jwks_uri: address(document, 'jwks_uri'),
    id_token_signing_alg_values_supported: usable,
    authorization_response_iss_parameter_supported:
      document.authorization_response_iss_parameter_supported === true,
  }
}

type Document = Readonly<Record<string, unknown>>

const parse = (text: string): Document => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Document
  } catch {
    // Reported below, since the text itself may be anything.
  }
  throw new Error('its metadata are no JSON object')
}

const address = (document: Document, name: string): string => {
  const text = document[name]
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw new Error(`its metadata have no ${name}`)
  // Metadata fetched over TLS must not downgrade clients to cleartext.
  if (url.protocol === 'http:' && String(document.issuer).startsWith('https:'))
    throw new Error(`its ${name} is without TLS`)
  return String(text)
}
