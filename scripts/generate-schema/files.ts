import { format, resolveConfig } from 'prettier'
import { schema } from '../../src/config/schema/root.ts'
import { forEditors } from './editor-schema.ts'
import { fileTypes } from './file-types.ts'
import { referencePage } from './reference-page.ts'

/** Every generated file, formatted, by path from the root of the project. */
export async function generateFiles(): Promise<ReadonlyMap<string, string>> {
  const files: readonly (readonly [path: string, content: string])[] = [
    ['config/schema.json', JSON.stringify(forEditors(schema))],
    ['src/config/schema/file-types.gen.ts', await fileTypes(schema)],
    ['docs/reference/configuration.md', referencePage(schema)],
  ]
  const options = await resolveConfig(new URL('../../package.json', import.meta.url))
  return new Map(
    await Promise.all(
      files.map(
        async ([path, content]) => [path, await format(content, { ...options, filepath: path })] as const,
      ),
    ),
  )
}
