#!/usr/bin/env node
/**
 * The program. Before anything is loaded, SIGUSR1 gets a listener: without one it opens Node's inspector, through which
 * every local user can run code here. Later it reopens log files.
 */
process.on('SIGUSR1', () => undefined)

const args = process.argv.slice(2)
const { prepareProcess, useOf } = await import('./prepare-process.ts')
prepareProcess(useOf(args))

const { runCommand } = await import('./command.ts')
await runCommand(args)
