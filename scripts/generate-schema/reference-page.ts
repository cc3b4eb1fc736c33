import type { Schema } from '../../src/config/schema/kinds.ts'

export function referencePage(schema: Schema): string {
  return `# ${String(schema.title)}\n`
}
