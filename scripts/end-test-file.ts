/* Loaded into every test file: one that leaves something open must not hang. */
import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'

const limitMs = Number(process.env.TEST_FILE_LIMIT_MS ?? 600_000)
const children = new Set<ChildProcess>()

subscribe('child_process', (message) => {
  const { process: child } = message as { readonly process: ChildProcess }
  children.add(child)
  child.once('exit', () => children.delete(child))
})

// Child processes of a file end with it, also when it ends early.
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')))

setTimeout(() => {
  const open = [...Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind)]
    .map(([kind, all]) => `${kind} × ${all.length}`)
    .join(', ')
  console.error(`${process.argv[1] ?? 'a test file'} did not end within ${limitMs} ms; still open: ${open}`)
  process.exit(1)
}, limitMs).unref()
