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
    'Links in the column “Type” lead to the sections of those types. Fields are optional unless marked as required. Unknown fields are errors.',
    '### The file',
    fieldTable(schema, definitions),
    ...used.flatMap(([name, definition]) => [
      `### ${name}`,
      definition.description ?? '',
      fieldTable(definition, definitions),
    ]),
    '## Not supported yet',
    'These fields and values are known but not implemented. A file that uses one is rejected with `not supported yet:` and the field, so that no protection is silently missing.',
    refused(schema),
    '## Without effect',
    'These fields are accepted and ignored, since they do not affect which requests are allowed. Each logs one warning.',
    ignored(schema),
    '## Additions',
    'These fields are additions of this gateway. Files that use them do not load in the reference implementation.',
    additions(schema),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}
