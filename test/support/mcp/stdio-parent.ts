/**
 * Stands in for the gateway: has three servers, each with its own child, prints them in one line, and then ends as its
 * argument says.
 */
import { respondsOnce, callForResult, command, listen, StdioTestContext } from './stdio-fixture.ts'

const place = new StdioTestContext()
const inGroup = place.transport(command('sh', ['-c', `sleep 1000 & ${respondsOnce.args[1] ?? ''}`]))
const outside = place.transport(command('sh', ['-c', `setsid sleep 1000 & ${respondsOnce.args[1] ?? ''}`]))
const stubborn = place.transport(
  command('sh', ['-c', `trap '' TERM; ${respondsOnce.args[1] ?? ''}; sleep 1000`]),
)
const wellBehaved = place.transport(respondsOnce)
const wires = process.argv[2] === 'killed' ? [wellBehaved] : [inGroup, outside, stubborn, wellBehaved]
await Promise.all(wires.map((transport) => callForResult(transport, 'initialize')))
listen(wellBehaved)
process.on('SIGTERM', () => {
  process.exit(0)
})
process.stdout.write('ready\n', () => {
  if (process.argv[2] === 'exit') process.exit(0)
  if (process.argv[2] === 'throw')
    setImmediate(() => {
      throw new Error('as told')
    })
})
