/**
 * For memory tests of a daemon: at SIGUSR2 it collects garbage and prints the heap size, twice that of the young
 * generation.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
let times = 0

process.on('SIGUSR2', () => {
  collect()
  setImmediate(() => {
    collect()
    const resources = process.getActiveResourcesInfo()
    const count = (name: string): number => resources.filter((one) => one === name).length
    const { heapUsed } = process.memoryUsage()
    const open = { sockets: count('TCPSocketWrap'), timers: count('Timeout'), children: count('ProcessWrap') }
    console.log(`left ${++times} ${JSON.stringify({ heapUsed, ...open })}`)
  })
})
