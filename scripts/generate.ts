/** Writes everything that is generated; `--check` only tells whether it is up to date. */
import { generateCelConformance } from './generate-cel-conformance.ts'
import { generateCelReference } from './generate-cel-reference.ts'
import './generate-schema.ts'

await generateCelReference()
await generateCelConformance()
