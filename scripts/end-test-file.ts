/* Loaded into every test file: one that leaves something open must not hold up the rest for ever. */

const limitMs = Number(process.env.TEST_FILE_LIMIT_MS ?? 240_000)

setTimeout(() => {
  const open = process.getActiveResourcesInfo().join(', ')
  console.error(`${process.argv[1] ?? 'a test file'} did not end within ${limitMs} ms; still open: ${open}`)
  process.exit(1)
}, limitMs).unref()
