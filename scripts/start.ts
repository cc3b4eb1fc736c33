/* Runs the daemon from its sources, with the project's own configuration unless the arguments name another. */

const namesConfiguration = process.argv
  .slice(2)
  .some((argument) => /^(-[cf]|--(config|file)\b)/.test(argument))
if (!namesConfiguration) process.argv.push('-f', 'config/gateway.yaml')

await import('../src/main.ts')
