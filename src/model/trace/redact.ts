import { trackCache } from '../introspection/cache-usage.ts'

/** Replaces a credential. */
export const redacted = '<redacted>'

/**
 * Names of header fields that carry credentials, whatever comes before. Plurals, as in `max-tokens`, are counts. Keys of
 * unknown services are credentials, except those that are known to name or to order something.
 */
const sensitiveHeader =
  /(?:authorization|cookie2?|token|secret|password|passwd|credentials?|assertion|jwt|signature|(?:api|access|subscription|private|auth|functions|account|master|admin)key|(?<!(?:idempotency|websocket|cache|surrogate|partition|routing|shard|sort|hash|dedup|deduplication|object|row|primary|foreign|public|message|event|correlation|trace))[-_]key|^x-auth|^x-amzn-oidc-data|^mcp-session-id|^agentgateway-passed-on)$/
/** Names of query parameters that carry credentials. */
const sensitiveParameter =
  /^(?:key|code|sig|auth|pass|pwd|state_token|session[-_]?id)$|(?:authorization|token|secret|password|passwd|credentials?|assertion|jwt|signature|verifier|(?:api|access|subscription|private|auth)[-_]?key(?:[-_]?id)?)$/i
/** Header fields whose values are URLs, which may carry credentials in turn. */
const urlHeaders = new Set([
  'referer',
  'location',
  'content-location',
  'refresh',
  'link',
  'x-original-uri',
  'x-original-url',
  'x-rewrite-url',
  'x-forwarded-uri',
  ':path',
])
/** Browsers cannot set `Authorization` on a WebSocket, so some services take the key as a subprotocol. */
const sensitiveProtocol = /bearer|api-?key|token|auth|secret/i
const userInfo = /(\/\/)[^/?#\s@]*@/g
/** The same in the value of a parameter, which may be percent-encoded. */
const userInfoInQuery = /(\/\/|%2f%2f)(?:(?!%2f|%3f|%23|%26)[^/?#&;\s@])+(@|%40)/gi
/**
 * Ordinary words follow these names too, as in "basic authentication failed"; a secret contains digits, capitals, or
 * dots.
 */
const schemeAndSecret =
  /\b([Bb]earer|BEARER|[Bb]asic|[Dd]igest|[Nn]egotiate|[Aa]pi[Kk]ey|[Tt]oken)(\s+)(?=\S*(?:[\dA-Z=]|\w\.\w))[^\s,;"'<]{8,}/g
const queryInText = /[?#][^\s"'<>]+/g

/**
 * Finds header fields that carry credentials, and redacts them. One per process: the configured names never change.
 *
 * @example
 * new Redaction(['x-badge']).header('x-badge', '4711') // '<redacted>'
 */
export class Redaction {
  readonly #configured: ReadonlySet<string>
  /** Results by name. Bounded, because clients choose the names. */
  readonly #known = trackCache('header_names', new Map<string, boolean>(), { maxEntries: maxKnown })

  /** @param sensitiveHeaders More names, in any case. */
  constructor(sensitiveHeaders: readonly string[] = []) {
    this.#configured = new Set(sensitiveHeaders.map((name) => name.toLowerCase()))
  }

  /** Whether the field of this (lower-case) name carries a credential. */
  isSensitive(name: string): boolean {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const sensitive = this.#configured.has(name) || sensitiveHeader.test(name)
    if (this.#known.size < maxKnown) this.#known.set(name, sensitive)
    return sensitive
  }

  /** The value of a field, redacted. */
  header(name: string, value: string): string {
    if (this.isSensitive(name)) return redacted
    if (urlHeaders.has(name)) return redactUrl(value)
    if (name === 'sec-websocket-protocol')
      return value.replace(/[^,\s]+/g, (one) => (sensitiveProtocol.test(one) ? redacted : one))
    return value.includes(TOKEN_START) ? value.replace(webToken, redacted) : value
  }

  /** The credentials among fields (name, value …), to redact them elsewhere. Short values are no secrets. */
  secrets(raw: readonly string[]): string[] {
    const found: string[] = []
    for (let i = 0; i < raw.length; i += 2) {
      if (!this.isSensitive(raw[i] as string)) continue
      const value = raw[i + 1] as string
      found.push(value.slice(value.indexOf(' ') + 1))
      // Expressions also read single cookies.
      const cookies =
        raw[i] === 'cookie' ? value.split(';') : raw[i] === 'set-cookie' ? [value.split(';', 1)[0]] : []
      for (const cookie of cookies) if (cookie) found.push(cookie.slice(cookie.indexOf('=') + 1).trim())
    }
    return found.filter(isSecret)
  }
}

const isSecret = (text: string): boolean => text.length >= shortestSecret

/** Bounds the names that a {@link Redaction} caches, because clients choose them. */
const maxKnown = 1024
const shortestSecret = 6

/**
 * A query, from its `?` (or a fragment, from its `#`) on, with credentials redacted.
 *
 * @example
 * redactQuery('?page=2&api_key=4711') // '?page=2&api_key=<redacted>'
 */
export const redactQuery = (given: string): string => {
  // Nearly no query has an address in it, and a search for two characters costs little.
  const query =
    given.includes('@') || given.includes('%40') ? given.replace(userInfoInQuery, `$1${redacted}$2`) : given
  let shown = ''
  let copied = 0
  let start = 1
  let equals = query.indexOf('=')
  // Searched again only once it is passed: a query of nothing but `&` must not take quadratic time.
  while (equals >= 0) {
    const end = endOfParameter(query, start)
    const isHidden =
      equals >= start &&
      equals + 1 < end &&
      (query.startsWith(TOKEN_START, equals + 1) || isSensitiveParameter(query.slice(start, equals)))
    if (isHidden) {
      shown += query.slice(copied, equals + 1) + redacted
      copied = end
    }
    start = end + 1
    if (equals < start) equals = query.indexOf('=', start)
  }
  return copied === 0 ? query : shown + query.slice(copied)
}

/** The values that `redactQuery` redacts, as written and decoded, to redact them elsewhere. */
export const querySecrets = (query: string): string[] =>
  query
    .slice(1)
    .split(/[&;#?]/)
    .flatMap((parameter) => {
      const equals = parameter.indexOf('=')
      const value = parameter.slice(equals + 1)
      const isHidden =
        equals > 0 && (value.startsWith(TOKEN_START) || isSensitiveParameter(parameter.slice(0, equals)))
      return isHidden ? [value, decoded(value)] : []
    })
    .filter(isSecret)

/** The beginning of JSON Web Tokens, independent of the name: `{"` as base64url. */
const TOKEN_START = 'eyJ'
const webToken = /\beyJ[\w-]{8,}\.[\w.-]*/g

/** A URL or a path with its query, with credentials in user information, query and fragment redacted. */
export const redactUrl = (url: string): string => {
  const mark = url.search(/[?#]/)
  const head = (mark < 0 ? url : url.slice(0, mark)).replace(userInfo, `$1${redacted}@`)
  return mark < 0 ? head : head + redactQuery(url.slice(mark))
}

/** A message, such as that of an error, with everything that looks like a credential redacted. */
export const redactText = (text: string): string =>
  text
    .replace(schemeAndSecret, `$1$2${redacted}`)
    .replace(userInfo, `$1${redacted}@`)
    .replace(queryInText, redactQuery)

/** Replaces every occurrence of known secrets. */
export const hideSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((shown, secret) => shown.replaceAll(secret, redacted), text)

/**
 * The same for JSON, only inside strings so that it stays JSON: a credential sent by a client may look like any syntax
 * between them.
 */
export const hideSecretsInJson = (json: string, secrets: readonly string[]): string => {
  const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1))
  return written.some((secret) => json.includes(secret))
    ? json.replace(jsonText, (text) => `"${hideSecrets(text.slice(1, -1), written)}"`)
    : json
}

/** A JSON string: JSON has quotes nowhere else. */
const jsonText = /"(?:[^"\\]|\\.)*"/g

/** Whether a query parameter, or a field of a document, is named like a credential. */
export const isSensitiveParameter = (name: string): boolean => {
  const bracket = name.indexOf('[')
  return sensitiveParameter.test(decoded(bracket < 0 ? name : name.slice(0, bracket)))
}

const decoded = (name: string): string => {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

const endOfParameter = (query: string, start: number): number => {
  for (let i = start; i < query.length; i++) {
    const code = query.charCodeAt(i)
    if (code === ampersand || code === semicolon || code === hash || code === questionMark) return i
  }
  return query.length
}

const ampersand = 38
const semicolon = 59
const hash = 35
const questionMark = 63
