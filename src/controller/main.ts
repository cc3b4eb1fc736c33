#!/usr/bin/env node
/**
 * The control plane. Before anything is loaded, SIGUSR1 gets a listener: without one it opens Node's inspector, through
 * which every local user can run code here.
 */
process.on('SIGUSR1', () => undefined)

const { prepareProcess } = await import('../prepare-process.ts')
prepareProcess('controller')

const { runController } = await import('./run-controller.ts')
await runController(process.argv.slice(2))
