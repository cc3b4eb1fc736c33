/** Writes all generated files; `--check` only checks whether they are up to date. */
import { generateCelConformance } from './generate-cel-conformance.ts'
import { generateCelReference } from './generate-cel-reference.ts'
import './generate-schema.ts'
import './generate-custom-resources.ts'
import './generate-dashboards.ts'

await generateCelReference()
await generateCelConformance()
