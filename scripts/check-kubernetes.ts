/* The tests of test/kubernetes that CI runs. Ends with one line of counts. */
import { join } from 'node:path'
import { ciKubernetesTests } from './kubernetes-tests.ts'
import { runRepeatingFailedFiles } from './repeat-failed-files.ts'

// Control planes start from the same sources again and again: with compiled ones each start is half the work.
process.env.NODE_COMPILE_CACHE ??= join(process.cwd(), 'node_modules', '.cache', 'compile')
const { passed, failed, skipped, flakyFiles } = await runRepeatingFailedFiles({
  files: ciKubernetesTests,
  // Each has an API server.
  concurrency: 2,
  fileLimitMs: 300_000,
})
for (const line of skipped) console.log(`######## NOT RUN: ${line} ########`)
for (const file of flakyFiles) console.log(`passed at the second attempt only: ${file}`)
console.log(`kubernetes: ${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
