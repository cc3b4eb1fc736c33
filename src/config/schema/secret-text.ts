import { either, type Properties, record, text } from './builders.ts'

/** Definitions about secrets. */
export const secretDefinitions: Properties = {
  SecretText: either(
    'A secret: the text itself, or a file that holds it. Space around what the file holds does not count, and the file is read again when it changes.',
    text('The secret.', { minLength: 1 }),
    record(
      'Where the secret is.',
      { file: text('The file that holds it.', { minLength: 1 }) },
      { required: ['file'] },
    ),
  ),
}
