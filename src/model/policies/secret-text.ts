/**
 * Text that nobody may see, such as a key. An object, so that whoever shows data knows it by its field; it stays plain
 * data, because the hash of a configuration has to change with it.
 */
export interface SecretText {
  readonly secret: string
}

/** Whether a value is text that nobody may see. */
export const isSecretText = (value: unknown): value is SecretText =>
  typeof value === 'object' && value !== null && 'secret' in value && typeof value.secret === 'string'
