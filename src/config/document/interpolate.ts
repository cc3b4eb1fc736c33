/** Variables that a configuration may refer to, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A text after substitution. */
export interface Interpolated {
  readonly text: string
  /** Whether a variable was substituted: a plain YAML scalar must then be typed again. */
  readonly substituted: boolean
  /** The variables that were substituted. */
  readonly used: readonly { readonly name: string; readonly value: string }[]
  /** References to variables that are not set and have no default, as written. */
  readonly unset: readonly { readonly name: string; readonly reference: string }[]
}

/**
 * Substitutes environment variables in one scalar of a configuration.
 *
 * `$NAME` and `${NAME}` are the variable, `${NAME:-default}` the default where it is unset or empty, `$$` is
 * one `$`. Names are upper-case letters, digits and `_`. Every other `$` is kept, and so are password hashes
 * of the `$id$salt$hash` form, whose parts may look like variables.
 *
 * @example
 * interpolate('http://${HOST:-localhost}:$PORT', { PORT: '80' }).text // 'http://localhost:80'
 */
export function interpolate(source: string, env: Environment): Interpolated {
  if (!source.includes('$')) return { text: source, substituted: false, used: [], unset: [] }
  const unset: { name: string; reference: string }[] = []
  const used: { name: string; value: string }[] = []
  let substituted = false
  const text = source.replace(
    REFERENCE,
    (reference: string, braced?: string, fallback?: string, bare?: string) => {
      const name = braced ?? bare
      if (name === undefined) return reference === '$$' ? '$' : reference
      const value = Object.hasOwn(env, name) ? env[name] : undefined
      substituted = true
      if (value !== undefined && (value !== '' || fallback === undefined)) {
        used.push({ name, value })
        return value
      }
      if (fallback !== undefined) return fallback
      unset.push({ name, reference })
      return ''
    },
  )
  return { text, substituted, used, unset }
}

/**
 * In this order: `$$`; a crypt(3) hash, kept because its salt may begin with capitals; `${NAME}` with or
 * without a default; `$NAME`.
 */
const REFERENCE = new RegExp(
  [
    String.raw`\$\$`,
    String.raw`\$(?:apr1|2[abxy]?|argon2(?:id|i|d)|sha1|scrypt|pbkdf2[a-z0-9-]*|gy)\$[A-Za-z0-9./+=,$_-]*`,
    String.raw`\$(?:1|5|6|7|y)\$[A-Za-z0-9./=,$-]*\$[A-Za-z0-9./]{8,}`,
    String.raw`\$\{([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\}`,
    String.raw`\$([A-Z_][A-Z0-9_]*)`,
  ].join('|'),
  'g',
)
