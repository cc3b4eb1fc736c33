import type { SchemaNode } from '../../src/config/schema/builders.ts'
import { fieldTable } from './field-table.ts'
import { introduction } from './introduction.ts'
import { additions, ignored, refused } from './status-lists.ts'

/** The page about the configuration file. */
export function referencePage(schema: SchemaNode): string {
  const definitions = schema.$defs as Readonly<Record<string, SchemaNode>>
  const used = Object.entries(definitions).filter(([, definition]) => definition['x-status'] === undefined)
  return [
    introduction,
    '## Fields',
    'Names in the column “Type” that are links are described in a section of their own. A field is optional unless it says otherwise. Unknown fields are errors.',
    '### The file',
    fieldTable(schema, definitions),
    ...used.flatMap(([name, definition]) => [
      `### ${name}`,
      definition.description ?? '',
      fieldTable(definition, definitions),
    ]),
    '## Not supported yet',
    'These fields and words are known, but have no function so far. A file that uses one is refused with `not supported yet:` and the field, so that nothing that protects you is left out in silence.',
    refused(schema),
    '## Without effect',
    'These fields are accepted, because they change nothing about what is let through. Each gives one warning.',
    ignored(schema),
    '## Additions',
    'These fields are additions of this gateway. Files that use them do not load in the reference implementation.',
    additions(schema),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}
