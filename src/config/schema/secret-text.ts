import { either, type Properties, record, text } from './builders.ts'

/** Definitions of secrets. */
export const secretDefinitions: Properties = {
  SecretText: either(
    'A secret: a string, or a file that contains it. The file is reloaded when it changes; surrounding whitespace is ignored.',
    text('The secret itself.', { minLength: 1 }),
    record(
      'Secret from a file.',
      { file: text('Path of the file.', { minLength: 1 }) },
      { required: ['file'] },
    ),
  ),
}
