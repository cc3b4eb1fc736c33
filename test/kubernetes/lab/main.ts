/** The command line of the lab: see README.md in this folder. */
import { type ProgramName, programNames, programPath } from './programs.ts'

/** Builds one after the other: a build occupies every core by itself. */
const build = async (names: readonly ProgramName[]): Promise<void> => {
  for (const name of names) console.log(await programPath(name))
}

const [command = '', ...args] = process.argv.slice(2)

if (command === 'build') await build(args.length > 0 ? (args as ProgramName[]) : programNames)
else {
  console.error('usage: npm run lab -- build [PROGRAM…]')
  process.exitCode = 2
}
