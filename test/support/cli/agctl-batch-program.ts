/** Runs several commands of `agctl` in one process, and prints what each printed, as JSON. */
import { text } from 'node:stream/consumers'
import { runAgctl } from '../../../src/cli/program.ts'
import type { AgctlRun } from './agctl.ts'

const commands = JSON.parse(await text(process.stdin)) as readonly (readonly string[])[]
const print = process.stdout.write.bind(process.stdout)
const runs: AgctlRun[] = []
for (const args of commands) {
  const printed = { stdout: '', stderr: '' }
  process.stdout.write = (chunk) => Boolean((printed.stdout += String(chunk)))
  process.stderr.write = (chunk) => Boolean((printed.stderr += String(chunk)))
  const code = await runAgctl(args)
  runs.push({ code, ...printed })
}
print(JSON.stringify(runs))
