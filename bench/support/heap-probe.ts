/** Preloaded into a measured gateway: replies to the message `heap` with the bytes in use after collections. */
process.on('message', (message) => {
  if (message !== 'heap') return
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  setImmediate(() => {
    globalThis.gc?.()
    process.send?.(process.memoryUsage().heapUsed)
  })
})
process.channel?.unref()
