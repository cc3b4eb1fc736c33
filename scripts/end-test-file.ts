/* Loaded into every test file: one that leaves something open must not hold up the rest for ever. */
import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'

const limitMs = Number(process.env.TEST_FILE_LIMIT_MS ?? 420_000)
const children = new Set<ChildProcess>()

subscribe('child_process', (message) => {
  const { process: child } = message as { readonly process: ChildProcess }
  children.add(child)
  child.once('exit', () => children.delete(child))
})

// What a file started ends with it, also when the file ends before its time.
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')))

setTimeout(() => {
  const open = [...Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind)]
    .map(([kind, all]) => `${kind} × ${all.length}`)
    .join(', ')
  console.error(`${process.argv[1] ?? 'a test file'} did not end within ${limitMs} ms; still open: ${open}`)
  process.exit(1)
}, limitMs).unref()
