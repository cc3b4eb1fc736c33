/**
 * Secret text, such as a key. An object, so that redaction recognises it by its field; plain data, because the hash of
 * a configuration must change with it.
 */
export interface SecretText {
  readonly secret: string
}

/** Whether a value is secret text. */
export const isSecretText = (value: unknown): value is SecretText =>
  typeof value === 'object' && value !== null && 'secret' in value && typeof value.secret === 'string'
