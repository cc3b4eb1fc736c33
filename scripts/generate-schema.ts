/**
 * Writes the files generated from the schema in `src/config/schema`: the schema for editors, the types of a
 * configuration file, and the reference documentation. With `--check` it writes nothing and fails if a file is out of
 * date.
 *
 * @example
 * node scripts/generate-schema.ts --check
 */
import { readFile, writeFile } from 'node:fs/promises'
import { generateFiles } from './generate-schema/files.ts'

const check = process.argv.includes('--check')
let stale = 0
for (const [path, content] of await generateFiles()) {
  const url = new URL(`../${path}`, import.meta.url)
  const current = await readFile(url, 'utf8').catch(() => '')
  if (current === content) continue
  if (check) {
    console.error(`${path} is out of date: run node scripts/generate-schema.ts`)
    stale++
  } else {
    await writeFile(url, content)
    console.log(`wrote ${path}`)
  }
}
process.exitCode = stale === 0 ? 0 : 1
